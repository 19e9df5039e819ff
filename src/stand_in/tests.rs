//! Tests of whole tasks on the site of a small library, which has the obstacles of real sites. The site is not this
//! crate's demo shop, and no label of the site occurs in the shop. So these tests do not pass merely because the
//! stand-in was written for the shop.

mod controls;
mod library;
mod prompts;

use serde_json::json;

use self::{
    library::{Library, Rules},
    prompts::{Report, goal_only, run, site_tip, tip},
};
use super::*;
use crate::{
    action::{ErrorClass, parse_calls},
    base::Trust,
    memory::{Advice, PageName, Piece, Section},
    page::Role,
};

const GOAL: &str = "Log in as \"ada\" with the password <secret:CARD_PIN>. Search for \"mechanical computing\" and open \
    \"Mechanical Computing\". Choose the branch \"Harbour\", accept the conditions and place the reservation. Then report \
    the reservation code.";

fn task(rules: Rules, advice: &[Advice]) -> Report {
    run(GOAL, Library::new(rules), advice)
}

#[test]
fn a_site_without_obstacles_is_done_without_a_failure() {
    let report = task(Rules::default(), &[]);
    assert_eq!(
        report.answer.as_deref(),
        Some("reservation code: LB-2207"),
        "{:#?}",
        report.log
    );
    assert_eq!(
        (report.failures, report.evidence.as_str()),
        (0, "Reservation code: LB-2207")
    );
    assert!(report.calls <= 7, "{:#?}", report.log);
}

#[test]
fn an_overlay_is_walked_into_at_first_sight_and_cleared_at_once_with_a_tip() {
    let rules = Rules {
        overlay: true,
        ..Rules::default()
    };
    let first = task(rules, &[]);
    assert!(first.success, "{:#?}", first.log);
    assert_eq!(first.log[0], r#"click link "Sign in" -> intercepted"#);
    assert_eq!(first.log[1], first.log[0], "the naive second try");
    let tip = site_tip(
        "click on link \"Sign in\" fails because another element covers the target: click button \"I agree\" first.",
    );
    let second = task(rules, &[tip]);
    assert!(second.success && second.failures == 0, "{:#?}", second.log);
    assert_eq!(second.log[0], r#"click button "I agree" -> done"#);
    assert!(
        second.calls < first.calls,
        "{} and {}",
        second.calls,
        first.calls
    );
}

#[test]
fn the_names_of_a_tip_are_read_from_the_data() {
    let rules = Rules {
        overlay: true,
        ..Rules::default()
    };
    let name = |role, name: &str| Piece::Name(PageName::new(&role, name, None));
    let words = |words: &str| Piece::Words(words.to_owned());
    let pieces = [
        words("click on "),
        name(Role::Link, "Sign in"),
        words(" fails because another element covers the target: click "),
        name(Role::Button, "I agree"),
        words(" first."),
    ];
    let id = site_tip("").id().clone();
    let tip = Advice::with_names(id, pieces, Trust::Code, Section::SiteTips).unwrap();
    let report = task(rules, &[tip]);
    assert!(report.success && report.failures == 0, "{:#?}", report.log);
    assert_eq!(report.log[0], r#"click button "I agree" -> done"#);
}

#[test]
fn a_tip_that_does_not_help_is_followed_once() {
    let rules = Rules {
        overlay: true,
        ..Rules::default()
    };
    let escape = tip(
        Section::ErrorTips,
        "If click fails because another element covers the target: first press Escape.",
    );
    let report = task(rules, &[escape]);
    assert!(report.success, "{:#?}", report.log);
    assert_eq!(
        report
            .log
            .iter()
            .filter(|line| line.contains("Escape"))
            .count(),
        1,
        "{:#?}",
        report.log
    );
}

#[test]
fn the_covered_search_button_is_clicked_at_first_sight_and_not_with_a_lesson() {
    let rules = Rules {
        suggestions: true,
        ..Rules::default()
    };
    let first = task(rules, &[]);
    assert!(first.success && first.failures == 2, "{:#?}", first.log);
    let lesson = tip(
        Section::Lessons,
        "After filling a search box, press Enter, not its button.",
    );
    for advice in [
        lesson,
        site_tip("click on button \"Search\" fails: press Enter."),
    ] {
        let second = task(rules, &[advice]);
        assert!(
            second.success && second.failures == 0 && second.calls < first.calls,
            "{:#?}",
            second.log
        );
    }
}

#[test]
fn a_key_that_empties_the_field_is_noticed() {
    let rules = Rules {
        suggestions: true,
        ..Rules::default()
    };
    let report = task(
        rules,
        &[site_tip("click on button \"Search\" fails: press Escape.")],
    );
    assert!(report.success, "{:#?}", report.log);
}

#[test]
fn a_field_that_cannot_be_filled_is_clicked_and_typed_into() {
    let rules = Rules {
        stubborn_field: true,
        ..Rules::default()
    };
    let first = task(rules, &[]);
    assert!(first.success && first.failures == 2, "{:#?}", first.log);
    let lesson = tip(
        Section::ErrorTips,
        "If fill fails because the target is not an editable field: click it, then type the text.",
    );
    let second = task(rules, &[lesson]);
    assert!(second.success && second.failures == 1, "{:#?}", second.log);
    let known = site_tip("fill on textbox \"User name\" fails: click it, then type the text.");
    let third = task(rules, &[known]);
    assert!(third.success && third.failures == 0, "{:#?}", third.log);
}

#[test]
fn who_is_logged_in_does_not_log_in_again() {
    let rules = Rules {
        logged_in: true,
        ..Rules::default()
    };
    let report = task(rules, &[]);
    assert!(
        report.success && !report.log.iter().any(|line| line.contains("Password")),
        "{:#?}",
        report.log
    );
}

#[test]
fn a_login_that_the_page_asks_for_again_is_no_success() {
    let history = "## History\n1. fill textbox \"Username\" \"ada\"\n2. fill textbox \"Password\" \"<secret:CARD_PIN>\"\n\
                   3. click button \"Log in\"\n";
    let form = "e1 textbox \"Username\"\ne2 textbox \"Password\" type \"password\"\ne3 button \"Log in\"\n";
    let mut request = goal_only("Log in as \"ada\" with the password <secret:CARD_PIN>.");
    let mut finished = |body: &str| {
        request.message = format!(
            "{history}## Page\n<<<1\nurl \"https://library.example/\"\ntitle \"Library\"\n{body}1>>>\n"
        );
        let call = StandIn::new().decide(&request).calls[0].clone();
        assert_eq!(call.name, "finish", "{call:?}");
        call.arguments["success"].clone()
    };
    assert_eq!(finished("\"Welcome, Ada\"\ne9 button \"Log out\"\n"), true);
    assert_eq!(finished(&format!("\"Wrong password\"\n{form}")), false);
}

#[test]
fn an_action_that_is_not_allowed_ends_the_task_at_once() {
    for (class, why) in [
        (ErrorClass::Blocked, "not allowed"),
        (ErrorClass::Rejected, "approval"),
    ] {
        let rules = Rules {
            forbidden: Some(class),
            ..Rules::default()
        };
        let report = task(rules, &[]);
        assert!(!report.success && report.failures == 1, "{:#?}", report.log);
        assert!(report.answer.unwrap().contains(why));
    }
}

#[test]
fn what_is_not_there_is_given_up_after_a_bounded_search() {
    let report = run(
        "Open \"Unobtainable\" and report the price",
        Library::new(Rules::default()),
        &[],
    );
    assert!(!report.success && report.calls < 10, "{:#?}", report.log);
}

#[test]
fn a_goal_without_an_instruction_is_given_up() {
    let reply = StandIn::new().decide(&goal_only("Be nice."));
    assert_eq!(
        (
            reply.calls[0].name.as_str(),
            &reply.calls[0].arguments["success"]
        ),
        ("finish", &json!(false))
    );
    let told = reply.calls[0].arguments["answer"].as_str().unwrap();
    assert!(told.contains("needs a language model"), "{told}");
}

#[test]
fn equal_requests_give_equal_replies_and_no_reply_is_longer_than_allowed() {
    let mut request = goal_only("Go to https://library.example/ and press Enter");
    let reply = StandIn::new().decide(&request);
    assert_eq!(reply, StandIn::new().decide(&request));
    assert_eq!(reply.calls.len(), 1);
    request.system = request.system.replace("up to 5", "up to 1");
    assert_eq!(StandIn::new().decide(&request).calls.len(), 1);
    assert_eq!(reply.usage, None);
}

#[test]
fn in_schema_mode_the_reply_is_text_that_follows_the_schema() {
    let mut request = goal_only("Go to https://library.example/");
    request.mode = CallMode::JsonSchema;
    let reply = StandIn::new()
        .with_mode(CallMode::JsonSchema)
        .decide(&request);
    assert_eq!(
        reply.text,
        r#"{"calls":[{"action":"goto","url":"https://library.example/"}]}"#
    );
    let read = parse_calls(&reply.calls, &reply.text, &request.tools).unwrap();
    assert_eq!(
        read[0].as_ref().unwrap().line(),
        r#"goto {"url":"https://library.example/"}"#
    );
}
