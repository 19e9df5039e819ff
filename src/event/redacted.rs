//! The second redaction: replaces secrets in an event or intent before any sink or journal gets it. It finds the forms
//! of secrets that `secret::redact` lists.
//!
//! The first redaction happens where text from a browser, a model or a person enters the loop. The second redaction catches
//! text that was joined from clean parts, or that came from a store or a memory kind. The code below names every kind of
//! event, so that no new kind can be forgotten. Not searched are the crate's own words, names from a fixed list, texts
//! of warnings, ids of runs and sessions, and the names of hosts, sites and shelves.

use std::sync::Arc;

use super::{EventKind, Intent};
use crate::{
    action::{CallProblem, Outcome},
    memory::{AdviceId, Change, Committed, Record, StoreNotice, StoreNoticeKind},
    page::{Appearance, Notice, PageView, TargetIdentity},
    secret::Redactor,
};

impl EventKind {
    #[must_use]
    #[expect(
        clippy::too_many_lines,
        reason = "a table with an arm for every kind of event"
    )]
    pub(crate) fn redacted(mut self, redactor: &Redactor) -> Self {
        if redactor.is_empty() {
            return self;
        }
        let net = Net(redactor);
        match &mut self {
            Self::RunStarted {
                goal,
                start_url,
                driver,
                model,
                tools,
                ..
            } => {
                net.all([goal, driver, model]);
                net.all(start_url);
                net.all(tools);
            }
            Self::Observed { observation, .. } => {
                let seen = Arc::unwrap_or_clone(std::mem::take(observation));
                *observation = Arc::new(redactor.observation(seen));
            }
            Self::Interpreted { view } => {
                *view = Arc::new(PageView::clone(view).map_text(|text| redactor.text(text)));
            }
            Self::Tier1Loaded { lessons, items, .. }
            | Self::DomainRecall { lessons, items, .. }
            | Self::AdviceWithheld { lessons, items } => {
                net.all(lessons);
                net.items(items);
            }
            Self::ErrorRecall {
                command,
                error_snippet,
                lessons,
                items,
                ..
            } => {
                net.all([command, error_snippet]);
                net.all(lessons);
                net.items(items);
            }
            Self::StepReplayed { item, .. } => net.items(std::slice::from_mut(item)),
            Self::MemoryChanged {
                item,
                what,
                text,
                data,
            } => {
                net.all([what, text, &mut item.key]);
                net.0.json(data);
            }
            Self::LessonRecorded {
                lesson,
                category,
                failed_command,
                error_pattern,
                item,
            } => {
                net.all([lesson, category, &mut item.key]);
                net.all([failed_command, error_pattern].into_iter().flatten());
            }
            Self::LessonDeduplicated { lesson, item, .. }
            | Self::LessonPromoted { lesson, item, .. }
            | Self::LessonDemoted { lesson, item, .. }
            | Self::LessonRetired { lesson, item, .. } => net.all([lesson, &mut item.key]),
            Self::LessonCredited { item, .. } => net.text(&mut item.key),
            Self::ModelAsked {
                system,
                message,
                offered,
                ..
            } => {
                net.all(system);
                net.text(message);
                net.items(offered);
            }
            Self::ModelReplied { response, .. } => {
                *response = std::mem::take(response).redacted(redactor);
            }
            Self::CallRefused {
                problem: CallProblem { tool, failure },
            } => {
                net.all(tool);
                net.text(&mut failure.detail);
            }
            Self::ApprovalDecided { action, .. } => *action = action.redacted(redactor),
            Self::ActionStarted { action, targets } => {
                *action = action.redacted(redactor);
                net.targets(targets);
            }
            Self::ActionExecuted {
                action,
                targets,
                outcome,
                url_before,
                url_after,
                changed,
                ..
            } => {
                *action = action.redacted(redactor);
                net.targets(targets);
                if let Outcome::Failed(failure) | Outcome::Unclear(failure) = outcome {
                    net.text(&mut failure.detail);
                }
                net.all([url_before, url_after]);
                net.all(changed);
            }
            Self::Extracted { name, text } => net.all([name, text]),
            Self::Given { name, text } => net.all(std::iter::once(name).chain(text)),
            Self::ResultShortened { label, .. } => net.text(label),
            Self::BrowserNoticed { notice } => net.notice(notice),
            Self::FinishChecked {
                answer,
                evidence,
                unverified,
                ..
            } => net.all([answer, evidence].into_iter().chain(unverified)),
            Self::HumanAsked { question, answer } => {
                net.text(question);
                net.all(answer);
            }
            Self::FactProposed { key, value } => net.all([key, value]),
            Self::MemoryUpdated {
                committed: Committed { changes, .. },
                ..
            } => {
                for change in changes {
                    match change {
                        Change::Put(Record { key, body }) => {
                            net.text(key);
                            redactor.json(body);
                        }
                        Change::Remove(key) => net.text(key),
                    }
                }
            }
            Self::ModelFailed { error, .. }
            | Self::MemoryFailed { error, .. }
            | Self::RecordingFailed { error } => {
                net.text(error);
            }
            Self::RunEnded {
                answer,
                evidence,
                extracted,
                final_url,
                error,
                summary: _,
            } => {
                net.all([answer, evidence, final_url, error].into_iter().flatten());
                *extracted = redactor.pairs(std::mem::take(extracted));
            }
            Self::Instructed { text } => net.text(text),
            Self::StoreNoticed { notice } => net.store_notice(notice),
            // Pictures cannot be searched for secrets. Instead, no picture is taken after a secret was typed or shown.
            Self::RunResumed {}
            | Self::LessonsPruned { .. }
            | Self::LessonsCompacted { .. }
            | Self::CallsDropped { .. }
            | Self::Warned { .. }
            | Self::PictureTaken { .. } => {}
        }
        self
    }
}

impl Intent {
    #[must_use]
    pub(crate) fn redacted(mut self, redactor: &Redactor) -> Self {
        let net = Net(redactor);
        self.action = self.action.redacted(redactor);
        net.targets(&mut self.targets);
        net.text(&mut self.url);
        self
    }
}

struct Net<'a>(&'a Redactor);

impl Net<'_> {
    fn text(&self, text: &mut String) {
        *text = self.0.text(text);
    }

    fn all<'t>(&self, texts: impl IntoIterator<Item = &'t mut String>) {
        texts.into_iter().for_each(|text| self.text(text));
    }

    fn items(&self, items: &mut [AdviceId]) {
        self.all(items.iter_mut().map(|AdviceId { key, .. }| key));
    }

    fn targets(&self, targets: &mut [TargetIdentity]) {
        for target in targets {
            self.all([&mut target.name].into_iter().chain(&mut target.label));
            if let Some(Appearance::Look(text) | Appearance::Beside(text)) = &mut target.appearance
            {
                self.text(text);
            }
            self.all(target.ancestors.iter_mut().chain(&mut target.frames));
            self.all(
                target
                    .attributes
                    .iter_mut()
                    .flat_map(|(name, value)| [name, value]),
            );
            // A locator cannot be rewritten, so a locator that contains a secret is dropped.
            target.locator = target
                .locator
                .take()
                .filter(|locator| !self.0.contains(&locator.to_string()));
        }
    }

    fn store_notice(&self, notice: &mut StoreNotice) {
        match &mut notice.kind {
            StoreNoticeKind::Quarantined { file: text }
            | StoreNoticeKind::ModesTightened { path: text } => {
                self.text(text);
            }
            StoreNoticeKind::Damaged { .. }
            | StoreNoticeKind::RestoredFromBackup
            | StoreNoticeKind::Salvaged { .. }
            | StoreNoticeKind::StartedEmpty
            | StoreNoticeKind::ReadOnly { .. }
            | StoreNoticeKind::Compacted { .. }
            | StoreNoticeKind::OverCaps => {}
        }
    }

    fn notice(&self, notice: &mut Notice) {
        match notice {
            Notice::TabOpened { url } => self.text(url),
            Notice::Download { suggested_name, .. } => self.text(suggested_name),
            Notice::DialogBehind { .. } => {}
            Notice::TransportChanged { why, .. } => self.text(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        action::{Action, BrowserAction, NoArguments},
        page::{ElementRef, Node, Observation, PageHead, Role, Tree, ViewOptions, interpret},
        secret::{Secret, SecretName},
    };

    fn page(value: &str) -> Tree {
        let mut b = Tree::builder();
        let at = |n: u32| ElementRef::parse(&format!("e{n}")).unwrap();
        b.open(Node::new(Role::Main, value));
        b.leaf(Node::new(Role::Heading, value));
        b.open(
            Node::new(Role::Combobox, value)
                .with_ref(at(1))
                .with_value(value),
        );
        b.leaf(Node::new(Role::Option, value));
        b.close();
        for n in 2..4 {
            // Two items have the same name, so that each is identified by its row.
            b.open(Node::new(Role::ListItem, ""));
            b.leaf(Node::text(format!("{n} {value}")));
            let mut link = Node::new(Role::Link, format!("to {value}")).with_ref(at(n));
            link.url = Some(value.into());
            b.leaf(link);
            b.close();
        }
        b.leaf(Node::text(format!("A word: {value}")));
        b.finish()
    }

    #[test]
    fn no_text_of_a_page_escapes_the_second_net() {
        const VALUE: &str = "net-canary-3c7f";
        let head = PageHead::new(format!("https://shop.example/?q={VALUE}"), VALUE);
        let view = interpret(&head, &page(VALUE), &ViewOptions::default());
        let observation = Observation::new(head.url.clone(), VALUE, page(VALUE));
        let (name, secret) = (SecretName::parse("P").unwrap(), Secret::new(VALUE));
        let redactor = Redactor::new([(&name, &secret)]);
        for event in [
            EventKind::Interpreted {
                view: Arc::new(view),
            },
            EventKind::Observed {
                observation: Arc::new(observation),
                elapsed_ms: 1,
            },
        ] {
            let shown = serde_json::to_string(&event).unwrap();
            assert!(shown.matches(VALUE).count() > 8, "{shown}");
            let clean = serde_json::to_string(&event.redacted(&redactor)).unwrap();
            assert!(!clean.contains(VALUE), "{clean}");
        }
        let mut target = TargetIdentity::new(Role::TextBox, "");
        target.appearance = Some(Appearance::Beside(VALUE.to_owned()));
        let started = EventKind::ActionStarted {
            action: Action::Browser(BrowserAction::Reload(NoArguments {})),
            targets: vec![target],
        };
        let clean = serde_json::to_string(&started.redacted(&redactor)).unwrap();
        assert!(
            !clean.contains(VALUE) && clean.contains("beside"),
            "{clean}"
        );
    }
}
