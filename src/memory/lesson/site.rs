//! What helped on one host, with the names that its pages use: our sentence, and data of a page that is shown only there and
//! only inside a fence.

use serde::{Deserialize, Serialize};

use super::{Move, Recovery, Template, Trouble, template::TYPE_THEN_CHOOSE};
use crate::{
    action::BrowserTool,
    base::text,
    memory::{PageName, Piece},
    page::{Role, TargetIdentity},
};

/// Longest text beside a field that counts as its label. Unit: characters. Source: chosen; what is longer is a sentence, and
/// says something of this visit.
const MAX_LABEL: usize = 40;

/// Attributes that name what has neither name nor label, the clearest first.
const MAKERS: [&str; 3] = ["icon", "name", "testid"];

/// Something that a step was aimed at, as much of it as is needed to know it again: names without what could be read as
/// markup, no surroundings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Aim {
    /// The role.
    pub role: Role,
    /// The name, or the label of what has no name, or else what its makers called it: its icon, its name in the form.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Place among those of the same role and name; only kept for what has neither name nor label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
}

impl Aim {
    /// What an identity is aimed at.
    pub fn of(identity: &TargetIdentity) -> Self {
        let name = plain(said(identity));
        let ordinal = name.is_empty().then_some(identity.ordinal);
        Self {
            role: identity.role.clone(),
            name,
            ordinal,
        }
    }

    /// What an identity is aimed at by its place alone, as it was before attributes were told; `None` for what has a name.
    pub(super) fn by_place(identity: &TargetIdentity) -> Option<Self> {
        let bare = TargetIdentity {
            attributes: Vec::new(),
            ..identity.clone()
        };
        Some(Self::of(&bare)).filter(|aim| aim.ordinal.is_some())
    }

    fn named(&self) -> Piece {
        Piece::Name(PageName::new(&self.role, &self.name, self.ordinal))
    }
}

/// What will be the same on the next visit: the name, the label, or what the makers of the page called it.
fn said(identity: &TargetIdentity) -> &str {
    if !identity.name.is_empty() {
        return &identity.name;
    }
    let label = std::iter::once(identity.label.as_deref());
    let makers = MAKERS.iter().map(|name| identity.attribute(name));
    let mut lasting = label.chain(makers).flatten();
    lasting
        .find(|said| !said.is_empty() && is_lasting(said))
        .unwrap_or_default()
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
    text::truncate(&text::squeeze(&kept), PageName::MAX_NAME)
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
    fn pieces(&self, out: &mut Vec<Piece>) {
        let (verb, takes_target) = self.step.verb();
        match &self.aim {
            Some(aim) if takes_target => {
                out.push(words(&format!("{verb} ")));
                out.push(aim.named());
            }
            _ => out.push(words(&self.step.before())),
        }
    }
}

fn words(ours: &str) -> Piece {
    Piece::Words(ours.to_owned())
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
        self.pieces().iter().map(Piece::to_string).collect()
    }

    /// The sentence with the names of the page apart from our words.
    pub fn pieces(&self) -> Vec<Piece> {
        let mut out = vec![words(self.command.as_str())];
        if let Some(aim) = &self.aim {
            out.extend([words(" on "), aim.named()]);
        }
        out.push(words(&format!("{}: ", self.trouble.ending())));
        match &self.recovery {
            Recovery::ClickThenType => out.push(words("click it, then type the text.")),
            Recovery::ClickThenChoose => {
                out.push(words("click it to open its list, then click the choice."));
            }
            Recovery::TypeThenChoose => out.push(words(TYPE_THEN_CHOOSE)),
            Recovery::First(_) => {
                for (at, step) in self.moves.iter().enumerate() {
                    if at > 0 {
                        out.push(words(", then "));
                    }
                    step.pieces(&mut out);
                }
                out.push(words(" first."));
            }
            Recovery::Instead(step) => {
                out.push(words(&format!("{} instead.", step.sentence("it"))));
            }
            Recovery::WriteAs(form) => out.push(words(&format!("write {}.", form.sentence()))),
        }
        out
    }

    /// What must be on a page for it to apply there: its target, and what its way out begins with.
    pub(super) fn needs(&self) -> Vec<&Aim> {
        let first = self.moves.first().and_then(|step| step.aim.as_ref());
        self.aim.iter().chain(first).collect()
    }
}
