//! The script that asks elements what their attributes say, and its answer.

use serde::{Deserialize, Serialize};

use super::scripts::{LATE_MS, reading};
use crate::{browser::HINTS, page::States};

/// An element that a script asks about.
#[derive(Debug, Serialize)]
pub(super) struct Asked<'a> {
    pub(super) reference: &'a str,
    pub(super) role: &'a str,
    #[serde(rename = "isMute")]
    pub(super) is_mute: bool,
    /// What it is asked for.
    pub(super) need: Need,
}

/// For what an element is asked. Each question takes the tool a millisecond or more, so most are only asked where the page has
/// anything to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Need {
    /// A field, or something that has no words.
    All,
    /// What has words and a role says little more.
    Rest,
    /// Only whether it can be edited or has an `onclick`.
    Click,
}

/// States and properties that the attributes of an element tell, and the snapshot does not.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Hint {
    pub(super) states: States,
    pub(super) props: Vec<(String, String)>,
    /// The text of a field of several lines, if it has more than one.
    pub(super) lines: Option<String>,
}

/// Asks of elements what their attributes say. One that does not answer says nothing.
pub(super) fn hints(asked: &[Asked<'_>]) -> String {
    // Writing texts to memory does not fail.
    let asked = serde_json::to_string(asked).unwrap_or_default();
    reading(&format!(
        "const look = (element, asked) => {{
      {HINTS}
      const hintsOf = makeHintsOf();
      const listens = typeof element.onclick === 'function';
      if (asked.need === 'click' && !listens && element.isContentEditable !== true) return null;
      const hints = hintsOf(element, asked.role, asked.isMute) || {{ states: {{}}, props: [], lines: null }};
      if (listens) hints.states.listens = true;
      return hints;
    }};
    // What there is to ask for: mostly nothing, and then most elements need not be asked.
    const scan = () => {{
      const told = '[data-testid], [data-test-id], [data-test], [data-cy], [aria-current], [aria-pressed=false], '
        + '[aria-expanded=false], [type=file], input:is([type=submit], [type=button], [type=reset], [type=image])[name]';
      const found = {{ rest: false, click: document.designMode === 'on' }};
      const roots = [document];
      for (const root of roots) {{
        found.rest ||= root.querySelector(told) !== null;
        for (const at of root.querySelectorAll('*')) {{
          if (at.shadowRoot) roots.push(at.shadowRoot);
          found.click ||= typeof at.onclick === 'function' || at.hasAttribute('contenteditable');
        }}
      }}
      return found;
    }};
    const late = value => new Promise(done => setTimeout(done, {LATE_MS}, value));
    const inTime = (work, value) => Promise.race([work.catch(() => value), late(value)]);
    const any = {{ rest: true, click: true }};
    const found = await Promise.all(page.frames().map(frame => inTime(frame.evaluate(scan), any)));
    const isAsked = need => need === 'all' || found.some(each => each.click || each[need]);
    const ask = one => isAsked(one.need)
      ? page.locator('aria-ref=' + one.reference).evaluate(look, one, {{ timeout: 2000 }}).catch(() => null) : null;
    const asked = {asked};
    return {{ hints: await Promise.race([Promise.all(asked.map(ask)), new Promise(done => setTimeout(done, 3000, []))]) }};"
    ))
}
