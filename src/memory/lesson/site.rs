//! What helped on one host, with the names that its pages use: data of a page, shown only there and only inside a fence.

use serde::{Deserialize, Serialize};

use super::{Move, Recovery, Template, Trouble, template::TYPE_THEN_CHOOSE};
use crate::{
    action::BrowserTool,
    base::text,
    page::{Role, TargetIdentity},
};

/// Longest name shown. Unit: characters. Source: the threat model.
const MAX_NAME: usize = 60;
/// Longest text beside a field that counts as its label. Unit: characters. Source: chosen; what is longer is a sentence, and
/// says something of this visit.
const MAX_LABEL: usize = 40;

/// Something that a step was aimed at, as much of it as is needed to know it again: names without what could be read as
/// markup, no attributes, no surroundings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Aim {
    /// The role.
    pub role: Role,
    /// The name, or the label of what has no name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Place among those of the same role and name; only kept for what has neither name nor label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
}

impl Aim {
    /// What an identity is aimed at.
    pub fn of(identity: &TargetIdentity) -> Self {
        let label = identity.label.as_deref().filter(|label| is_lasting(label));
        let said = if identity.name.is_empty() {
            label.unwrap_or_default()
        } else {
            &identity.name
        };
        let name = plain(said);
        let ordinal = name.is_empty().then_some(identity.ordinal);
        Self {
            role: identity.role.clone(),
            name,
            ordinal,
        }
    }

    fn render(&self) -> String {
        let role = self.role.as_str();
        match self.ordinal {
            _ if !self.name.is_empty() => {
                format!("{role} {}", serde_json::Value::from(self.name.as_str()))
            }
            Some(at) => format!("{role} number {}", at + 1),
            None => role.to_owned(),
        }
    }
}

/// Whether a text beside a field will stand there on the next visit, too: numbers and sentences come and go.
fn is_lasting(label: &str) -> bool {
    label.chars().count() <= MAX_LABEL && !label.chars().any(char::is_numeric)
}

/// A name on one line, without what a renderer or a model could take for markup.
fn plain(page_text: &str) -> String {
    let kept: String = text::clean(page_text)
        .chars()
        .filter(|c| !"`<>*_#[]{}|\\~".contains(*c))
        .collect();
    text::truncate(&text::squeeze(&kept), MAX_NAME)
}

/// A move with what it was aimed at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AimedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Move,
    /// What it was aimed at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
}

impl AimedMove {
    fn render(&self) -> String {
        self.aim.as_ref().map_or_else(
            || self.step.before(),
            |aim| self.step.sentence(&aim.render()),
        )
    }
}

/// A failure on a host and what restored its effect there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteRecovery {
    /// The command that went wrong.
    pub command: BrowserTool,
    /// How.
    pub trouble: Trouble,
    /// On what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// What kind of way out it was.
    pub recovery: Recovery,
    /// The moves of a [`Recovery::First`], with what they were aimed at; empty for the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<AimedMove>,
}

impl SiteRecovery {
    /// What is general in it: no name, no place.
    pub fn general(&self) -> Template {
        Template::new(self.command, self.trouble, self.recovery.clone())
    }

    /// One sentence, names as JSON strings.
    pub fn render(&self) -> String {
        let on = self
            .aim
            .as_ref()
            .map(|aim| format!(" on {}", aim.render()))
            .unwrap_or_default();
        let when = self
            .trouble
            .sentence(&format!("{}{on}", self.command.as_str()));
        let what = match &self.recovery {
            Recovery::ClickThenType => "click it, then type the text.".to_owned(),
            Recovery::ClickThenChoose => {
                "click it to open its list, then click the choice.".to_owned()
            }
            Recovery::TypeThenChoose => TYPE_THEN_CHOOSE.to_owned(),
            Recovery::First(_) => {
                let moves: Vec<String> = self.moves.iter().map(AimedMove::render).collect();
                format!("{} first.", moves.join(", then "))
            }
            Recovery::Instead(step) => format!("{} instead.", step.sentence("it")),
            Recovery::WriteAs(form) => format!("write {}.", form.sentence()),
        };
        format!("{when}: {what}")
    }
}
