//! What the loop does itself when the model asks for it, and the tools of the embedder.

use std::sync::Arc;

use tokio::time::{Instant, timeout};

use super::{Run, absorb::Tried, finish::is_shown, page_now::PageNow, run::Queued};
use crate::{
    BrowserDriver, LlmClient, MemoryBackend,
    action::{
        AgentAction, AskHuman, CustomCall, ErrorClass, Extract, Find, Finish, Outcome, Remember,
        Target,
    },
    base::{Error, ErrorKind, text},
    event::EventKind,
    page::{NodeId, PageView, ViewOptions, interpret},
    working::StopReason,
};

/// Most elements that `find` shows. Source: chosen, a sixth of what a page shows.
const MAX_FOUND: usize = 10;
/// Most characters kept of one extraction. Source: the third requirements document.
const MAX_EXTRACT: usize = 8_000;
/// Most characters of an answer, a question, a fact, and of what an embedder's tool gives. Source: chosen, as an extraction.
const MAX_SAID: usize = MAX_EXTRACT;

/// The page with all its elements, also those that the cap of a view left out.
fn whole_view(page: &PageNow) -> Arc<PageView> {
    let cap = ViewOptions::default().max_elements;
    if page.view.elements.len() < cap {
        return Arc::clone(&page.view);
    }
    let tree = &page.observation.tree;
    Arc::new(interpret(
        &page.head,
        tree,
        &ViewOptions::default().with_max_elements(tree.len()),
    ))
}

impl<B: BrowserDriver, L: LlmClient, M: MemoryBackend> Run<'_, B, L, M> {
    /// Carries out what the loop does itself.
    pub(super) async fn do_agent(
        &mut self,
        action: AgentAction,
        next: Queued,
    ) -> Result<(), StopReason> {
        let started = Instant::now();
        let outcome = match &action {
            AgentAction::Finish(finish) => return self.finish_or_refuse(finish),
            AgentAction::Extract(_) if next.targets.is_none() => {
                Outcome::failed(ErrorClass::RefNotFound, "")
            }
            AgentAction::Extract(extract) => self.extract(extract),
            AgentAction::Find(find) => self.find(find),
            AgentAction::Remember(fact) => self.propose(fact),
            AgentAction::AskHuman(ask) => self.ask_human(ask).await,
        };
        let tried = Tried::new(
            next.action,
            next.targets.unwrap_or_default(),
            self.page.clone(),
            started,
        );
        self.absorb(tried.ended(outcome)).await
    }

    /// Step 9: a finish needs evidence on the page; it is refused once, then recorded as unverified.
    fn finish_or_refuse(&mut self, finish: &Finish) -> Result<(), StopReason> {
        let shown = self
            .page
            .as_ref()
            .is_some_and(|page| is_shown(&finish.evidence, &finish.answer, &page.observation));
        let [answer, evidence] =
            [&finish.answer, &finish.evidence].map(|said| text::cut(said, MAX_SAID));
        self.emitter.emit(EventKind::FinishChecked {
            answer: answer.clone(),
            evidence: evidence.clone(),
            verified: shown,
        });
        let stop = match (finish.success, shown, self.finish_refused) {
            (false, ..) => StopReason::GaveUp,
            (true, true, _) => StopReason::Finished,
            (true, false, true) => StopReason::FinishedUnverified,
            (true, false, false) => {
                self.finish_refused = true;
                self.drop_queue("finish was refused");
                let note = "finish was refused: its evidence must be words that the current page shows (not its title, not what was \
                            typed) and that have to do with the answer. Copy such words, or go on.";
                self.remarks.notes.push(note.to_owned());
                return Ok(());
            }
        };
        self.answer = Some(answer);
        self.evidence = shown.then_some(evidence);
        Err(stop)
    }

    fn find(&mut self, find: &Find) -> Outcome {
        let view = self.page.as_ref().map(whole_view);
        self.remarks.found = view
            .iter()
            .flat_map(|view| view.find(&find.query, MAX_FOUND))
            .cloned()
            .collect();
        if self.remarks.found.is_empty() {
            Outcome::failed(ErrorClass::NotFound, "")
        } else {
            Outcome::Done
        }
    }

    fn propose(&mut self, fact: &Remember) -> Outcome {
        self.emitter.emit(EventKind::FactProposed {
            key: text::cut(&fact.key, MAX_SAID),
            value: text::cut(&fact.value, MAX_SAID),
        });
        self.remarks
            .notes
            .push("The fact is kept for a person to review.".to_owned());
        Outcome::Done
    }

    async fn ask_human(&mut self, ask: &AskHuman) -> Outcome {
        let question = text::cut(&ask.question, MAX_SAID);
        let answer = match &self.parts.approver {
            Some(approver) => approver
                .answer(&question)
                .await
                .map(|answer| text::cut(&self.redactor.text(&answer), MAX_SAID)),
            None => None,
        };
        self.emitter.emit(EventKind::HumanAsked {
            question: question.clone(),
            answer: answer.clone(),
        });
        match answer {
            Some(answer) => {
                self.remarks.answers.push((question, answer));
                Outcome::Done
            }
            None => Outcome::failed(ErrorClass::Rejected, "nobody is there to answer"),
        }
    }

    fn extract(&mut self, extract: &Extract) -> Outcome {
        let Some(page) = &self.page else {
            return Outcome::failed(ErrorClass::NotFound, "");
        };
        let tree = &page.observation.tree;
        let found: Option<NodeId> = match &extract.target {
            None => None,
            Some(Target::Ref(reference)) => tree.by_ref(reference.as_str()),
            Some(Target::Locator(locator)) => match locator.find(tree) {
                Some(found) => found.first().copied(),
                None => {
                    return Outcome::failed(
                        ErrorClass::BadArguments,
                        "extract takes a ref, or a locator by role or text",
                    );
                }
            },
        };
        let text = match (&extract.target, found) {
            (None, _) => page.view.visible_text.clone(),
            (Some(_), Some(id)) => tree.text_of(id),
            (Some(_), None) => return Outcome::failed(ErrorClass::NotFound, ""),
        };
        // Squeezed to one line, what stood apart stands together; and a cut must not take half of a secret away.
        let text = text::cut(&self.redactor.text(&text::squeeze(&text)), MAX_EXTRACT);
        self.emitter.emit(EventKind::Extracted {
            name: extract.name.clone(),
            text: text.clone(),
        });
        self.remarks
            .results
            .push((extract.name.clone(), text.clone()));
        self.extracted.insert(extract.name.clone(), text);
        Outcome::Done
    }

    /// Calls a tool of the embedder: approved like ours, and within the run's scope afterwards.
    pub(super) async fn do_custom(
        &mut self,
        call: CustomCall,
        next: Queued,
    ) -> Result<(), StopReason> {
        let mut tried = Tried::new(next.action, Vec::new(), self.page.clone(), Instant::now());
        let Some(tool) = self
            .parts
            .tools
            .iter()
            .find(|tool| tool.spec().name == call.tool)
            .map(Arc::clone)
        else {
            return self
                .absorb(tried.ended(Outcome::failed(
                    ErrorClass::BadArguments,
                    "there is no such tool",
                )))
                .await;
        };
        let refused = match self.approval(&tried.action, &[], tool.effect()).await? {
            None => self.intend(&tried.action, &[], tool.effect()).await,
            known => known,
        };
        if let Some(refused) = refused {
            return self.absorb(tried.ended(refused)).await;
        }
        self.in_flight = Some(tried.clone());
        self.stale = true;
        let limit = self.parts.options.tool_timeout;
        let result =
            match timeout(limit, tool.call(&call.arguments)).await {
                Ok(result) => result,
                Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.tool")
                    .with("waited", format!("{limit:?}"))),
            };
        let mut outcome = match result {
            Ok(text) => {
                let text = text::cut(&self.redactor.text(&text::clean(&text)), MAX_SAID);
                self.remarks.results.push((call.tool, text));
                Outcome::Done
            }
            Err(error) => Outcome::failed(ErrorClass::Other, &self.describe(error)),
        };
        // The tool may have used the same browser.
        let before = self.page.clone();
        let mut after = self.look(self.patience()).await?;
        if let Some(blocked) = self
            .back_in_scope(None, before.as_ref(), &mut after)
            .await?
        {
            outcome = blocked;
        }
        self.page = Some(after);
        self.in_flight = None;
        tried.before = before;
        self.absorb(tried.ended(outcome)).await
    }
}
