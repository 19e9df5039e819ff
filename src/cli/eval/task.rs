//! Turns a case into the task of a run.

use crate::{
    Error, Task,
    cli::{Refusal, values},
    eval::{Case, Values},
    secret::Redactor,
};

/// Returns the task of a case with these values. Also returns a redactor, which removes the task's secrets from texts.
/// `number` replaces `{seed}` in addresses.
pub(super) fn of(case: &Case, values: &Values, number: u32) -> Result<(Task, Redactor), Refusal> {
    let wrong = |why: &str| Refusal::usage(format!("the case {:?}: {why}", case.name));
    let refused = |error: Error| {
        let context = error.context().iter();
        let why: Vec<String> = context.map(|(key, why)| format!("{key} {why}")).collect();
        wrong(&why.join(", "))
    };
    let mut sources = Vec::new();
    for (place, source) in &values.secrets {
        let source = values::secret(source).map_err(|why| wrong(&format!("{place}: {why}")))?;
        sources.push(source);
    }
    let vault = values::vault(&sources, |name| std::env::var(name))?;
    let redactor = vault.redactor();
    let mut task = Task::new(values.goal.as_str())
        .and_then(|task| task.with_start_url(&values.url(number)))
        .map_err(refused)?
        .with_secrets(vault);
    for (name, value) in &values.parameters {
        task = task.with_parameter(name.clone(), value.as_str());
    }
    for site in &values.allow {
        task = task.with_allowed(site.clone());
    }
    match task.missing_secrets().first() {
        Some(name) => Err(wrong(&format!(
            "the goal names <secret:{name}>, but `secrets` has no source of it"
        ))),
        None => Ok((task, redactor)),
    }
}
