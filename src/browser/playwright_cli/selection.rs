//! Scripts that read the selected text, and that select the text of an element.

use super::scripts::{count_kept, expression, guarded, literal};
use crate::{action::Target, browser::SELECTION};

/// Returns a statement that defines the JavaScript function `readSelected`, which returns the selected text of the main
/// document. While a field with a typed secret exists, the function returns an empty text.
pub(super) fn reader() -> String {
    let count_kept = count_kept();
    format!(
        "{count_kept}
    const readSelected = async () => {{
      const read = () => {{ {SELECTION} return makeSelection().selected(); }};
      return await countKept(page) > 0 ? '' : await page.mainFrame().evaluate(read);
    }};"
    )
}

/// Returns the script that selects the text of an element, or only `words` in it.
pub(super) fn select(target: &Target, words: Option<&str>, timeout_ms: u64) -> String {
    let words = words.map_or_else(|| "null".to_owned(), literal);
    guarded(&format!(
        "const handle = await {}.elementHandle({{ timeout: {timeout_ms} }});
    await handle.waitForElementState('visible', {{ timeout: {timeout_ms} }});
    const words = {words};
    {}
    // An answer about a part of a text would tell a secret in it bit by bit.
    if (words !== null && await countKept(page) > 0) return {{ selecting: 'absent' }};
    const select = (element, words) => {{ {SELECTION} return makeSelection().select(element, words); }};
    return {{ selecting: await handle.evaluate(select, words) }};",
        expression(target),
        count_kept(),
    ))
}
