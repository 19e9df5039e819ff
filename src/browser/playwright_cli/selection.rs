//! The part of a script that reads the selected text.

use super::scripts::KEPT;
use crate::browser::SELECTION;

/// Returns a statement that sets `readSelected`, a function without arguments that returns the text that is selected in
/// the page's main document. While a field with a typed secret exists, it returns nothing, because the selection may be
/// a part of the secret.
pub(super) fn reader() -> String {
    format!(
        "const readSelected = async () => {{
      const read = () => {{ {SELECTION} return makeSelection().selected(); }};
      return (page.{KEPT} || []).length > 0 ? '' : await page.mainFrame().evaluate(read);
    }};"
    )
}
