//! The case file of an evaluation: its format, and its parser.
//!
//! ```json
//! { "version": 1, "cases": [ {
//!     "name": "order a jacket",
//!     "goal": "Log in as <param:user> with <secret:PASSWORD> and order the jacket in size M.",
//!     "url": "https://shop.example/?seed={seed}",
//!     "setup": "https://shop.example/reset",
//!     "parameters": { "user": "demo" },
//!     "secrets": ["PASSWORD=SHOP_PASSWORD@https://shop.example"],
//!     "allow": ["pay.example"],
//!     "success": { "text": "Thank you", "url": "*/orders/*", "javascript": "document.forms.length == 0", "answer": "FW-1" },
//!     "variants": [ { "goal": "... in size L." } ]
//! } ] }
//! ```
//!
//! `name`, `goal`, `url` and `success` must be given. All conditions of `success` must hold. `variants` are other values of
//! the same task: each replaces the fields that it names. An evaluation repeats each case several times; each repetition is
//! called a seed. `{seed}` in an address stands for a number that differs from seed to seed. All measured runs of a seed have
//! the same number; a run that fills a memory for them has a different one.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use super::field::{Field, Wrong};
use crate::{
    action::ParameterName,
    base::{Site, text},
};

const VERSION: u64 = 1;
/// Maximum number of cases in a file, and of sets of values in a case. Source: chosen; each set takes several runs.
const MAX_CASES: usize = 200;
/// Maximum length of a case's name. Unit: characters. Source: chosen; a name is a heading in the printed table.
const MAX_NAME: usize = 80;
const SEED: &str = "{seed}";
/// Fields of a case that a variant may replace.
const VALUES: [&str; 7] = [
    "goal",
    "url",
    "setup",
    "parameters",
    "secrets",
    "allow",
    "success",
];

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The values of the case itself, followed by the values of its variants.
    pub(crate) values: Vec<Values>,
}

/// A set of values with which a case can be run: the case's own values, or those of a variant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Values {
    pub(crate) goal: String,
    url: String,
    setup: Option<String>,
    pub(crate) parameters: Vec<(ParameterName, String)>,
    /// The secrets. Each has its place in the file, such as `cases[0].secrets[0]`, and its definition, written as for the
    /// flag `--secret` of `run`.
    pub(crate) secrets: Vec<(String, String)>,
    pub(crate) allow: Vec<Site>,
    pub(crate) success: Success,
}

impl Values {
    pub(crate) fn url(&self, seed: u32) -> String {
        self.url.replace(SEED, &seed.to_string())
    }

    pub(crate) fn setup(&self, seed: u32) -> Option<String> {
        let setup = self.setup.as_ref();
        setup.map(|setup| setup.replace(SEED, &seed.to_string()))
    }
}

/// The conditions under which a run has reached its goal. All given conditions must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Success {
    /// Words that must appear on the run's last page in this order, with no others between them.
    pub(crate) text: Option<String>,
    /// The pattern that the address of the run's last page must match; `*` stands for any characters.
    pub(crate) url: Option<String>,
    /// A JavaScript expression that must be true on the run's last page.
    pub(crate) javascript: Option<String>,
    /// Words that must appear in the run's answer in this order, with no others between them.
    pub(crate) answer: Option<String>,
}

pub(crate) fn parse(file: &str) -> Result<Vec<Case>, Wrong> {
    let document: Value = serde_json::from_str(file).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        Wrong::new(place, format!("is not JSON: {error}"))
    })?;
    let root = Field::root(&document);
    root.only(&["version", "cases"])?;
    let version = root.need("version")?;
    if version.number()? != VERSION {
        return Err(version.wrong(format!("must be {VERSION}")));
    }
    let list = root.need("cases")?;
    let items = list.items()?;
    if !(1..=MAX_CASES).contains(&items.len()) {
        return Err(list.wrong(format!("must hold 1 to {MAX_CASES} cases")));
    }
    let mut names = BTreeSet::new();
    let cases = items.iter().map(|item| {
        let case = case(item)?;
        if !names.insert(case.name.clone()) {
            return Err(item.need("name")?.wrong("is the name of an earlier case"));
        }
        Ok(case)
    });
    cases.collect()
}

fn case(field: &Field<'_>) -> Result<Case, Wrong> {
    field.only(&[&["name"][..], &VALUES, &["variants"]].concat())?;
    let named = field.need("name")?;
    let name = text::squeeze(&text::clean(named.text()?));
    if name.chars().count() > MAX_NAME {
        return Err(named.wrong(format!("must have at most {MAX_NAME} characters")));
    }
    let own = Values {
        goal: goal(&field.need("goal")?)?,
        url: address(&field.need("url")?)?,
        setup: None,
        parameters: Vec::new(),
        secrets: Vec::new(),
        allow: Vec::new(),
        success: success(&field.need("success")?)?,
    };
    let own = replaced(own, field)?;
    let mut values = vec![own.clone()];
    if let Some(list) = field.get("variants")? {
        for variant in list.items()? {
            variant.only(&VALUES)?;
            values.push(replaced(own.clone(), &variant)?);
        }
        if values.len() > MAX_CASES {
            return Err(list.wrong(format!("must be fewer than {MAX_CASES}")));
        }
    }
    Ok(Case { name, values })
}

/// Returns `values` with the changes that the object `field` makes: each of its fields replaces the value of that name.
fn replaced(mut values: Values, field: &Field<'_>) -> Result<Values, Wrong> {
    if let Some(given) = field.get("goal")? {
        values.goal = goal(&given)?;
    }
    if let Some(given) = field.get("url")? {
        values.url = address(&given)?;
    }
    if let Some(given) = field.get("setup")? {
        values.setup = Some(address(&given)?);
    }
    if let Some(given) = field.get("parameters")? {
        let parse = |(name, value): (&str, Field<'_>)| {
            let wrong = |_| value.wrong("needs a name of letters, digits and `_`");
            let name = ParameterName::parse(name).map_err(wrong)?;
            Ok((name, value.text()?.to_owned()))
        };
        values.parameters = given
            .entries()?
            .into_iter()
            .map(parse)
            .collect::<Result<_, Wrong>>()?;
    }
    if let Some(given) = field.get("secrets")? {
        let parse = |item: &Field<'_>| Ok((item.place().to_owned(), item.text()?.to_owned()));
        values.secrets = given
            .items()?
            .iter()
            .map(parse)
            .collect::<Result<_, Wrong>>()?;
    }
    if let Some(given) = field.get("allow")? {
        values.allow = given.items()?.iter().map(site).collect::<Result<_, _>>()?;
    }
    if let Some(given) = field.get("success")? {
        values.success = success(&given)?;
    }
    // The set-up page must have the origin of the start address. Otherwise the browser would leave it before the run sees
    // it, or the run would refuse to leave it.
    let origin = |address: &str| Url::parse(&address.replace(SEED, "1")).map(|url| url.origin());
    let is_elsewhere = |setup: &String| origin(setup) != origin(&values.url);
    if values.setup.as_ref().is_some_and(is_elsewhere) {
        let place = field.get("setup")?.or(field.get("url")?);
        let why = "the set-up page must be of the same origin as the start address";
        return Err(place.map_or_else(|| field.wrong(why), |place| place.wrong(why)));
    }
    Ok(values)
}

fn goal(field: &Field<'_>) -> Result<String, Wrong> {
    field.text().map(str::to_owned)
}

/// Returns the field's text. Fails if it is not an address that a browser may open. The address may contain `{seed}`.
fn address(field: &Field<'_>) -> Result<String, Wrong> {
    let given = field.text()?;
    let url = Url::parse(&given.replace(SEED, "1"))
        .map_err(|_| field.wrong("must be a whole address such as https://example.com/"))?;
    if Site::of(&url).is_err() {
        return Err(field.wrong("must be an http or https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(field.wrong("must not hold a user name or password; use secrets"));
    }
    Ok(given.to_owned())
}

fn site(field: &Field<'_>) -> Result<Site, Wrong> {
    let given = field.text()?;
    let whole = if given.contains("://") {
        given.to_owned()
    } else {
        format!("https://{given}/")
    };
    let site = Url::parse(&whole).ok().and_then(|url| Site::of(&url).ok());
    site.ok_or_else(|| field.wrong("must be a site such as example.com"))
}

fn success(field: &Field<'_>) -> Result<Success, Wrong> {
    field.only(&["text", "url", "javascript", "answer"])?;
    let given = |name: &str| -> Result<Option<String>, Wrong> {
        let value = field.get(name)?;
        value
            .map(|value| value.text().map(str::to_owned))
            .transpose()
    };
    // Words are compared, so the text must contain at least one.
    let words = |name: &str| {
        let given = given(name)?;
        if given
            .as_ref()
            .is_some_and(|given| text::words(given).is_empty())
        {
            return Err(field.need(name)?.wrong("must hold a letter or digit"));
        }
        Ok(given)
    };
    let success = Success {
        text: words("text")?,
        url: given("url")?,
        javascript: given("javascript")?,
        answer: words("answer")?,
    };
    if success == Success::default() {
        return Err(field.wrong("must hold text, url, javascript or answer"));
    }
    Ok(success)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn minimal() -> Value {
        json!({
            "name": "look", "goal": "Look", "url": "http://127.0.0.1:80/?n={seed}", "success": { "text": "Done" }
        })
    }

    fn with(name: &str, value: Value) -> Result<Vec<Case>, Wrong> {
        let mut case = minimal();
        case[name] = value;
        parse(&json!({ "version": 1, "cases": [case] }).to_string())
    }

    fn mistake(name: &str, value: Value) -> String {
        with(name, value).unwrap_err().to_string()
    }

    #[test]
    fn a_variant_replaces_the_fields_that_it_names() {
        let cases = with(
            "variants",
            json!([{ "goal": "Look again", "parameters": { "n": "2" } }, { "success": { "url": "*/x" } }]),
        )
        .unwrap();
        let [own, other, third] = &cases[0].values[..] else {
            panic!("three values: {cases:?}");
        };
        assert_eq!(
            (own.goal.as_str(), other.goal.as_str(), third.goal.as_str()),
            ("Look", "Look again", "Look")
        );
        assert_eq!((own.parameters.len(), other.parameters.len()), (0, 1));
        assert_eq!(other.success, own.success);
        assert_eq!(
            (&third.success.text, third.success.url.as_deref()),
            (&None, Some("*/x"))
        );
    }

    #[test]
    fn the_seed_stands_in_addresses() {
        let cases = with("setup", json!("http://127.0.0.1:80/reset/{seed}")).unwrap();
        let values = &cases[0].values[0];
        assert_eq!(values.url(7), "http://127.0.0.1:80/?n=7");
        assert_eq!(
            values.setup(12).as_deref(),
            Some("http://127.0.0.1:80/reset/12")
        );
    }

    #[test]
    fn every_mistake_is_named_with_its_place() {
        for (name, value, place) in [
            ("name", json!(""), "cases[0].name: "),
            ("name", json!("x".repeat(81)), "cases[0].name: "),
            ("goal", json!(7), "cases[0].goal: "),
            ("url", json!("example.com"), "cases[0].url: "),
            ("url", json!("file:///etc/passwd"), "cases[0].url: "),
            ("url", json!("javascript:alert(1)"), "cases[0].url: "),
            ("url", json!("http://a:b@127.0.0.1/"), "cases[0].url: "),
            ("setup", json!("http://127.0.0.1:81/"), "cases[0].setup: "),
            (
                "parameters",
                json!({ "a b": "x" }),
                "cases[0].parameters.a b: ",
            ),
            ("parameters", json!({ "a": 1 }), "cases[0].parameters.a: "),
            ("secrets", json!([1]), "cases[0].secrets[0]: "),
            ("allow", json!(["a b"]), "cases[0].allow[0]: "),
            ("success", json!({}), "cases[0].success: "),
            ("success", json!({ "text": "-" }), "cases[0].success.text: "),
            (
                "success",
                json!({ "command": "ls" }),
                "cases[0].success.command: ",
            ),
            (
                "variants",
                json!([{}, { "name": "x" }]),
                "cases[0].variants[1].name: ",
            ),
            (
                "variants",
                json!([{ "url": "x" }]),
                "cases[0].variants[0].url: ",
            ),
            ("run", json!("ls"), "cases[0].run: "),
        ] {
            let said = mistake(name, value);
            assert!(said.starts_with(place), "{said}");
        }
        assert_eq!(mistake("goal", Value::Null), "cases[0].goal: is missing");
    }

    #[test]
    fn the_document_has_a_version_and_cases_of_different_names() {
        let said = |document: &str| parse(document).unwrap_err().to_string();
        assert!(said("{\n  x").starts_with("line 2 column 3: is not JSON"));
        assert_eq!(said("{}"), "version: is missing");
        assert_eq!(said(r#"{"version": 2, "cases": []}"#), "version: must be 1");
        assert!(said(r#"{"version": 1, "cases": []}"#).starts_with("cases: "));
        assert_eq!(said("[]"), "must be an object");
        let twice = json!({ "version": 1, "cases": [minimal(), minimal()] });
        assert_eq!(
            said(&twice.to_string()),
            "cases[1].name: is the name of an earlier case"
        );
    }
}
