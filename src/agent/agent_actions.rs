//! Carries out the actions of the loop itself, such as `finish` and `note`, and calls of the tools of the embedder (the
//! program that uses this crate).

use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
};

use serde_json::Value;
use tokio::time::{Instant, timeout};

use super::{
    Run, Tool, absorb::only_looks, executor::InFlight, reading::MAX_EXTRACT, state::Queued,
};
use crate::{
    action::{
        Action, AgentAction, AskHuman, CallProblem, CustomCall, ErrorClass, Failure, Finish,
        GoBackTo, Note, Outcome, Remember,
    },
    base::{Error, ErrorKind, text},
    event::EventKind,
    prompt::quoted,
    verify::{Evidence, Used, check, own_words, untied, unused, unverified},
    working::{By, Finished, Step, StopReason},
};

/// Maximum length of a text of the model, such as an answer, a proposed fact or a question, and of a person's answer. A
/// note has a limit of its own. Unit: characters. Source: chosen; the same length as for a text that `extract` returns.
const MAX_SAID: usize = MAX_EXTRACT;
/// Maximum length of an answer with a type, which may be a list of hundreds of items. Unit: characters. Source: chosen; the
/// arguments of a call have at most 64 KiB.
const MAX_TYPED: usize = 60_000;
/// Maximum length of a question to a person in the error of a run that ended before the answer. Unit: characters.
/// Source: chosen.
const MAX_ASKED: usize = 300;
/// Maximum length of the result of an embedder's tool. A longer result is cut. Unit: characters. Source: chosen; the
/// size of a large document.
const MAX_RESULT: usize = 200_000;

/// The reason for which a `finish` is no end yet if the goal names something that was not used.
const UNUSED: &str = "the goal names it, no step typed or chose it, and the page does not show it";
/// Number of actions that must be left to ask the model about what was not used. Source: chosen; one for it, and one to finish.
const FEW: u32 = 2;
/// What to do if a `finish` after other calls is no end yet.
const NOT_BROUGHT: &str =
    "The page after these calls is shown now: finish again if it shows that the goal is met";

impl Run {
    pub(super) async fn do_agent(
        &mut self,
        action: AgentAction,
        next: Queued,
    ) -> Result<(), StopReason> {
        let started = Instant::now();
        let outcome = match &action {
            AgentAction::Finish(finish) => return self.try_finish(finish, next, started).await,
            AgentAction::Follow(follow) => return self.begin_follow(follow, next).await,
            AgentAction::Extract(_) | AgentAction::Read(_) if next.targets.is_none() => {
                Outcome::failed(ErrorClass::RefNotFound, "")
            }
            AgentAction::Extract(extract) => self.extract(extract),
            AgentAction::Find(find) => self.find(find),
            AgentAction::Read(read) => self.read(read),
            AgentAction::Note(note) => self.write_down(note),
            AgentAction::Remember(fact) => self.propose(fact, next.clone()),
            AgentAction::GoBackTo(back) => self.go_back_to(back),
            AgentAction::AskHuman(ask) => self.ask_human(ask).await,
        };
        if matches!(action, AgentAction::Note(_) | AgentAction::Find(_)) {
            self.executor.state.spent.free_step();
        }
        let flight = InFlight::new(next, self.executor.state.page.now().cloned(), started);
        self.absorb(flight.ended(outcome)).await
    }

    /// Carries out a `finish`. After other actions of its reply, only words that these brought onto the page are evidence. If
    /// there are none, the page is shown to the model, and the `finish` does not count as refused.
    async fn try_finish(
        &mut self,
        finish: &Finish,
        next: Queued,
        started: Instant,
    ) -> Result<(), StopReason> {
        let was_shown = next.was_shown;
        let shaped = self.value_of(finish);
        self.executor.state.answer.shape(shaped.is_err());
        if let Err(why) = shaped {
            let flight = InFlight::new(next, self.executor.state.page.now().cloned(), started);
            let outcome = Outcome::failed(ErrorClass::BadArguments, &why);
            return self.absorb(flight.ended(outcome)).await;
        }
        if finish.success && self.has_acted() {
            self.look_again_while(|run| {
                !was_shown && matches!(run.evidence_now(finish), Evidence::Missing(_))
            })
            .await?;
            if was_shown || matches!(self.evidence_now(finish), Evidence::Missing(_)) {
                let flight = InFlight::new(next, self.executor.state.page.now().cloned(), started);
                let why = match self.evidence_now(finish) {
                    Evidence::Missing(why) => format!("{why}. {NOT_BROUGHT}"),
                    _ => format!("its evidence was shown before these calls. {NOT_BROUGHT}"),
                };
                let outcome = Outcome::failed(ErrorClass::WaitedInVain, &why);
                return self.absorb(flight.ended(outcome)).await;
            }
            // The answer may say what the page says now.
            let typed = self.executor.typed();
            if let Some(page) = self.executor.state.page.now() {
                self.executor.state.seen.page(&page.observation, &typed);
                if self.executor.task.returns.is_some() {
                    self.executor.state.seen.rows(page, &typed);
                }
            }
        }
        let flight = InFlight::new(next, self.executor.state.page.now().cloned(), started);
        let is_proven = !matches!(self.evidence_now(finish), Evidence::Missing(_));
        let left = self
            .executor
            .options
            .budget
            .left(&self.executor.state.spent);
        // With the last actions, the model could only finish.
        if finish.success && left > FEW && self.executor.state.answer.miss(self.unused()) {
            let unused = self.executor.state.answer.unused().iter();
            let unused: Vec<String> = unused.map(|text| quoted(text, MAX_ASKED)).collect();
            let note = format!(
                "not used yet: {}. {UNUSED}. If the goal asks for something with it, do that. If it only describes something, call finish again.",
                unused.join(", ")
            );
            self.executor.state.remarks.notes.push(note);
            if is_proven {
                let outcome = Outcome::failed(ErrorClass::BadArguments, UNUSED);
                self.executor.record(flight.ended(outcome));
                self.executor.drop_queue("finish was not the end");
                return Ok(());
            }
        }
        self.finish_or_refuse(finish, flight)
    }

    /// Returns the answer as the value that the task asks for, `None` for a text or a failure; or why it has another form.
    fn value_of(&self, finish: &Finish) -> std::result::Result<Option<Value>, String> {
        let Some(returns) = self
            .executor
            .task
            .returns
            .as_ref()
            .filter(|_| finish.success)
        else {
            return Ok(None);
        };
        if finish.answer.chars().count() > MAX_TYPED {
            return Err(format!("the answer is longer than {MAX_TYPED} characters"));
        }
        let read = returns.read(&finish.answer).map(Some);
        read.map_err(|why| format!("the answer has another form than the task asks for: {why}"))
    }

    /// Returns what the goal names and neither the steps nor the last page have. The answer only claims it.
    fn unused(&self) -> Vec<String> {
        let parameters = &self.executor.task.parameters;
        let state = &self.executor.state;
        let mut used = Used::of(state.memory.steps(), parameters);
        if let Some(page) = state.page.now() {
            used.add(&own_words(&page.observation, &self.executor.typed()).join(" "));
            used.add(&page.head.title);
        }
        unused(&state.about.goal, parameters, &used, &state.seen)
    }

    /// Returns true if a call of the last reply did more than look at the page.
    fn has_acted(&self) -> bool {
        let state = &self.executor.state;
        let of_reply = |step: &&Step| step.turn == state.spent.calls && !step.by.is_recipe();
        let steps = state.memory.steps().iter().rev().take_while(of_reply);
        steps
            .map(|step| &step.action)
            .any(|action| !only_looks(action))
    }

    /// Returns true if the action is a `finish` whose evidence is shown now.
    pub(super) fn is_shown(&self, action: &Action) -> bool {
        match action {
            Action::Agent(AgentAction::Finish(finish)) => {
                !matches!(self.evidence_now(finish), Evidence::Missing(_))
            }
            _ => false,
        }
    }

    fn evidence_now(&self, finish: &Finish) -> Evidence {
        let page = self.executor.state.page.now();
        check(
            &finish.evidence,
            page,
            &self.executor.state.seen,
            &self.executor.typed(),
        )
    }

    /// Checks the evidence of a `finish`, and then ends the run or refuses the `finish`. The first `finish` that
    /// reports success without evidence is refused. The second one ends the run, and its success is recorded as
    /// unverified.
    fn finish_or_refuse(
        &mut self,
        finish: &Finish,
        mut flight: InFlight,
    ) -> Result<(), StopReason> {
        let page = self.executor.state.page.now();
        let found = self.evidence_now(finish);
        let shown = !matches!(found, Evidence::Missing(_));
        let is_whole = page.is_none_or(|page| page.view.notes.is_empty() && self.was_read(page));
        // The claims of the answer are not checked if the run reports failure, because nobody relies on such an answer.
        let unverified = if finish.success {
            let proof = if shown { &*finish.evidence } else { "" };
            let seen = &self.executor.state.seen;
            match self.value_of(finish) {
                Ok(Some(value)) => untied(&value, proof, page, (seen, &self.executor.typed())),
                _ => unverified(&finish.answer, proof, seen, is_whole),
            }
        } else {
            Vec::new()
        };
        let is_typed = self.executor.task.returns.is_some();
        let answer = text::cut(&finish.answer, if is_typed { MAX_TYPED } else { MAX_SAID });
        let evidence = text::cut(&finish.evidence, MAX_SAID);
        self.executor.emitter.emit(EventKind::FinishChecked {
            answer: answer.clone(),
            evidence: evidence.clone(),
            verified: shown,
            earlier: found == Evidence::Earlier,
            unverified: unverified.clone(),
        });
        let clean = |text: &str| self.executor.redactor.text(text);
        let claims = unverified.iter().map(|claim| clean(claim)).collect();
        let finished = Finished::new(clean(&answer), clean(&evidence), shown);
        flight.step.finished = Some(finished.with_unverified(claims));
        let is_refused = finish.success && !shown && !self.executor.state.answer.is_refused();
        let outcome = match &found {
            Evidence::Missing(why) if is_refused => Outcome::failed(ErrorClass::BadArguments, why),
            _ => Outcome::Done,
        };
        self.executor.record(flight.ended(outcome));
        let stop = match (
            finish.success,
            shown,
            self.executor.state.answer.is_refused(),
        ) {
            (false, ..) => StopReason::GaveUp,
            (true, true, _) => StopReason::Finished,
            (true, false, true) => StopReason::FinishedUnverified,
            (true, false, false) => {
                self.executor.state.answer.refuse();
                self.executor.drop_queue("finish was refused");
                let proving = self.parts.tools.iter().filter(|tool| tool.is_evidence());
                let proving: String = proving
                    .flat_map(|tool| [", ".to_owned(), tool.spec().name])
                    .collect();
                let note = format!(
                    "finish was refused: its evidence must be words that the current page shows, or that find, read or extract{proving} gave in \
                     this run (not results of other tools, not the title, not what you typed into fields). What is missing is told under \
                     Calls refused. Copy such words, or go on: the next finish without them ends the run as unproven."
                );
                self.executor.state.remarks.notes.push(note);
                if let Evidence::Missing(why) = &found {
                    self.executor.state.remarks.refused.push(CallProblem {
                        tool: Some("finish".to_owned()),
                        failure: Failure::new(ErrorClass::BadArguments, why),
                    });
                }
                return Ok(());
            }
        };
        let evidence = shown.then_some(evidence);
        self.executor
            .state
            .answer
            .give(answer, evidence, unverified);
        Err(stop)
    }

    fn write_down(&mut self, note: &Note) -> Outcome {
        self.executor.state.memory.note(&note.text);
        Outcome::Done
    }

    /// Proposes a fact. Memory decides at the end of the run whether it keeps the fact, so the note to the model says what
    /// memory would keep if the run ended now.
    fn propose(&mut self, fact: &Remember, next: Queued) -> Outcome {
        self.executor.emitter.emit(EventKind::FactProposed {
            key: text::cut(&fact.key, MAX_SAID),
            value: text::cut(&fact.value, MAX_SAID),
        });
        let mut log = self.executor.log(false);
        log.steps
            .push(*InFlight::new(next, None, Instant::now()).step);
        let mut notes = self.engine.unlearned(&log);
        if notes.is_empty() {
            notes.push(
                "the fact is kept if the run stays on this host; later runs see it once a person or a second run confirms it"
                    .to_owned(),
            );
        }
        self.executor.state.remarks.notes.append(&mut notes);
        Outcome::Done
    }

    /// Queues the actions that open an earlier page again, restore the values that the run had filled in, chosen or
    /// ticked there, and scroll the page. Each queued action becomes a step of its own.
    fn go_back_to(&mut self, back: &GoBackTo) -> Outcome {
        let state = &self.executor.state;
        let Some(snapshot) = state.memory.pages().before(back.step) else {
            let why = "no step of this number began on a page";
            return Outcome::failed(ErrorClass::BadArguments, why);
        };
        let queued: Vec<Queued> = snapshot
            .actions()
            .into_iter()
            .map(|(action, targets)| Queued {
                restores: Some(snapshot.place().url().to_owned()),
                ..Queued::new(Action::Browser(action), By::Model, Some(targets))
            })
            .collect();
        let others = snapshot.others();
        self.executor.drop_queue("go_back_to opens another page");
        let state = &mut self.executor.state;
        for next in queued {
            state.queue.add(next);
        }
        if others > 0 {
            let what = text::counted(others, "action");
            state.remarks.notes.push(format!(
                "go_back_to repeats only what was filled in, chosen, ticked or scrolled, and not {what} with keys or clicks on fields of that page: \
                 check it"
            ));
        }
        Outcome::Done
    }

    async fn ask_human(&mut self, ask: &AskHuman) -> Outcome {
        let question = text::cut(&self.executor.redactor.text(&ask.question), MAX_SAID);
        self.executor.asking = Some(quoted(&question, MAX_ASKED));
        let answer = match &self.executor.settings().approver {
            Some(approver) => approver
                .answer(&question)
                .await
                .map(|answer| text::cut(&self.executor.redactor.text(&answer), MAX_SAID)),
            None => None,
        };
        self.executor.asking = None;
        self.executor.emitter.emit(EventKind::HumanAsked {
            question: question.clone(),
            answer: answer.clone(),
        });
        match answer {
            Some(answer) => {
                self.executor.state.remarks.answers.push((question, answer));
                Outcome::Done
            }
            None => Outcome::failed(ErrorClass::Rejected, "nobody is there to answer"),
        }
    }

    /// Calls a tool of the embedder, after approval if the call needs it. If the page is out of the run's scope after
    /// the call, the browser is led back.
    pub(super) async fn do_custom(
        &mut self,
        call: CustomCall,
        next: Queued,
    ) -> Result<(), StopReason> {
        let page = self.executor.state.page.now().cloned();
        let mut flight = InFlight::new(next, page, Instant::now());
        let Some(tool) = self
            .parts
            .tools
            .iter()
            .find(|tool| tool.spec().name == call.tool)
            .map(Arc::clone)
        else {
            return self
                .absorb(flight.ended(Outcome::failed(
                    ErrorClass::BadArguments,
                    "there is no such tool",
                )))
                .await;
        };
        flight.step.effect = tool.effect();
        let refused = match self.executor.permission(&mut flight, true).await? {
            None => {
                let step = &flight.step;
                self.executor.intend(&step.action, &[], step.effect).await?
            }
            known => known,
        };
        if let Some(refused) = refused {
            return self.absorb(flight.ended(refused)).await;
        }
        self.executor.in_flight = Some(flight.clone());
        self.executor.state.page.touch();
        let limit = self.executor.options.tool_timeout;
        let result = match timeout(limit, result_of(&*tool, &call.arguments)).await {
            Ok(result) => result,
            Err(_) => Err(Error::new(ErrorKind::Timeout, "agent.tool")
                .with("waited", format!("{limit:?}"))
                .to_string()),
        };
        let mut returned = None;
        let mut outcome = match result {
            Ok(text) => {
                let text = self.executor.redactor.text(&text::clean(&text));
                returned = Some(text::cut(&text, MAX_RESULT));
                Outcome::Done
            }
            Err(why) => Outcome::failed(ErrorClass::Other, &self.executor.redactor.text(&why)),
        };
        // The tool may have used the run's browser.
        let before = self.executor.state.page.now().cloned();
        let mut after = self.executor.look(self.executor.deadline()).await?;
        if let Some(blocked) = self
            .executor
            .back_in_scope(None, before.as_ref(), &mut after)
            .await?
        {
            // The tool may have returned the text of the page that is out of scope.
            (outcome, returned) = (blocked, None);
        }
        if let Some(text) = returned {
            self.executor.keep_result(&call.tool, &text);
            if tool.is_evidence() {
                self.executor.state.seen.returned(&text);
            }
        }
        self.executor.state.page.set(after);
        self.executor.in_flight = None;
        flight.before = before;
        self.absorb(flight.ended(outcome)).await
    }
}

/// Calls a tool of the embedder, and returns its result or the words of its error. A panic of the tool is an error too,
/// because it must not end the run without a report.
async fn result_of(tool: &dyn Tool, arguments: &Value) -> Result<String, String> {
    let mut call = pin!(async { tool.call(arguments).await });
    poll_fn(|context| {
        // After a panic the call is not polled again, so nobody sees what the panic left half done in it.
        match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
            // The error's sources are left out, because they may hold text that is not meant for a model, such as a
            // connection string.
            Ok(polled) => polled.map_err(|error| error.to_string()),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().copied();
                let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
                let text = text.unwrap_or("without words");
                Poll::Ready(Err(format!("the tool panicked: {text}")))
            }
        }
    })
    .await
}
