//! Follows the recipes of memory: the model chooses one with `follow`, or the task is the recorded one, word for word. Each step is
//! an action like those of the model.

use std::sync::Arc;

use tokio::time::{Instant, sleep};

use super::{
    Run,
    engine::Asking,
    executor::{InFlight, identities, judged},
    options::Replay,
    state::Queued,
};
use crate::{
    action::{Action, AgentAction, ErrorClass, Follow, Outcome},
    event::EventKind,
    memory::{Asked, Cue, Following, Here, Moment, Next, PAUSE, is_withheld},
    secret::SecretName,
    verify::own_words,
    working::{By, Chosen, Step, StopReason},
};

impl Run {
    /// Asks memory for the recipes of the page's site, once for each host, and shows those that fit the goal.
    pub(super) async fn recall_recipes(&mut self, cue: &Cue) {
        let Cue::PageShown { host, .. } = cue else {
            return;
        };
        if !self.executor.state.offered.asks_recipes(host) {
            return;
        }
        let state = &self.executor.state;
        let now = self.executor.settings().clock.now();
        let moment =
            Moment::new(cue, &state.about, state.memory.steps(), now).of_run(self.executor.id());
        let asking = Asking {
            emitter: &self.executor.emitter,
            redactor: &self.executor.redactor,
        };
        let found = self
            .engine
            .recipes(&self.parts.memory, &moment, asking)
            .await;
        let share = self.executor.options.withheld_share;
        let state = &mut self.executor.state;
        let mut items = Vec::new();
        let mut lessons = Vec::new();
        for one in found {
            if is_withheld(&state.seed, &one.item, share) {
                if state.offered.withhold(&one.item) {
                    lessons.push(one.recipe.header.goal.clone());
                    items.push(one.item);
                }
            } else {
                state.offered.add_recipe(one);
            }
        }
        if !items.is_empty() {
            let emitter = &self.executor.emitter;
            emitter.emit(EventKind::AdviceWithheld { lessons, items });
        }
    }

    /// Begins to follow a recipe without the model, if the task is the recorded one and nothing has been done yet. Words of the
    /// user beside the goal are left to the model, because the record does not have them.
    pub(super) fn begin_for_task(&mut self) {
        let options = &self.executor.options;
        let task = &self.executor.task;
        let has_more_words =
            !task.instructions.is_empty() || !task.given.is_empty() || !task.site_notes.is_empty();
        let state = &mut self.executor.state;
        let is_first = state.progress.begin_for_task();
        if options.replay == Replay::Off
            || !is_first
            || has_more_words
            || state.spent.calls > 0
            || state.following.is_some()
            || state.memory.steps().iter().any(|step| step.by != By::Task)
        {
            return;
        }
        let goal = &state.about.goal;
        let mut known = state.offered.recipes();
        let known = known.find(|one| one.recipe.is_task(goal, &task.parameters));
        state.following = known.and_then(|one| {
            let (item, recipe) = (one.item.clone(), Arc::clone(&one.recipe));
            Following::of_task(&one.name, item, recipe, options.replay == Replay::Full)
        });
    }

    /// Begins to follow the recipe that the model asks for, or tells it why that cannot be done.
    pub(super) async fn begin_follow(
        &mut self,
        follow: &Follow,
        next: Queued,
    ) -> Result<(), StopReason> {
        let flight = InFlight::new(
            next,
            self.executor.state.page.now().cloned(),
            Instant::now(),
        );
        let state = &mut self.executor.state;
        let Some(known) = state.offered.recipe(&follow.recipe) else {
            let names: Vec<String> = state
                .offered
                .recipes()
                .map(|one| one.name.clone())
                .collect();
            let why = format!("there is no such recipe; there are: {}", names.join(", "));
            let refused = Outcome::failed(ErrorClass::BadArguments, &why);
            return self.absorb(flight.ended(refused)).await;
        };
        let (name, item, recipe) = (
            known.name.clone(),
            known.item.clone(),
            Arc::clone(&known.recipe),
        );
        if !known.is_whole {
            // Its steps were not shown, so the model cannot know whether they fit.
            state.offered.show_recipe(&name);
            let told = format!(
                "{name}: did nothing; its steps are now under Done here before: read them, then follow it if they fit"
            );
            state.remarks.followed.push(told);
            self.executor.record(flight.ended(Outcome::Done));
            self.executor.drop_queue("the recipe was shown first");
            return Ok(());
        }
        let asked = Asked {
            values: &follow.values,
            first: follow.first,
            last: follow.last,
            parameters: &self.executor.task.parameters,
        };
        match Following::begin(&name, item, recipe, asked) {
            Ok(following) => {
                self.executor.state.following = Some(following);
                // It is neither an error nor a repetition, whatever comes of it.
                self.executor.record(flight.ended(Outcome::Done));
                Ok(())
            }
            Err(why) => {
                let refused = Outcome::failed(ErrorClass::BadArguments, &why);
                self.absorb(flight.ended(refused)).await
            }
        }
    }

    /// Queues the next step of the recipe that the run follows. Returns true if a step was queued, and false if the run follows no
    /// recipe or stops following it here.
    pub(super) async fn follow_step(&mut self) -> Result<bool, StopReason> {
        loop {
            let Some(mut following) = self.executor.state.following.take() else {
                return Ok(false);
            };
            self.executor.observe().await?;
            let secrets: Vec<SecretName> = self.executor.task.vault.names().cloned().collect();
            let typed = self.executor.typed();
            let page = self.executor.state.page.now();
            let (next, answer) = page.map_or((Next::End, None), |page| {
                let here = Here {
                    page: page.searched(),
                    seen: &page.observation,
                    template: page.place.template(),
                    parameters: &self.executor.task.parameters,
                    secrets: &secrets,
                };
                let next = following.next(&here);
                let own = || own_words(&page.observation, &typed);
                let ends = next == Next::End;
                let answer = ends.then(|| following.read_again(&here, &own()));
                (next, answer.flatten())
            });
            match next {
                Next::Act { action, number } => {
                    let page = self.executor.state.page.now();
                    let whole = action.with_parameters(&self.executor.task.parameters);
                    let effect = judged(whole.as_ref().unwrap_or(&action), page);
                    let action = Action::Browser(action);
                    let targets = page.and_then(|page| identities(&action, page));
                    if !following.permit(effect, self.executor.state.page.is_shown()) {
                        self.executor.state.following = Some(following);
                        continue;
                    }
                    self.queue_step(following, action, targets, number);
                    return Ok(true);
                }
                Next::Wait => {
                    self.executor.state.following = Some(following);
                    sleep(PAUSE).await;
                    self.executor.state.page.touch();
                }
                Next::End => {
                    self.end_follow(&following);
                    let is_read = answer.is_some();
                    if let Some(finish) = answer {
                        let by = following.by();
                        let finish = Action::Agent(AgentAction::Finish(finish));
                        let queue = &mut self.executor.state.queue;
                        queue.add_first(Queued::new(finish, by, None));
                    }
                    return Ok(is_read);
                }
            }
        }
    }

    fn queue_step(
        &mut self,
        following: Following,
        action: Action,
        targets: Option<Vec<crate::page::TargetIdentity>>,
        number: usize,
    ) {
        self.executor.emitter.emit(EventKind::StepReplayed {
            item: following.item.clone(),
            number,
            of: following.recipe.steps.len(),
        });
        let by = following.by();
        let state = &mut self.executor.state;
        state.offered.follow(&following.item);
        state.progress.count_replayed();
        state.queue.add_first(Queued::new(action, by, targets));
        state.following = Some(following);
    }

    /// Records what came of the last step, which is one of the recipe that the run follows.
    pub(super) fn followed_last(&mut self) {
        let parameters = &self.executor.task.parameters;
        let state = &mut self.executor.state;
        let (Some(following), Some(step)) = (&mut state.following, state.memory.steps().last())
        else {
            return;
        };
        let goes_astray = following.acted(step, parameters);
        if goes_astray {
            state.memory.edit_steps(|steps| {
                if let Some(Step {
                    by: By::Recipe { astray, .. },
                    ..
                }) = steps.last_mut()
                {
                    *astray = true;
                }
            });
        }
    }

    /// Tells the model what came of a recipe. If the run stopped before its end, the rest of the reply is dropped, because it was
    /// decided on the assumption that all steps would be taken.
    fn end_follow(&mut self, following: &Following) {
        let summary = following.summary();
        let state = &mut self.executor.state;
        state.remarks.followed.extend(following.answer());
        state.memory.edit_steps(|steps| {
            let is_call = |step: &&mut Step| step.action.tool_name() == "follow";
            if let Some(call) = steps
                .iter_mut()
                .rev()
                .find(is_call)
                .filter(|_| following.chosen == Chosen::Model)
            {
                call.gave = Some(summary);
            }
        });
        if !following.is_whole() {
            self.executor
                .drop_queue("the recipe stopped before its end");
        }
    }
}
