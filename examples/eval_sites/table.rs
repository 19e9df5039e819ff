//! The figures of a site, as a table.

use serde_json::Value;

/// The figures of a column, with their heading and number of decimals.
const COLUMNS: [(&str, &str, usize); 7] = [
    ("success", "success", 2),
    ("steps", "steps", 1),
    ("failed_actions", "failed", 1),
    ("model_calls", "calls", 1),
    ("tokens_in", "tokens in", 0),
    ("tokens_out", "tokens out", 0),
    ("seconds", "seconds", 1),
];

/// Returns the lines of the table: the means of each case and arm, then the differences over all cases.
pub(crate) fn lines(site: &str, figures: &Value) -> Vec<String> {
    let titles = COLUMNS.map(|(_, title, _)| format!("{title:>10}"));
    let mut lines = vec![format!("{site:<34} {:<8} {}", "arm", titles.join(" "))];
    let all = &figures["all"];
    for group in items(&figures["cases"]).chain([all]) {
        let mut name = group["case"].as_str().unwrap_or("all cases");
        for arm in items(&group["arms"]) {
            let means = COLUMNS.map(|(figure, _, decimals)| {
                format!("{:>10.decimals$}", number(&arm["means"][figure]))
            });
            let arm = text(&arm["arm"]);
            lines.push(format!("{name:<34} {arm:<8} {}", means.join(" ")));
            name = "";
        }
    }
    for comparison in items(&all["comparisons"]) {
        let (of, with) = (text(&comparison["of"]), text(&comparison["with"]));
        let pairs = &comparison["pairs"];
        lines.push(format!(
            "{of} against {with}, {pairs} pairs: mean difference [95 % interval]"
        ));
        lines.extend(COLUMNS.map(|(figure, title, _)| {
            let difference = &comparison["differences"][figure];
            let by = number(&difference["difference"]);
            let [from, to] = [0, 1].map(|end| number(&difference["interval"][end]));
            let share = difference["share"].as_f64();
            let share = share.map_or_else(String::new, |share| format!("{:+.1} %", 100.0 * share));
            format!("  {title:<10} {by:>+10.2} {share:>9} [{from:+.2} to {to:+.2}]")
        }));
    }
    lines
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}
