//! Tests with controls that are not what they seem to be. Each test checks which calls the stand-in makes first without
//! advice, and which calls it makes with advice.

use serde_json::Value;

use super::super::*;
use crate::action::{BrowserTool, ToolSet};

/// A page with a form, and the other parts of a prompt that the stand-in's decision depends on: goal, tips and history.
#[derive(Default)]
struct Form {
    goal: &'static str,
    tip: &'static str,
    error_tip: &'static str,
    history: &'static [&'static str],
    page: &'static [&'static str],
    kind: &'static str,
}

impl Form {
    fn calls(&self) -> Vec<RawCall> {
        let tools = ToolSet::new(&BrowserTool::ALL.iter().copied().collect(), false, []);
        let system = format!("You may make up to 8 calls.\n\n## Goal\n{}\n", self.goal);
        let kind = if self.kind.is_empty() {
            "form"
        } else {
            self.kind
        };
        let mut lines = vec!["<<<1".to_owned()];
        lines.push("## History".to_owned());
        lines.extend(
            self.history
                .iter()
                .zip(1..)
                .map(|(line, number)| format!("{number}. {line}")),
        );
        lines.extend(
            [
                "## Page",
                "url \"https://x.example/\"",
                &format!("type {kind}"),
            ]
            .map(str::to_owned),
        );
        lines.extend(self.page.iter().map(|line| (*line).to_owned()));
        lines.push("1>>>".to_owned());
        if !self.tip.is_empty() {
            lines.extend([
                "## Tips for this site: try them first".to_owned(),
                format!("- {}", self.tip),
            ]);
        }
        if !self.error_tip.is_empty() {
            let said = [
                "## Last action failed",
                "it failed",
                "Tips from previous experience:",
            ]
            .map(str::to_owned);
            lines.extend(said);
            lines.push(format!("- {}", self.error_tip));
        }
        let request = ChatRequest::new(system, lines.join("\n"), tools.into());
        StandIn::new().decide(&request).calls
    }

    /// Returns the stand-in's calls, each as a line `tool target argument`.
    fn asks(&self) -> Vec<String> {
        let line = |call: RawCall| {
            let said = |name: &str| match &call.arguments[name] {
                Value::Null => String::new(),
                Value::String(text) => format!(" {text}"),
                other => format!(" {other}"),
            };
            format!(
                "{}{}{}{}",
                call.name,
                said("target"),
                said("text"),
                said("values")
            )
        };
        self.calls().into_iter().map(line).collect()
    }
}

const DATE: Form = Form {
    goal: "Enter 10/04/2013 as the date and hit submit.",
    page: &[
        r#"e6 textbox "Enter 10/04/2013 as the date and hit submit.""#,
        r#"e7 button "Submit""#,
    ],
    history: &[],
    tip: "",
    error_tip: "",
    kind: "",
};

#[test]
fn a_date_is_written_as_given_then_as_machines_do_and_at_once_when_told() {
    assert_eq!(DATE.asks(), ["fill e6 10/04/2013", "click e7"]);
    let history = &[
        r#"fill textbox "Enter 10/04/2013 as the date and hit submit." "10/04/2013" -> failed bad_value"#,
    ][..];
    assert_eq!(Form { history, ..DATE }.asks(), ["fill e6 2013-10-04"]);
    let tip = "fill on textbox number 1 fails because the field does not accept a value of this form: write the date as \
               YYYY-MM-DD.";
    assert_eq!(
        Form { tip, ..DATE }.asks(),
        ["fill e6 2013-10-04", "click e7"]
    );
    // Advice for the second field does not apply to the first.
    let tip = "fill on textbox number 2 fails because the field does not accept a value of this form: write the date as \
               YYYY-MM-DD.";
    assert_eq!(
        Form { tip, ..DATE }.asks(),
        ["fill e6 10/04/2013", "click e7"]
    );
}

const SPINNER: Form = Form {
    goal: "Select -3 with the spinner and hit Submit.",
    page: &[
        r#"e6 spinbutton "Select a value:" value "0""#,
        r#"e7 button """#,
        r#"e11 button "Submit""#,
    ],
    ..DATE
};

#[test]
fn a_spinner_is_taken_for_a_list_until_it_is_known_better() {
    assert_eq!(SPINNER.asks(), [r#"select e6 ["-3"]"#, "click e11"]);
    let history = &[r#"select spinbutton "Select a value:" ["-3"] -> failed wrong_element"#][..];
    assert_eq!(Form { history, ..SPINNER }.asks(), ["fill e6 -3"]);
    let tip = "select on spinbutton \"Select a value:\" fails because the target is not the kind of element this tool works \
               on: fill it instead.";
    assert_eq!(Form { tip, ..SPINNER }.asks(), ["fill e6 -3", "click e11"]);
}

const ITEM: Form = Form {
    goal: "Enter an item that starts with \"Azer\" and ends with \"an\".",
    page: &[r#"e5 textbox "Tags:""#, r#"e6 button "Submit""#],
    ..DATE
};

#[test]
fn a_list_that_opens_by_typing_is_typed_into_and_chosen_from() {
    assert_eq!(ITEM.asks(), [r#"select e5 ["Azer"]"#]);
    let tip = "select on textbox \"Tags:\" fails because the target is not the kind of element this tool works on: click it, \
               type the text to open its list, then click the choice.";
    assert_eq!(Form { tip, ..ITEM }.asks(), ["click e5", "type Azer"]);
    let history = &[r#"click textbox "Tags:""#, r#"type "Azer""#][..];
    assert_eq!(
        Form { history, ..ITEM }.asks(),
        ["wait"],
        "the list may be on its way"
    );
    let open = &[
        r#"e5 textbox "Tags:" value "Azer""#,
        r#"- e8 listitem "Azerbaijan" [clickable]"#,
        r#"e6 button "Submit""#,
    ][..];
    assert_eq!(
        Form {
            history,
            page: open,
            ..ITEM
        }
        .asks(),
        ["click e8"]
    );
    let chosen = &[
        r#"e5 textbox "Tags:" value "Azerbaijan""#,
        r#"e6 button "Submit""#,
    ][..];
    let history = &[
        r#"click textbox "Tags:""#,
        r#"type "Azer""#,
        r#"click listitem "Azerbaijan""#,
    ][..];
    assert_eq!(
        Form {
            history,
            page: chosen,
            ..ITEM
        }
        .asks(),
        ["finish"],
        "nobody asked to send it"
    );
}

const CALENDAR: Form = Form {
    goal: "Select 12/05/2016 as the date and hit submit.",
    page: &[r#"e6 textbox "Date:""#, r#"e7 button "Submit""#],
    ..DATE
};

#[test]
fn a_calendar_is_opened_when_told_and_the_day_is_chosen_in_it() {
    assert_eq!(CALENDAR.asks(), ["fill e6 12/05/2016", "click e7"]);
    let tip = "fill on textbox \"Date:\" fails because the target is not an editable field: click it to open its list, then \
               click the choice.";
    assert_eq!(Form { tip, ..CALENDAR }.asks(), ["click e6"]);
    let page = &[
        r#"e6 textbox "Date:""#,
        r#"- e8 link "4" | e9 link "5" | e10 link "12""#,
        r#"e7 button "Submit""#,
    ][..];
    let history = &[r#"click textbox "Date:""#][..];
    assert_eq!(
        Form {
            tip,
            history,
            page,
            ..CALENDAR
        }
        .asks(),
        ["click e9", "click e7"]
    );
    // Without advice, the stand-in finds the same way after typing has failed.
    let history = &[
        r#"fill textbox "Date:" "12/05/2016" -> failed not_editable"#,
        r#"click textbox "Date:""#,
        r#"type "12/05/2016" -> no_effect"#,
    ][..];
    assert_eq!(
        Form {
            history,
            page,
            ..CALENDAR
        }
        .asks(),
        ["click e9"]
    );
}

#[test]
fn a_question_that_comes_uncalled_is_declined_and_what_memory_warns_of_is_done_alone() {
    let form = Form {
        goal: "Enter the username \"ada\" and the password \"pw\" and press login.",
        page: &[
            r#"e7 textbox "Username""#,
            r#"e9 textbox "Password""#,
            r#"e10 button "OK""#,
        ],
        kind: "login",
        ..DATE
    };
    assert_eq!(form.asks(), ["fill e7 ada", "fill e9 pw", "click e10"]);
    let tip = "fill on textbox \"Password\" fails because the target is disabled: click button \"Cancel\" first.";
    assert_eq!(Form { tip, ..form }.asks(), ["fill e7 ada"]);
    let page = &[
        r#"e7 textbox "Username" value "ada" [disabled]"#,
        r#"e9 textbox "Password" [disabled]"#,
        r#"e10 button "OK" [disabled]"#,
        r#"e11 button "OK""#,
        r#"e12 button "Cancel""#,
        r#""Exit to home page?""#,
    ][..];
    let history = &[r#"fill textbox "Username" "ada""#][..];
    assert_eq!(
        Form {
            history,
            page,
            ..form
        }
        .asks(),
        ["click e12"]
    );
}

#[test]
fn the_button_that_closes_is_found_without_its_name() {
    let form = Form {
        goal: "Click \"Prices\".",
        page: &[
            r#"e1 button "Details""#,
            r#"e2 button "Allow gladly""#,
            r#"e3 button "Prices""#,
        ],
        history: &[r#"click button "Prices" -> failed intercepted"#],
        error_tip: "If click fails because another element covers the target: first click the button that closes what covers it.",
        kind: "dialog_blocking",
        ..DATE
    };
    assert_eq!(form.asks(), ["click e2"]);
    assert_eq!(
        Form {
            error_tip: "",
            ..form
        }
        .asks(),
        ["click e3"],
        "the naive second try"
    );
}

#[test]
fn a_form_is_sent_only_if_the_goal_says_so() {
    let form = Form {
        goal: "Set the name to \"Ada\".",
        history: &[r#"fill textbox "Name" "Ada""#],
        page: &[r#"e1 textbox "Name" value "Ada""#, r#"e2 button "Submit""#],
        ..DATE
    };
    assert_eq!(form.asks(), ["finish"]);
    let goal = "Set the name to \"Ada\" and submit.";
    assert_eq!(Form { goal, ..form }.asks(), ["click e2"]);
}

#[test]
fn a_login_that_was_lost_is_filled_in_again_before_it_is_sent() {
    let login = Form {
        goal: "Log in as \"Ada\" with the password <secret:PIN>.",
        history: &[
            r#"fill textbox "Name" "Ada""#,
            r#"fill textbox "Password" "<secret:PIN>""#,
        ],
        page: &[
            r#"e1 textbox "User name""#,
            r#"e2 textbox "Password""#,
            r#"e3 button "Log in""#,
        ],
        kind: "login",
        ..DATE
    };
    assert_eq!(
        login.asks(),
        ["fill e1 Ada", "fill e2 <secret:PIN>", "click e3"]
    );
}

const UNLABELLED: Form = Form {
    goal: "Log in as \"ada\" with the password \"lace\".",
    page: &[
        r#"search: e1 textbox "" name "@search_text" | e2 button "Search""#,
        r#"e3 textbox "Login" [required] e4 textbox "" type "password" name "__login_password" e5 button "Login""#,
    ],
    ..DATE
};

#[test]
fn a_field_without_a_label_is_found_by_its_type_and_its_name_in_the_form() {
    assert_eq!(
        UNLABELLED.asks(),
        ["fill e3 ada", "fill e4 lace", "click e5"]
    );
    let form = Form {
        goal: "Set the title to \"Lift\", choose the status \"open\" and submit the entry.",
        page: &[
            r#"e1 textbox "" name "title""#,
            r#"e2 combobox "" value "new" options "new" "open" name "priority""#,
            r#"e3 combobox "" value "new" options "new" "open" name "status""#,
            r#"e4 button "Submit entry""#,
        ],
        ..DATE
    };
    assert_eq!(
        form.asks(),
        ["fill e1 Lift", r#"select e3 ["open"]"#, "click e4"]
    );
    // Without a password beside it, "Login" is no name to log in with.
    let form = Form {
        page: &[r#"e3 textbox "Login" e6 textbox "Code""#],
        ..UNLABELLED
    };
    assert!(form.asks().iter().all(|call| !call.starts_with("fill")));
}

#[test]
fn a_search_goes_to_the_field_that_is_called_search() {
    let form = Form {
        goal: "Search for \"choir\".",
        page: &[
            r#"e1 searchbox "Filter the menu""#,
            r#"e2 textbox "Search" | e3 button "Search""#,
        ],
        ..DATE
    };
    assert_eq!(form.asks(), ["fill e2 choir", "click e3"]);
    let form = Form {
        page: &[r#"e1 searchbox "What do you need?" | e3 button "Search""#],
        ..form
    };
    assert_eq!(form.asks(), ["fill e1 choir", "click e3"]);
}

#[test]
fn a_field_may_be_called_starts() {
    let form = Form {
        goal: "Set the starts to \"19:30\" and set the ends to \"20:15\".",
        page: &[r#"e1 textbox "Starts:" e2 textbox "Ends:""#],
        ..DATE
    };
    assert_eq!(form.asks(), ["fill e1 19:30", "fill e2 20:15"]);
}
