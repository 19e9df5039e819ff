//! What the fakes know of the tool: how it reads a command line, and what it answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A command line as the tool reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// Everything that was taken as an option; one without a value is `true` or `false`.
    pub(crate) options: BTreeMap<String, String>,
    /// The command and what follows it.
    pub(crate) words: Vec<String>,
}

/// Options of the tool that take no value.
const SWITCHES: [&str; 7] = ["submit", "all", "g", "help", "json", "raw", "version"];

/// Reads a command line as the tool's own parser does (`minimist.js` of playwright-cli 0.1.22): what begins with `-` is an
/// option up to the first `--`, and may take the next word with it.
pub(crate) fn read(arguments: &[String]) -> Line {
    let end = arguments
        .iter()
        .position(|argument| argument == "--")
        .unwrap_or(arguments.len());
    let (before, after) = arguments.split_at(end);
    let mut line = Line::default();
    let is_flag = |text: &str| {
        text.strip_prefix("--")
            .or(text.strip_prefix('-'))
            .is_some_and(|t| !t.is_empty() && !t.starts_with('-'))
    };
    let mut at = 0;
    while let Some(argument) = before.get(at) {
        at += 1;
        let next = before.get(at).filter(|next| !is_flag(next));
        let mut set =
            |name: &str, value: &str| _ = line.options.insert(name.to_owned(), value.to_owned());
        if let Some(long) = argument.strip_prefix("--") {
            match long.split_once('=') {
                Some((name, value)) if !name.is_empty() => set(name, value),
                _ => match (long.strip_prefix("no-"), next) {
                    (Some(name), _) => set(name, "false"),
                    (None, Some(value)) if !SWITCHES.contains(&long) => {
                        set(long, value);
                        at += 1;
                    }
                    _ => set(long, "true"),
                },
            }
        } else if let Some(short) = argument
            .strip_prefix('-')
            .filter(|s| s.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            match short.split_once('=') {
                Some((letters, value)) => {
                    letters
                        .chars()
                        .for_each(|letter| set(&letter.to_string(), "true"));
                    set(
                        &letters.chars().next_back().unwrap_or('-').to_string(),
                        value,
                    );
                }
                None => match (short.len(), next) {
                    (1, Some(value)) if !SWITCHES.contains(&short) => {
                        set(short, value);
                        at += 1;
                    }
                    _ => short
                        .chars()
                        .for_each(|letter| set(&letter.to_string(), "true")),
                },
            }
        } else {
            line.words.push(argument.clone());
        }
    }
    line.words.extend(after.iter().skip(1).cloned());
    line
}

/// How a fake answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// As the tool does when all went well.
    Fine,
    /// With its help and without an error, as the tool does for `fill e1 --help`.
    Help,
}

/// The first bytes of a picture, and no more.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Address and title that the fakes always show.
const PAGE: &str = "### Page\n- Page URL: http://127.0.0.1/fake\n- Page Title: ℵ";
const HELP: &str = "playwright-cli fill <target> <text>\n\nFill text into editable element\n\nOptions:\n  --submit   press enter after";

/// The text that the tool prints after a command that went well; a picture that it was told to write is written.
pub(crate) fn answer(line: &Line, mood: Mood) -> String {
    if mood == Mood::Help {
        return HELP.to_owned();
    }
    let ran = |code: &str| format!("### Ran Playwright code\n```js\n{code}\n```\n{PAGE}");
    let command = line.words.first().map_or("", String::as_str);
    match command {
        "goto" => ran("await page.goto('x');"),
        "click" | "dblclick" | "hover" | "check" | "uncheck" | "fill" => ran(&format!(
            "await page.getByRole('textbox', {{ name: 'x' }}).{command}('x');"
        )),
        "type" => ran("// Press x\nawait page.keyboard.type('x');"),
        "press" => ran("// Press x\nawait page.keyboard.press('x');"),
        "select" => ran("await page.locator('select').selectOption('x');"),
        "drag" => ran("await page.locator('p').dragTo(page.locator('body'));"),
        "upload" => ran("await fileChooser.setFiles([\"x\"])"),
        "state-save" => ran("await page.context().storageState({ path: 'x' });"),
        "state-load" => ran("await page.context().setStorageState('x');"),
        "dialog-accept" | "dialog-dismiss" => PAGE.to_owned(),
        "snapshot" => format!("{PAGE}\n### Snapshot\n```yaml\n- main [ref=e1]: ℵ\n```"),
        "tab-list" | "tab-new" | "tab-select" => {
            "### Result\n- 0: (current) [ℵ](http://127.0.0.1/fake)".to_owned()
        }
        "eval" => format!("### Result\n1\n{}", ran("await page.evaluate('x');")),
        "run-code" => format!(
            "### Result\n{{\"done\":true}}\n{}",
            ran("await (async page => {})(page);")
        ),
        "screenshot" => {
            if let Some(file) = line.options.get("filename") {
                std::fs::write(file, PNG).expect("the driver names a file that can be written");
            }
            ran("await page.screenshot();")
        }
        _ => "### Error\nError: the fake knows no such command".to_owned(),
    }
}

/// The `args` of a line to the daemon as a command line.
pub(crate) fn line_of(args: &Value) -> Line {
    let words = args["_"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let options = args
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| *name != "_");
    Line {
        options: options
            .map(|(name, value)| (name.clone(), text(value)))
            .collect(),
        words,
    }
}

/// The `args` of a line to the daemon that mean this command line.
pub(crate) fn args_of(line: &Line) -> Value {
    let mut args = json!({ "_": line.words });
    for (name, value) in &line.options {
        args[name] = if value == "true" {
            json!(true)
        } else {
            json!(value)
        };
    }
    args
}
