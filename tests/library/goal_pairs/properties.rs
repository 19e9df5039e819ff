//! Whatever a goal and a step contain, a template answers, and its own goal changes nothing.

use std::collections::BTreeMap;

use proptest::prelude::*;
use webwise::goal::{Literals, Recorded, Template, overlap};

use crate::goal_pairs::profile::pick;

/// Words of several scripts, numbers, dates, signs, quotes and characters that are refused.
fn goal() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-zA-Z]{1,8}",
        "[0-9]{1,4}([.,:/-][0-9]{1,4}){0,2}",
        "[가-힣ぁ-んァ-ヶ一-龠ก-ฮא-תء-ي]{1,4}",
        "[\"'“”«»$%#+*?(){}<>.,;!-]{1,2}",
        Just("March".to_owned()),
        Just("2025".to_owned()),
        Just("年".to_owned()),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(word, 0..10).prop_map(|words| words.join(" "))
}

fn run(goal: &str, texts: [&str; 4]) -> Recorded {
    let mut fill = Literals::default();
    fill.text = Some(texts[0].to_owned());
    fill.name = Some(texts[1].to_owned());
    let mut click = Literals::default();
    click.role = Some("link".to_owned());
    click.name = Some(texts[2].to_owned());
    let mut goto = Literals::default();
    goto.url = Some(format!("https://a.example/{}?q={}#x", texts[3], texts[0]));
    Recorded::new(goal, vec![fill, click, goto])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(pick(64, 1_000)))]

    #[test]
    fn every_goal_gets_an_answer(
        (old, new) in (goal(), goal()),
        (from, length) in (0_usize..40, 0_usize..20),
        other in goal(),
    ) {
        let part: String = old.chars().skip(from).take(length).collect();
        let first = run(&old, [&part, &other, &part, &part]);
        let template = Template::compile(&first);
        let none = BTreeMap::new();
        // The recorded goal may be refused, but it renders nothing else than the record.
        if let Some(accepted) = template.matches(&old, &none).accepted() {
            prop_assert!(accepted.args.is_empty() && accepted.slots.is_empty(), "{accepted:?}");
        }
        let _ = template.matches(&new, &none);
        if let Some(both) = template.confirm(&run(&new, [&other, &other, &other, &other])) {
            let _ = both.matches(&old, &none);
        }
        let text = serde_json::to_string(&template).unwrap();
        let read: Template = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(serde_json::to_string(&read).unwrap(), text);
        prop_assert!((0.0..=1.0).contains(&overlap(&old, &new)));
    }
}
