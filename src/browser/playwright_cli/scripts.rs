//! Scripts that the driver runs in the tool (playwright-cli), for tasks that the tool's commands cannot do. The modules
//! `asking`, `points`, `scene`, `selection` and `traces` contain further ones.
//!
//! The scripts run in the tool's process, not in the page. Texts enter them only as string literals. Element references
//! and names of secrets are written without escapes, because they consist of letters, digits and `_`. The scripts catch
//! their own errors, so an error thrown by the page comes back as data under `error`.

use serde::Deserialize;
use serde_json::Value;
use zeroize::Zeroizing;

use super::{asking::Hint, locator, scene::SeenScene};
use crate::{
    action::{Press, Target},
    browser::rules::Selecting,
    page::Trace,
    secret::SecretName,
};

/// The value that a script of this driver returned. Fields that a script does not set keep their defaults.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "answers of different scripts, each to a question of its own"
)]
pub(super) struct Returned {
    pub(super) done: bool,
    /// True if the field's frame is gone, or if the page or the frame no longer has the origin for which the secret was
    /// released.
    pub(super) moved: bool,
    /// True if no element or several elements have the focus, or if the target's element did not take the focus.
    pub(super) unfocused: bool,
    /// True unless the page and the field's frame are known to have web origins. A document in a sandbox has none.
    pub(super) opaque: bool,
    pub(super) top: String,
    pub(super) frame: String,
    pub(super) error: Option<String>,
    /// The page's position in the history of its tab, from 0, and the length of the history.
    pub(super) place: Option<(u64, u64)>,
    /// True if the document has no body, such as that of an SVG file.
    pub(super) bodiless: bool,
    /// True for each requested field whose value must be hidden; `None` for a field that is gone.
    pub(super) hidden: Vec<Option<bool>>,
    /// Number of fields into which a secret was typed and whose documents are still there, over all tabs; `None` from
    /// scripts that do not count them.
    pub(super) kept: Option<usize>,
    /// The addresses of the requested frames; `None` for a frame that is gone.
    pub(super) frames: Vec<Option<String>>,
    /// The hints of the requested elements; `None` for an element without hints.
    pub(super) hints: Vec<Option<Hint>>,
    /// The addresses to which the field's form may be sent.
    pub(super) to: Vec<String>,
    /// An address to which the field's form would now be sent, but which was not checked; `None` if there is none.
    pub(super) turned: Option<String>,
    pub(super) sends: Vec<Sends>,
    /// The reactions of the page to an action; `None` if no watched document can tell, for example because no event of
    /// the action reached one.
    pub(super) traces: Option<Vec<Trace>>,
    /// The size of the element, if the point of the action lies outside of it. Unit: CSS pixels.
    pub(super) size: Option<(u64, u64)>,
    pub(super) selected: String,
    /// The result of selecting an element's text; `None` from all other scripts.
    pub(super) selecting: Option<Selecting>,
    pub(super) scene: Option<SeenScene>,
}

/// A secret in a form, and the address to which the form would be sent.
#[derive(Debug, Deserialize)]
pub(super) struct Sends {
    pub(super) name: SecretName,
    pub(super) to: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Click,
    Enter,
    Space,
}

impl Returned {
    /// Parses the section `Result` of a reply to a script of this driver.
    pub(super) fn parse(result: &str) -> Option<Self> {
        serde_json::from_str(result).ok()
    }
}

/// Name of the property in which the tool's page object keeps the fields into which secrets were typed. The web page
/// cannot see it.
pub(super) const KEPT: &str = "webwiseSecretFields";

/// Longest time for one answer from the page. Unit: milliseconds. Source: chosen; an answer takes about 1 ms.
pub(super) const LATE_MS: u32 = 250;

/// The placeholder for a secret's value in the template of a script.
const VALUE: char = '\0';
/// Statements that set `opaque` to false only if the page, the field's frame, and all frames with the same addresses
/// are known to have web origins. They ask in an isolated JavaScript world, because a page could lie about itself.
const ASK_OPAQUE: &str = "const all = node => [node.frame, ...(node.childFrames || []).flatMap(all)];
    const origins = async (at, address) => {
      const session = await page.context().newCDPSession(at);
      try {
        const { frameTree } = await session.send('Page.getFrameTree');
        const here = all(frameTree).filter(one => one.url === address.split('#')[0]);
        return await Promise.all(here.map(async one => {
          const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: one.id });
          const expression = { expression: 'self.origin', contextId: executionContextId };
          return (await session.send('Runtime.evaluate', expression)).result.value;
        }));
      } finally {
        await session.detach();
      }
    };
    const isOpaque = async frame => {
      // A frame without a process of its own is in the tree of one around it.
      let known = [];
      for (let at = frame; at && known.length === 0; at = at.parentFrame()) {
        known = await origins(at, frame.url()).catch(() => []);
      }
      return known.length === 0 || known.some(origin => !/^https?:/.test(origin));
    };
    const opaque = await isOpaque(page.mainFrame()) || !frame || await isOpaque(frame);";

/// Two functions that run in the page. `sendsFrom` returns every address to which the form of an element may be sent.
/// `sendsBy` returns the address to which the form of `kept`, a field with a secret, is sent when `element` receives a
/// click or a key; `null` if the form is not sent or the field is empty.
///
/// The page's own scripts could deceive these functions, but they could just as well send the secret themselves.
const FORMS: &str = r"const forms = `
      const get = (type, name) => Object.getOwnPropertyDescriptor(type.prototype, name).get;
      const tagOf = node => get(Element, 'localName').call(node);
      const above = node => get(Node, 'parentNode').call(node) || (node instanceof ShadowRoot ? node.host : null);
      const types = { button: HTMLButtonElement, input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement };
      const is = (node, tag) => node.nodeType === 1 && tagOf(node) === tag;
      const formOf = element => {
        const type = types[tagOf(element)];
        const own = type && get(type, 'form').call(element);
        if (own) return own;
        for (let at = element; at; at = above(at)) if (at instanceof HTMLFormElement) return at;
        return null;
      };
      const isSubmitter = element => is(element, 'button') && get(HTMLButtonElement, 'type').call(element) === 'submit'
        || is(element, 'input') && ['submit', 'image'].includes(get(HTMLInputElement, 'type').call(element));
      const submittersOf = form => [...Node.prototype.getRootNode.call(form).querySelectorAll('button, input')]
        .filter(each => isSubmitter(each) && formOf(each) === form);
      const addressOf = (form, button) => {
        const type = button && types[tagOf(button)];
        const method = button && button.hasAttribute('formmethod')
          ? get(type, 'formMethod').call(button) : get(HTMLFormElement, 'method').call(form);
        if (method === 'dialog') return null;
        return button && button.hasAttribute('formaction')
          ? get(type, 'formAction').call(button) : get(HTMLFormElement, 'action').call(form);
      };
    `;
    const sendsFrom = new Function('element', forms + `
      const control = is(element, 'label') && element.control || element;
      const form = formOf(control);
      const all = form ? [null, ...submittersOf(form)].map(button => addressOf(form, button)) : [];
      return [...new Set(all.filter(address => address !== null))];
    `);
    const sendsBy = new Function('kept', 'given', forms + `
      const { element, by } = given;
      const form = formOf(kept);
      if (!form || kept.isConnected === false || kept.value === '') return null;
      let button = null;
      for (let at = element; at && !button; at = by === 'click' ? above(at) : null) {
        const control = is(at, 'label') ? at.control : at;
        if (control && control.nodeType === 1 && isSubmitter(control)) button = control;
      }
      if (button) return formOf(button) === form ? addressOf(form, button) : null;
      if (by !== 'enter' || !is(element, 'input') || formOf(element) !== form) return null;
      return addressOf(form, submittersOf(form)[0] || null);
    `);";

#[derive(Debug, Clone, Copy)]
pub(super) enum Field<'a> {
    At(&'a Target),
    Focused,
}

pub(super) fn expression(target: &Target) -> String {
    match target {
        // A reference consists of letters and digits only.
        Target::Ref(reference) => format!("page.locator('aria-ref={reference}')"),
        Target::Locator(locator) => format!("page.{}", locator::print(locator)),
    }
}

pub(super) fn literal(text: &str) -> String {
    // JSON is valid JavaScript, including line separators since ES2019.
    Value::from(text).to_string()
}

/// Returns the script with [`VALUE`] replaced by `value` as a literal. No other copy of the
/// secret is left in memory.
fn with_value(script: &str, value: &str) -> String {
    // A byte of the value becomes at most six bytes, as in `\u0000`.
    let mut literal = Zeroizing::new(Vec::with_capacity(value.len() * 6 + 2));
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(&mut *literal, value);
    let (before, after) = script.split_once(VALUE).unwrap_or((script, ""));
    let mut out = String::with_capacity(script.len() + literal.len());
    for part in [before, &String::from_utf8_lossy(&literal), after] {
        out.push_str(part);
    }
    out
}

/// Returns statements that set `handle` to the field and `frame` to its frame.
fn find(field: Field<'_>, timeout_ms: u64) -> String {
    let handle = match field {
        Field::At(target) => {
            format!(
                "const handle = await {}.elementHandle({{ timeout: {timeout_ms} }});",
                expression(target)
            )
        }
        // If the focus is inside a frame, the frame's element counts as focused in its parent document. Such an element
        // is skipped.
        Field::Focused => "const focused = [];
    for (const frame of page.frames()) {
      const found = await frame.$('css=:focus').catch(() => null);
      if (found && !(await found.contentFrame())) focused.push(found);
    }
    if (focused.length !== 1) return { unfocused: true };
    const handle = focused[0];"
            .to_owned(),
    };
    format!("{handle}\n    const frame = await handle.ownerFrame();")
}

pub(super) fn guarded(body: &str) -> String {
    format!(
        "async page => {{
  try {{
    {body}
  }} catch (error) {{
    return {{ error: String((error && error.message) || error) }};
  }}
}}"
    )
}

/// Returns a script like that of [`guarded`], for a `body` that only reads. It skips the pause that the tool otherwise
/// makes after a script.
///
/// For this pause, the tool calls `page.evaluate` with a number. The script makes the next such call return at once.
pub(super) fn reading(body: &str) -> String {
    guarded(&format!(
        "try {{
    {body}
    }} finally {{
      page.evaluate = (...given) => {{
        delete page.evaluate;
        return typeof given[1] === 'number' ? Promise.resolve() : page.evaluate(...given);
      }};
      setTimeout(() => delete page.evaluate, {LATE_MS});
    }}"
    ))
}

/// Returns the script that reads the addresses of the page and of the field's frame, and the addresses to which the
/// field's form may be sent.
pub(super) fn read_origins(field: Field<'_>, timeout_ms: u64) -> String {
    let find = find(field, timeout_ms);
    guarded(&format!(
        "{find}\n    {ASK_OPAQUE}\n    {FORMS}
    const to = await handle.evaluate(sendsFrom);
    return {{ opaque, top: page.url(), frame: frame ? frame.url() : '', to }};"
    ))
}

/// Returns the script that asks which typed secrets a form would send after the input `by` (a click, Enter or Space) on
/// the element that `field` names.
pub(super) fn sends(field: Field<'_>, by: By, timeout_ms: u64) -> String {
    let find = find(field, timeout_ms);
    let by = match by {
        By::Click => "click",
        By::Enter => "enter",
        By::Space => "space",
    };
    guarded(&format!(
        "{find}\n    {FORMS}
    const ask = async kept => {{
      // Of another document it is in another form.
      const to = await kept.evaluate(sendsBy, {{ element: handle, by: '{by}' }}).catch(() => null);
      return to === null ? [] : [{{ name: kept.webwiseName, to }}];
    }};
    return {{ sends: (await Promise.all((page.{KEPT} || []).map(ask))).flat() }};"
    ))
}

/// Returns the script that types the secret `value` into a field. It types only if page and frame still have the
/// origins `top` and `frame`, and the field's form can be sent only to the addresses `to`.
///
/// If `submit` is true, the script then presses Enter, unless Enter would now send the form to an address that is not
/// in `to`.
pub(super) fn type_if_still_at(
    field: Field<'_>,
    (top, frame): (&str, &str),
    to: &[String],
    (name, value): (&SecretName, &str),
    submit: bool,
    timeout_ms: u64,
) -> String {
    let method = if matches!(field, Field::At(_)) {
        "fill"
    } else {
        "type"
    };
    let enter = if submit {
        format!(
            "const before = await handle.evaluate(sendsBy, {{ element: handle, by: 'enter' }});
    if (before !== null && !to.includes(before)) return {{ turned: before }};
    await handle.press('Enter', {{ timeout: {timeout_ms} }});"
        )
    } else {
        String::new()
    };
    let script = guarded(&format!(
        "{find}
    {FORMS}
    const origin = address => {{ try {{ return new URL(address).origin; }} catch {{ return ''; }} }};
    if (!frame || origin(page.url()) !== {top} || origin(frame.url()) !== {frame}) return {{ moved: true }};
    {ASK_OPAQUE}
    if (opaque) return {{ opaque: true }};
    const to = {to};
    const turned = (await handle.evaluate(sendsFrom)).find(address => !to.includes(address));
    if (turned !== undefined) return {{ turned }};
    handle.webwiseName = '{name}';
    (page.{KEPT} ??= []).push(handle);
    await handle.{method}({VALUE}, {{ timeout: {timeout_ms} }});
    {enter}
    return {{ done: true }};",
        find = find(field, timeout_ms),
        top = literal(top),
        frame = literal(frame),
        to = Value::from(to),
    ));
    with_value(&script, value)
}

/// Returns the script that fills a field with a text that is too long for an argument. With `submit`, it then presses
/// Enter.
pub(super) fn fill(target: &Target, text: &str, submit: bool, timeout_ms: u64) -> String {
    let field = expression(target);
    let enter = if submit {
        format!("await {field}.press('Enter', {{ timeout: {timeout_ms} }});")
    } else {
        String::new()
    };
    guarded(&format!(
        "await {field}.fill({}, {{ timeout: {timeout_ms} }});\n    {enter}\n    return {{ done: true }};",
        literal(text)
    ))
}

/// Returns the script that types a text that has line breaks or is too long for an argument into the focused element.
/// With `submit`, it then presses Enter.
pub(super) fn type_text(text: &str, submit: bool) -> String {
    let enter = if submit {
        "await page.keyboard.press('Enter');"
    } else {
        ""
    };
    guarded(&format!(
        "await page.keyboard.type({});\n    {enter}\n    return {{ done: true }};",
        literal(text)
    ))
}

/// Returns the script that presses a key as often as the action requests. If the action has a target, the script first
/// focuses its element.
pub(super) fn press(press: &Press, timeout_ms: u64) -> String {
    let focus = press
        .target
        .as_ref()
        .map_or_else(String::new, |target| focus_for_keys(target, timeout_ms));
    guarded(&format!(
        "{focus}for (let count = 0; count < {}; count++) await page.keyboard.press({});
    return {{ done: true }};",
        press.times(),
        literal(press.key.as_str())
    ))
}

/// Returns statements that focus an element. If it does not take the focus, the script ends and returns `unfocused`.
fn focus_for_keys(target: &Target, timeout_ms: u64) -> String {
    format!(
        "const field = {};
    await field.focus({{ timeout: {timeout_ms} }});
    const handle = await field.elementHandle({{ timeout: {timeout_ms} }});
    const isFocused = await handle.evaluate(element => {{
      let at = document.activeElement;
      while (at && at !== element && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement;
      return at === element || element.isContentEditable && at !== null && at.contains(element);
    }});
    if (!isFocused) return {{ unfocused: true }};
    ",
        expression(target),
    )
}

pub(super) fn takes_text(target: &Target, timeout_ms: u64) -> String {
    reading(&format!(
        "return {{ done: await {}.isEditable({{ timeout: {timeout_ms} }}) }};",
        expression(target)
    ))
}

pub(super) fn into_view(target: &Target, timeout_ms: u64) -> String {
    guarded(&format!(
        "await {}.scrollIntoViewIfNeeded({{ timeout: {timeout_ms} }});\n    return {{ done: true }};",
        expression(target)
    ))
}

pub(super) fn select(target: &Target, values: &[String], timeout_ms: u64) -> String {
    let values: Vec<String> = values.iter().map(|value| literal(value)).collect();
    guarded(&format!(
        "await {}.selectOption([{}], {{ timeout: {timeout_ms} }});\n    return {{ done: true }};",
        expression(target),
        values.join(", ")
    ))
}

/// Returns the script that asks the browser for the page's position in the history of its tab.
pub(super) fn place_in_history() -> String {
    guarded(
        "const session = await page.context().newCDPSession(page);
    const history = await session.send('Page.getNavigationHistory');
    await session.detach();
    return { place: [history.currentIndex, history.entries.length] };",
    )
}

/// A CSS selector for plain fields, which are not made for secrets. All other fields are checked by [`hidden_fields`].
pub(super) const PLAIN: &str = ":not([type=password i],[autocomplete*=password i],[autocomplete*=one-time-code i],[autocomplete*=cc- i])";

pub(super) fn address() -> String {
    guarded("return { top: page.url() };")
}

/// Returns the script that asks the browser for the addresses of frames.
pub(super) fn frame_addresses(references: &[&str]) -> String {
    let references: Vec<String> = references
        .iter()
        .map(|reference| literal(reference))
        .collect();
    reading(&format!(
        "const ask = async reference => {{
      const element = await page.locator('aria-ref=' + reference).elementHandle({{ timeout: 2000 }});
      const frame = await element.contentFrame();
      return frame && frame.url();
    }};
    const frames = await Promise.all([{}].map(reference => ask(reference).catch(() => null)));
    return {{ frames }};",
        references.join(", ")
    ))
}

/// Returns the script that stops the loading of the page and checks whether its document has a body. If the page does
/// not answer within `patience_ms` milliseconds, the script assumes a body.
pub(super) fn stop_loading(patience_ms: u64) -> String {
    guarded(&format!(
        "const session = await page.context().newCDPSession(page);
    await session.send('Page.stopLoading');
    await session.detach();
    const late = new Promise(resolve => setTimeout(resolve, {patience_ms}));
    const look = () => !document.querySelector('body, frameset');
    const bodiless = await Promise.race([page.evaluate(look).catch(() => false), late]) === true;
    return {{ done: true, bodiless, top: page.url() }};"
    ))
}

/// Returns the script that asks which fields contain text that must be masked: passwords, one-time codes, card numbers,
/// and every text that [`type_if_still_at`] typed. The script returns `null` for a field that does not answer.
pub(super) fn hidden_fields(references: &[&str]) -> String {
    let references: Vec<String> = references
        .iter()
        .map(|reference| literal(reference))
        .collect();
    reading(&format!(
        "const look = field => {{
      const tokens = String(field.getAttribute('autocomplete') || '').toLowerCase().split(/\\s+/);
      return String(field.type).toLowerCase() === 'password'
        || tokens.some(token => ['current-password', 'new-password', 'one-time-code'].includes(token) || token.startsWith('cc-'));
    }};
    const ask = async reference => {{
      const field = await page.locator('aria-ref=' + reference).elementHandle({{ timeout: 2000 }});
      if (await field.evaluate(look)) return true;
      // A handle of another document cannot be compared, and is another field.
      const same = kept => field.evaluate((field, kept) => field === kept, kept).catch(() => false);
      return (await Promise.all((page.{KEPT} || []).map(same))).includes(true);
    }};
    const hidden = await Promise.all([{references}].map(reference => ask(reference).catch(() => null)));
    {kept_fields}
    let kept = 0;
    for (const each of page.context().pages()) kept += await countKept(each);
    return {{ hidden, kept }};",
        references = references.join(", "),
        kept_fields = count_kept(),
    ))
}

/// Returns a statement that defines the JavaScript function `countKept`. It drops the fields with typed secrets whose
/// documents are gone from the list [`KEPT`] of a page, and returns the number of the others.
pub(super) fn count_kept() -> String {
    format!(
        "const countKept = async page => {{
      const fields = page.{KEPT} || [];
      // A handle whose document is gone refuses; one that does not answer, as under a dialog, is still there.
      const late = () => new Promise(done => setTimeout(done, {LATE_MS}, true));
      const isThere = kept => Promise.race([kept.evaluate(() => true).catch(() => false), late()]);
      for (const field of [...fields])
        if (!(await isThere(field))) fields.splice(fields.indexOf(field), 1);
      return fields.length;
    }};"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_enter_a_script_only_as_literals() {
        let target = Target::parse("e5").unwrap();
        let hostile = "\"); process.exit(); //\u{2028}\n`${x}`</script>";
        for script in [
            fill(&target, hostile, true, 1),
            type_text(hostile, true),
            select(&target, &[hostile.to_owned()], 1),
            type_if_still_at(
                Field::Focused,
                ("https://a", "https://b"),
                &[hostile.to_owned()],
                (&SecretName::parse("WORD").unwrap(), hostile),
                true,
                1,
            ),
        ] {
            assert!(script.contains(r#""\"); process.exit(); //"#), "{script}");
            assert!(!script.contains("//\u{2028}\n"), "{script}");
        }
    }

    #[test]
    fn what_a_script_returned_is_read() {
        let returned = Returned::parse(r#"{"top":"https://a/x","frame":"https://b/"}"#).unwrap();
        assert_eq!(
            (&*returned.top, &*returned.frame, returned.done),
            ("https://a/x", "https://b/", false)
        );
        assert_eq!(
            Returned::parse(r#"{"hidden":[true,null,false]}"#)
                .unwrap()
                .hidden,
            [Some(true), None, Some(false)]
        );
        assert!(Returned::parse("undefined").is_none());
    }
}
