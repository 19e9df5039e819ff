//! Overlap: a number that says how similar two goals are. It ranks the earlier goals that the model is shown as hints.
//! It never decides whether two goals are the same task.

use std::collections::HashSet;

use super::{fold::compose, lex::lex};

/// Returns how similar two goals are, from 0 to 1: the number of their common tokens, divided by the number of all
/// different tokens (the Jaccard index).
///
/// A token is a unit of the goal's text: a word, a number, a date, an address, a quoted text or a sign. In scripts
/// without spaces, such as Chinese, each character is a token. Upper and lower case count as equal. Two goals without
/// tokens have the result 0.
///
/// ```
/// use webwise::goal::overlap;
///
/// assert_eq!(overlap("Transfer $100 to account A", "transfer $100 to account B"), 5.0 / 7.0);
/// assert_eq!(overlap("搜索网球拍", "搜索跑步鞋"), 2.0 / 8.0);
/// ```
pub fn overlap(a: &str, b: &str) -> f64 {
    let folds = |goal: &str| -> HashSet<String> {
        lex(&compose(goal))
            .into_iter()
            .map(|token| token.fold)
            .collect()
    };
    let (a, b) = (folds(a), folds(b));
    let union = a.union(&b).count();
    if union == 0 {
        return 0.0;
    }
    ratio(a.intersection(&b).count(), union)
}

fn ratio(part: usize, whole: usize) -> f64 {
    let small = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    small(part) / small(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_distinguishes_goals_counts_in_every_script() {
        let close = |a: &str, b: &str, expected: f64| (overlap(a, b) - expected).abs() < 1e-9;
        assert!(close("Open it", "open IT", 1.0));
        assert!(close("account A", "account B", 1.0 / 3.0));
        assert!(close("order 5512", "order 5513", 1.0 / 3.0));
        assert!(close("удали счёт", "удали счет", 1.0));
        assert!(close("ابحث", "搜索", 0.0));
        assert!(close("", "", 0.0) && close("-100", "100", 0.5));
    }
}
