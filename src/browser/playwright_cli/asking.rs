//! The script that reads the attributes of elements and the selected text, with its input and result types.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    scripts::{LATE_MS, reading},
    selection,
};
use crate::{browser::HINTS, page::States};

/// Number of elements that one script reads at the same time. Source: chosen; a busy tool answers this many in time.
const AT_ONCE: usize = 24;

/// Time without any answer after which the elements are asked no more. Unit: milliseconds. Source: chosen; an answer takes
/// about 1 ms on an idle machine.
const SILENCE_MS: u32 = 3000;

#[derive(Debug, Serialize)]
pub(super) struct Asked<'a> {
    pub(super) reference: &'a str,
    pub(super) role: &'a str,
    #[serde(rename = "isMute")]
    pub(super) is_mute: bool,
    /// The name of an editable field; `None` unless the snapshot gives the field no value. The field may then still
    /// contain a text, because the tool prints no value for a text that is equal to the field's name, and none for an
    /// editable element.
    pub(super) name: Option<&'a str>,
    pub(super) need: Need,
}

/// The condition for reading an element's attributes.
///
/// Reading takes a millisecond or more for each element. So the script first searches the page for attributes and
/// elements of interest. It reads most elements only if this search finds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Need {
    /// Always reads the attributes. Used for a field, and for a control or picture without words.
    All,
    /// Reads the attributes if the search of the page finds something. Used for a control with words, and for an
    /// element that can be clicked.
    Rest,
    /// Reads the attributes only if the element turns out to be editable or to react to clicks. Used for all elements
    /// to which neither of the other variants applies.
    Click,
}

/// States and properties that the snapshot does not contain, read from an element's attributes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hint {
    pub(super) states: States,
    pub(super) props: Vec<(String, String)>,
    /// The absolute address of a link on a page that sets the base of its addresses with `<base>`; otherwise `None`.
    pub(super) url: Option<String>,
    /// The exact text of a field; `None` if the snapshot shows it exactly.
    pub(super) exact: Option<String>,
}

/// Returns the script that reads the attributes of these elements, and the selected text. An element that does not
/// answer within `most` for all of them has no attributes.
pub(super) fn hints(asked: &[Asked<'_>], most: Duration) -> String {
    let most = most.as_millis();
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
    const silence = () => new Promise(done => setTimeout(done, {SILENCE_MS}, false));
    const selected = await Promise.race([readSelected().catch(() => ''), silence().then(() => '')]);
    const isAsked = need => need === 'all' || found.some(each => each.click || each[need]);
    const asked = {asked};
    const hints = asked.map(() => null);
    const ask = async (one, at) => {{
      if (!isAsked(one.need)) return;
      const element = page.locator('aria-ref=' + one.reference);
      const answer = element.evaluate(look, one, {{ timeout: {SILENCE_MS} }}).then(hints => [hints], () => []);
      for (const each of await answer) [hints[at], answers] = [each, answers + 1];
    }};
    let [next, answers] = [0, 0];
    const work = async () => {{
      while (next < asked.length) await ask(asked[next], next++);
    }};
    const works = Array.from({{ length: {AT_ONCE} }}, work);
    const all = Promise.all(works).then(() => true);
    // Given up only if nothing has answered for a while: a slow page answers late, one that hangs does not.
    const end = new Promise(done => setTimeout(done, {most}, true));
    for (let before = -1; before !== answers && !(await Promise.race([all, end, silence()]));) before = answers;
    next = asked.length;
    return {{ hints: [...hints], selected }};"
    ))
}
