//! The script that reads the attributes of elements and the selected text, and the types for the script's input and
//! result.

use serde::{Deserialize, Serialize};

use super::{
    scripts::{LATE_MS, reading},
    selection,
};
use crate::{browser::HINTS, page::States};

/// Number of elements that one script reads at the same time. Source: chosen; a busy tool answers this many in time,
/// and a few elements that no longer exist do not delay the rest.
const AT_ONCE: usize = 24;

#[derive(Debug, Serialize)]
pub(super) struct Asked<'a> {
    pub(super) reference: &'a str,
    pub(super) role: &'a str,
    #[serde(rename = "isMute")]
    pub(super) is_mute: bool,
    /// The name of an editable field that the snapshot shows without text; `None` for any other element. Such a field
    /// may still contain a text, because the tool does not print a text that is equal to the name.
    pub(super) name: Option<&'a str>,
    pub(super) need: Need,
}

/// The condition under which a script reads the attributes of an element.
///
/// Reading takes a millisecond or more for each element. So the script first searches the page for attributes that give
/// hints, for elements that react to clicks, and for elements that can be edited. It reads most elements only if this
/// search finds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Need {
    /// The script always reads the attributes. Used for a field, and for a control or picture without words.
    All,
    /// The script reads the attributes only if the search of the page finds something. Used for a control that has
    /// words, and for an element that can be clicked.
    Rest,
    /// The script reads the attributes only if the element can be edited or reacts to clicks. Used for every other
    /// element.
    Click,
}

/// States and properties that a script reads from an element's attributes, because the snapshot does not contain them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hint {
    pub(super) states: States,
    pub(super) props: Vec<(String, String)>,
    /// The absolute address of a link. It differs from the address in the snapshot if the page sets a base for relative
    /// addresses.
    pub(super) url: Option<String>,
    /// The exact text of a field, if the text contains white space that the snapshot does not show, or if the text is
    /// equal to the field's name; otherwise `None`.
    pub(super) exact: Option<String>,
}

/// Returns the script that reads the attributes of these elements, and the selected text. In the script's result, an
/// element that does not answer has no attributes.
pub(super) fn hints(asked: &[Asked<'_>]) -> String {
    // Serialising text to memory does not fail.
    let asked = serde_json::to_string(asked).unwrap_or_default();
    let reader = selection::reader();
    reading(&format!(
        "const look = (element, asked) => {{
      {HINTS}
      const hintsOf = makeHintsOf();
      const listens = typeof element.onclick === 'function' || element.localName === 'summary';
      if (asked.need === 'click' && !listens && element.isContentEditable !== true) return null;
      const hints = hintsOf(element, asked.role, asked.isMute, asked.name) || {{ states: {{}}, props: [], exact: null }};
      if (asked.role === 'link') hints.url = makeResolve()(element);
      if (listens) hints.states.listens = true;
      return hints;
    }};
    // What there is to ask for: mostly nothing, and then most elements need not be asked.
    const scan = () => {{
      const told = '[data-testid], [data-test-id], [data-test], [data-cy], [aria-current], [aria-pressed=false], '
        + '[aria-expanded=false], base[href], [type=file], input:is([type=submit], [type=button], [type=reset], [type=image])[name]';
      const found = {{ rest: false, click: document.designMode === 'on' }};
      const roots = [document];
      for (const root of roots) {{
        found.rest ||= root.querySelector(told) !== null;
        for (const at of root.querySelectorAll('*')) {{
          if (at.shadowRoot) roots.push(at.shadowRoot);
          found.click ||= typeof at.onclick === 'function' || at.localName === 'summary' || at.hasAttribute('contenteditable');
        }}
      }}
      return found;
    }};
    const late = value => new Promise(done => setTimeout(done, {LATE_MS}, value));
    const inTime = (work, value) => Promise.race([work.catch(() => value), late(value)]);
    const any = {{ rest: true, click: true }};
    const found = await Promise.all(page.frames().map(frame => inTime(frame.evaluate(scan), any)));
    {reader}
    const selected = await inTime(readSelected(), '');
    const isAsked = need => need === 'all' || found.some(each => each.click || each[need]);
    const asked = {asked};
    const hints = asked.map(() => null);
    const ask = async (one, at) => {{
      if (!isAsked(one.need)) return;
      const element = page.locator('aria-ref=' + one.reference);
      hints[at] = await element.evaluate(look, one, {{ timeout: 1000 }}).catch(() => null);
    }};
    // In turn, so that on a machine without time the first ones are answered when the time is up.
    let next = 0;
    const work = async () => {{
      while (next < asked.length) await ask(asked[next], next++);
    }};
    const works = Array.from({{ length: {AT_ONCE} }}, work);
    await Promise.race([Promise.all(works), new Promise(done => setTimeout(done, 3000))]);
    next = asked.length;
    return {{ hints: [...hints], selected }};"
    ))
}
