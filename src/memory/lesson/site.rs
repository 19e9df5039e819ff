//! Recoveries for one host, with the names that its pages use. The sentence is one of this crate. The names are page
//! data, shown on that host only, and always marked as quoted data.

use serde::{Deserialize, Serialize};

use super::{FailureKind, Move, Recovery, Template, template::TYPE_THEN_CHOOSE, trace::TraceStep};
use crate::{
    action::{BrowserTool, ErrorClass},
    base::text,
    memory::{PageName, Piece},
    page::{Role, TargetIdentity},
};

/// Maximum length of text beside a field that counts as its label. Unit: characters. Source: chosen; a longer text is a
/// sentence, which may change by the next visit.
const MAX_LABEL: usize = 40;

/// Attributes that name an element without name and label, the clearest first. The attribute `type` is not among them,
/// because most fields of a page have the same type.
const MAKERS: [&str; 6] = [
    "icon",
    "placeholder",
    "name",
    "testid",
    "autocomplete",
    "inputmode",
];

/// The target of a step, reduced to the data by which it is recognised again: role and name, without markup and
/// surroundings.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Aim {
    /// The role.
    pub role: Role,
    /// The name. For an element without a name, its label, else an attribute such as its icon or form name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Position among elements of the same role, if the field `name` is empty, else `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// The name of a group around the element. It distinguishes the element from another of the same name with which it
    /// was confused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
}

impl Aim {
    /// Returns the target that an identity describes.
    pub fn of(identity: &TargetIdentity) -> Self {
        let name = plain(said(identity));
        let ordinal = name.is_empty().then_some(identity.ordinal);
        Self {
            role: identity.role.clone(),
            name,
            ordinal,
            within: None,
        }
    }

    /// Returns the names of groups around an element, nearest first, without names that will probably change by the
    /// next visit.
    pub(super) fn groups(identity: &TargetIdentity) -> Vec<String> {
        let lasting = identity.ancestors.iter().filter(|name| is_lasting(name));
        lasting
            .map(|name| plain(name))
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// Returns one target for each group around an element: the element, as one of that group.
    pub(super) fn in_groups(identity: &TargetIdentity) -> impl Iterator<Item = Self> {
        let aim = Self::of(identity);
        let within = |group| Self {
            within: Some(group),
            ..aim.clone()
        };
        Self::groups(identity)
            .into_iter()
            .map(within)
            .collect::<Vec<_>>()
            .into_iter()
    }

    /// Returns true if a step was aimed at this element.
    pub(super) fn is_of(&self, step: &TraceStep) -> bool {
        let is_called = step.aim.as_ref().is_some_and(|aim| {
            (&aim.role, &aim.name, aim.ordinal) == (&self.role, &self.name, self.ordinal)
        });
        is_called
            && self
                .within
                .as_ref()
                .is_none_or(|group| step.groups.contains(group))
    }

    /// Returns the target named by its position alone, as in older lessons, from before attributes were recorded;
    /// `None` if the element has a name or label.
    pub(super) fn by_place(identity: &TargetIdentity) -> Option<Self> {
        let bare = TargetIdentity {
            attributes: Vec::new(),
            ..identity.clone()
        };
        Some(Self::of(&bare)).filter(|aim| aim.ordinal.is_some())
    }

    fn named(&self) -> Piece {
        let name = PageName::new(&self.role, &self.name, self.ordinal);
        Piece::Name(match &self.within {
            Some(group) => name.within(group),
            None => name,
        })
    }
}

/// Returns a text that should be the same on the next visit: the name, the label, or a name that the page's authors
/// chose.
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

/// Returns true if a text beside a field will probably be the same on the next visit. Numbers and sentences change.
fn is_lasting(label: &str) -> bool {
    label.chars().count() <= MAX_LABEL && !label.chars().any(char::is_numeric)
}

/// Returns a name on one line, without characters that a renderer or a model could take for markup.
fn plain(page_text: &str) -> String {
    let kept: String = text::clean(page_text)
        .chars()
        .filter(|c| !"`<>*_#[]{}|\\~".contains(*c))
        .collect();
    text::truncate(&text::squeeze(&kept), PageName::MAX_NAME)
}

/// A move of a recovery, and the element it is aimed at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AimedMove {
    /// The move.
    #[serde(flatten)]
    pub step: Move,
    /// The element it is aimed at; `None` for a key.
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

/// A failure on a host, and the recovery that worked there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SiteRecovery {
    /// The command that failed.
    pub command: BrowserTool,
    /// The kind of failure.
    pub trouble: FailureKind,
    /// The target of the command that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// The kind of recovery.
    pub recovery: Recovery,
    /// The moves of a [`Recovery::First`], or the one move of a [`Recovery::Another`] or [`Recovery::OpenThenChoose`];
    /// empty for other kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<AimedMove>,
}

impl SiteRecovery {
    /// Returns the general form of the recovery, without names and positions; `None` for another element, because without its
    /// name the advice would be to try whatever stands beside.
    pub fn general(&self) -> Option<Template> {
        let has_one = !matches!(self.recovery, Recovery::Another(_));
        has_one.then(|| Template::new(self.command, self.trouble, self.recovery.clone()))
    }

    /// Returns the recovery as one sentence, with names as JSON strings.
    pub fn render(&self) -> String {
        self.pieces().iter().map(Piece::to_string).collect()
    }

    /// Returns the sentence in pieces, which separate the names of the page from this crate's words.
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
            Recovery::Another(_) => {
                self.moves.iter().for_each(|step| step.pieces(&mut out));
                out.push(words(" instead."));
            }
            Recovery::OpenThenChoose(_) => {
                self.moves.iter().for_each(|step| step.pieces(&mut out));
                out.push(words(" to open its choices, then click the choice."));
            }
            Recovery::Instead(step) => {
                out.push(words(&format!("{} instead.", step.sentence("it"))));
            }
            Recovery::WriteAs(form) => out.push(words(&format!("write {}.", form.sentence()))),
        }
        out
    }

    /// Returns the elements that must be on a page for the recovery to apply: the target of the first move, and the
    /// target of the failed command unless the moves are what brings that target to light.
    pub(super) fn needs(&self) -> Vec<&Aim> {
        let first = self.moves.first().and_then(|step| step.aim.as_ref());
        let is_hidden = matches!(
            self.trouble,
            FailureKind::Failed(ErrorClass::NotVisible | ErrorClass::NotFound)
        );
        let own = self.aim.iter().filter(|_| !is_hidden || first.is_none());
        own.chain(first).collect()
    }

    /// Returns true if a step is the command that failed, aimed at the same target.
    pub(super) fn is_command(&self, step: &TraceStep) -> bool {
        step.tool == self.command && self.is_on(step)
    }

    /// Returns true if a step is aimed at the target of the failed command.
    pub(super) fn is_on(&self, step: &TraceStep) -> bool {
        match &self.aim {
            Some(aim) => aim.is_of(step),
            None => step.aim.is_none(),
        }
    }
}
