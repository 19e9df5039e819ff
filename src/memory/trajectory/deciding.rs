//! Whether a goal leaves a decision to the run, because it expresses a condition or a choice that only the page can settle.

use crate::base::{
    text,
    words::{CHOICES, CHOICES_WITHOUT_SPACES, CONDITIONS, CONDITIONS_WITHOUT_SPACES},
};

/// Returns true if a goal contains a condition, such as "only if there is none yet". Words inside quotes do not count.
pub(super) fn has_condition(goal: &str) -> bool {
    says(goal, CONDITIONS, CONDITIONS_WITHOUT_SPACES)
}

/// Returns true if a goal chooses an item by a property that only the page shows, such as the newest. Words inside quotes do
/// not count.
pub(super) fn chooses(goal: &str) -> bool {
    says(goal, CHOICES, CHOICES_WITHOUT_SPACES)
}

fn says(goal: &str, words: &str, parts: &str) -> bool {
    let goal = without_quotes(goal);
    let own = text::words(&goal);
    let mut known = words.split_whitespace();
    parts.split_whitespace().any(|part| goal.contains(part))
        || known.any(|word| own.iter().any(|own| own == word))
}

fn without_quotes(goal: &str) -> String {
    let mut out = String::with_capacity(goal.len());
    let mut is_quoted = false;
    for c in goal.chars() {
        let was_quoted = is_quoted;
        is_quoted = quoted_after(is_quoted, c);
        if !was_quoted && !is_quoted {
            out.push(c);
        }
    }
    out
}

/// Returns true if the text after `c` is inside quotes. `is_quoted` says the same of the text before `c`.
const fn quoted_after(is_quoted: bool, c: char) -> bool {
    match c {
        // The second of these marks ends a German quotation and begins an English one, so it toggles.
        '"' | '“' => !is_quoted,
        '„' | '«' | '「' | '『' => true,
        '”' | '»' | '」' | '』' => false,
        _ => is_quoted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_found_outside_of_quotes_in_every_script() {
        for goal in [
            "File it. Only do so if there is none yet.",
            "Lösche den Eintrag, falls er leer ist",
            "もし空なら削除する",
            "احذفه إذا كان فارغا",
        ] {
            assert!(has_condition(goal), "{goal}");
        }
        for goal in [
            "File the issue \"It happens only with thick paper\" and assign it",
            "Trage „nur heute“ ein und speichere",
            "Set the note to «si» and save",
            "Buy an iffy thing",
        ] {
            assert!(!has_condition(goal), "{goal}");
        }
    }

    #[test]
    fn a_choice_is_found_outside_of_quotes() {
        assert!(chooses("Open the newest message"));
        assert!(chooses("最新のメッセージを開く"));
        assert!(!chooses("Open \"The newest news\" and close it"));
    }
}
