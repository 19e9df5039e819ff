//! The set of pairs: recorded runs, and new goals with what must become of them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use webwise::{
    goal::{Literals, Recorded, Template},
    page::Collection,
};

/// A file of pairs.
#[derive(Deserialize)]
pub(crate) struct Set {
    pub(crate) trajectories: Vec<Trajectory>,
    pub(crate) pairs: Vec<Pair>,
}

#[derive(Deserialize)]
pub(crate) struct Trajectory {
    pub(crate) id: String,
    goal: String,
    steps: Vec<Step>,
    second: Option<Second>,
    #[serde(default)]
    irreversible: bool,
    #[serde(default)]
    params: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Second {
    goal: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    action: String,
    target: Option<Target>,
    text: Option<String>,
    option: Option<String>,
    url: Option<String>,
    key: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    role: Option<String>,
    name: Option<String>,
    landmark: Option<String>,
    label: Option<String>,
    collection: Option<Collection>,
}

#[derive(Deserialize)]
pub(crate) struct Pair {
    pub(crate) id: String,
    pub(crate) traj: String,
    pub(crate) new_goal: String,
    pub(crate) category: String,
    expect: String,
    #[serde(default)]
    pub(crate) expect_args: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) two_examples: bool,
    #[serde(default)]
    pub(crate) params: BTreeMap<String, String>,
}

impl Pair {
    /// A pair that cannot be decided counts as one to refuse.
    pub(crate) fn is_to_accept(&self) -> bool {
        match self.expect.as_str() {
            "accept" => true,
            "refuse" | "undecidable-refuse" => false,
            other => panic!("{}: unknown expectation {other}", self.id),
        }
    }
}

impl Set {
    /// Reads the sets: the file that `WEBWISE_GOAL_PAIRS` names, or the two beside this file.
    pub(crate) fn all() -> Vec<(String, Self)> {
        let own = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/library/goal_pairs");
        let paths = match std::env::var_os("WEBWISE_GOAL_PAIRS") {
            Some(path) => vec![PathBuf::from(path)],
            None => vec![own.join("pairs.json"), own.join("wordings.json")],
        };
        paths.iter().map(|path| Self::read(path)).collect()
    }

    fn read(path: &Path) -> (String, Self) {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let set: Self = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!set.pairs.is_empty() && !set.trajectories.is_empty());
        let name = path
            .file_stem()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned());
        (name, set)
    }

    pub(crate) fn trajectory(&self, id: &str) -> &Trajectory {
        let found = self
            .trajectories
            .iter()
            .find(|trajectory| trajectory.id == id);
        found.unwrap_or_else(|| panic!("no trajectory {id}"))
    }
}

impl Trajectory {
    pub(crate) fn first(&self) -> Recorded {
        let mut run = Recorded::new(&self.goal, self.steps.iter().map(literals).collect());
        run.irreversible = self.irreversible;
        run.params = self.params.clone();
        run
    }

    pub(crate) const fn has_second(&self) -> bool {
        self.second.is_some()
    }

    /// The template of one run, or of both.
    pub(crate) fn template(&self, two_examples: bool) -> Template {
        let template = Template::compile(&self.first());
        let second = self.second.as_ref().filter(|_| two_examples);
        let Some(second) = second else {
            return template;
        };
        let run = Recorded::new(&second.goal, second.steps.iter().map(literals).collect());
        template.confirm(&run).unwrap_or(template)
    }
}

fn literals(step: &Step) -> Literals {
    let mut literals = Literals::default();
    literals.action.clone_from(&step.action);
    literals.text.clone_from(&step.text);
    literals.option.clone_from(&step.option);
    literals.url.clone_from(&step.url);
    literals.key.clone_from(&step.key);
    if let Some(target) = &step.target {
        literals.role.clone_from(&target.role);
        literals.name.clone_from(&target.name);
        literals.landmark.clone_from(&target.landmark);
        literals.label.clone_from(&target.label);
        literals.is_picked = target.collection.is_some_and(|list| list.size > 1);
    }
    literals
}
