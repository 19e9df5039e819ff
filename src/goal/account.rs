//! Decides which new texts replace the recorded texts of a template's steps. A template is a recorded goal with holes for
//! new values. A new goal that can be read in several ways is refused before; this module judges the only reading.
//!
//! Every text of a recorded step needs a source: a hole of the template, other words of the goal, the page itself (for
//! example for a button's name), the choice of one element among several, or several runs in which the text was the
//! same. If a text has no source, a new goal is accepted only if all its values are equal to the recorded values, or if
//! the model decides the step anew.

use super::{
    address::Address,
    date_format::Parts as DateParts,
    fold::{compose, fold},
    guards::is_alike,
    lex::Kind,
    numbers::plain_value,
    origin::{Explained, Origin, Parts, Piece, Rest, Source},
    program::{Program, Value, apply, is_equal, used_parts},
    record::{Field, Literals, Recorded},
    scripts::Script,
    slots::Hole,
    trace::Literal,
    verdict::{Arg, ArgField, Question, Reason, State, Verdict},
    words,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    Refuse(Reason),
    Ask(Question),
}

impl From<Reason> for Stop {
    fn from(reason: Reason) -> Self {
        Self::Refuse(reason)
    }
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refuse(reason) => Self::Refuse { reason },
            Stop::Ask(question) => Self::Ask(question),
        }
    }
}

/// The input of the decision: the recorded run with its template, and the values that the new goal has in the template's
/// holes.
pub(super) struct Account<'a> {
    pub(super) record: &'a Recorded,
    pub(super) explained: &'a [Explained],
    pub(super) holes: &'a [Hole],
    /// For each hole, the words before and after it in the recorded goal.
    pub(super) neighbours: &'a [[Option<String>; 2]],
    pub(super) new: &'a [Value],
    pub(super) changed: Vec<bool>,
}

/// The result for an accepted goal: the texts that change, and the indices of the steps that the model must decide anew.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) args: Vec<Arg>,
    pub(super) open_steps: Vec<usize>,
}

enum Becomes {
    Kept,
    New(String),
}

impl Account<'_> {
    pub(super) fn give(&self) -> Result<Plan, Stop> {
        let mut plan = Plan {
            open_steps: self.open_steps(),
            ..Plan::default()
        };
        let goal = fold(&compose(&self.record.goal));
        let is_relative = words::is_relative_time(&goal);
        let mut used: Vec<Option<DateParts>> = vec![None; self.holes.len()];
        let mut addresses: Vec<(usize, Address)> = Vec::new();
        for text in self.explained {
            let literal = &text.literal;
            let is_open = plan.open_steps.contains(&literal.step);
            if !is_open {
                stale(text, is_relative)?;
            }
            let new = match self.becomes(text, is_open, &mut used)? {
                Becomes::Kept => continue,
                Becomes::New(new)
                    if is_equal(literal.field, &new, &literal.value)
                        && literal.field != Field::Text =>
                {
                    continue;
                }
                Becomes::New(new) if new == literal.value => continue,
                Becomes::New(new) => new,
            };
            match literal.field {
                Field::Text | Field::Option | Field::Name => plan.args.push(Arg {
                    step: literal.step,
                    field: ArgField::from(literal.field),
                    label: literal.label_text.clone(),
                    old: literal.value.clone(),
                    new,
                }),
                Field::Path(_) | Field::Query(_) => self.put(&mut addresses, literal, &new)?,
            }
        }
        for (step, address) in addresses {
            let old = self.record.steps[step].url.clone().unwrap_or_default();
            plan.args.push(Arg {
                step,
                field: ArgField::Url,
                label: None,
                old,
                new: address.to_url(),
            });
        }
        plan.args.sort_by_key(|arg| (arg.step, arg.field));
        self.all_used(&used)?;
        Ok(plan)
    }

    /// Returns the indices of the steps whose target the model must choose anew. In these steps, the target was picked from
    /// several similar elements, and the goal does not name it.
    fn open_steps(&self) -> Vec<usize> {
        let is_open = |(at, step): (usize, &Literals)| {
            let is_choice = |text: &&Explained| text.literal.step == at && text.is_choice();
            let is_nameless = step
                .name
                .as_deref()
                .is_none_or(|name| name.trim().is_empty());
            (self.explained.iter().any(|text| is_choice(&text)) || (step.is_picked && is_nameless))
                .then_some(at)
        };
        self.record
            .steps
            .iter()
            .enumerate()
            .filter_map(is_open)
            .collect()
    }

    fn any_changed(&self) -> bool {
        self.changed.contains(&true)
    }

    fn put(
        &self,
        addresses: &mut Vec<(usize, Address)>,
        literal: &Literal,
        new: &str,
    ) -> Result<(), Stop> {
        if !addresses.iter().any(|(step, _)| *step == literal.step) {
            let url = self.record.steps[literal.step]
                .url
                .as_deref()
                .unwrap_or_default();
            addresses.push((literal.step, Address::parse(url)));
        }
        let address = addresses.iter_mut().find(|(step, _)| *step == literal.step);
        let is_put = address.is_some_and(|(_, address)| match literal.field {
            Field::Path(at) => address.set_segment(at, new),
            Field::Query(at) => {
                address.set_value(at, new);
                true
            }
            _ => false,
        });
        if is_put {
            Ok(())
        } else {
            Err(Reason::Address.into())
        }
    }

    /// Checks that every changed value is used by a step. If a date changed, steps must use each part of it (day, month,
    /// year) that changed.
    fn all_used(&self, used: &[Option<DateParts>]) -> Result<(), Stop> {
        for (at, hole) in self
            .holes
            .iter()
            .enumerate()
            .filter(|(at, _)| self.changed[*at])
        {
            let parts = used[at].ok_or(Reason::Unused)?;
            let dates = [&hole.value, &self.new[at]]
                .map(|value| value.single(Kind::Date).map(|token| &token.dates));
            if let [Some(old), Some(new)] = dates {
                let is_covered = old
                    .iter()
                    .all(|old| new.iter().all(|new| parts.cover(old.date, new.date)));
                if !is_covered {
                    return Err(Reason::Unused.into());
                }
            }
        }
        Ok(())
    }

    fn becomes(
        &self,
        text: &Explained,
        is_open: bool,
        used: &mut [Option<DateParts>],
    ) -> Result<Becomes, Stop> {
        let literal = &text.literal;
        let new = match &text.origin {
            _ if text.is_choice() => return Ok(Becomes::Kept),
            Origin::Whole(sources) => {
                self.by_sources(literal, sources, &literal.value, is_open, used)?
            }
            Origin::Parts(parts) => self.by_parts(literal, parts, is_open, used)?,
            Origin::Constant(_) => return Ok(Becomes::Kept),
            Origin::Nothing => Becomes::Kept,
        };
        // A text without a source may depend on a value that changed, as an article number depends on the article.
        let is_left = matches!(new, Becomes::Kept) && text.unexplained() > Rest::Nothing;
        let is_certain = is_open || !self.any_changed() || text.comes_from_the_page();
        let is_part_of_name =
            literal.field == Field::Name && matches!(text.origin, Origin::Parts(_));
        if is_left && !is_certain && !is_part_of_name {
            return Err(Reason::Unexplained.into());
        }
        Ok(new)
    }

    fn by_parts(
        &self,
        literal: &Literal,
        parts: &Parts,
        is_open: bool,
        used: &mut [Option<DateParts>],
    ) -> Result<Becomes, Stop> {
        let is_touched = |piece: &Piece| match piece {
            Piece::Fixed(_) => false,
            Piece::Sources { sources, .. } => sources.iter().any(|source| self.is_changed(source)),
        };
        if !parts.pieces.iter().any(is_touched) {
            return Ok(Becomes::Kept);
        }
        // Typed text with a value in it was composed by a person or a model. In any text, a number beside the value may
        // depend on the value.
        if literal.field == Field::Text || parts.rest >= Rest::Numbers {
            return Err(Reason::Composed.into());
        }
        let mut out = String::new();
        for piece in &parts.pieces {
            match piece {
                Piece::Fixed(text) => out.push_str(text),
                Piece::Sources { text, sources } => {
                    match self.by_sources(literal, sources, text, is_open, used)? {
                        Becomes::New(new) => out.push_str(&new),
                        Becomes::Kept => out.push_str(text),
                    }
                }
            }
        }
        Ok(Becomes::New(out))
    }

    fn is_changed(&self, source: &Source) -> bool {
        match source {
            Source::Hole { hole, .. } | Source::Entangled(hole) => self.changed[*hole],
            Source::Frame => false,
        }
    }

    /// Returns the text that replaces `old`. If exactly one source is near the field, as [`is_near`](Self::is_near) reports,
    /// only that source counts. Otherwise all sources must give the same text.
    fn by_sources(
        &self,
        literal: &Literal,
        sources: &[Source],
        old: &str,
        is_open: bool,
        used: &mut [Option<DateParts>],
    ) -> Result<Becomes, Stop> {
        let near: Vec<&Source> = sources
            .iter()
            .filter(|source| self.is_near(literal, source))
            .collect();
        let is_near = near.len() == 1;
        let sources = if is_near {
            near
        } else {
            sources.iter().collect()
        };
        if !sources.iter().any(|source| self.is_changed(source)) {
            return Ok(self.respelled(literal, &sources, old));
        }
        let mut results: Vec<String> = Vec::new();
        let mut is_date = false;
        for source in &sources {
            match source {
                Source::Hole { hole, programs } if self.changed[*hole] => {
                    if !is_near && !is_open {
                        self.short(literal, *hole, programs)?;
                    }
                    is_date |= self.new[*hole].single(Kind::Date).is_some();
                    results.extend(self.results(*hole, programs)?);
                }
                Source::Entangled(hole) if self.changed[*hole] => {
                    return Err(Reason::Composed.into());
                }
                _ => results.push(old.to_owned()),
            }
        }
        let is_case_free = literal.field != Field::Text || is_date;
        let is_same = |a: &String, b: &String| a == b || (is_case_free && fold(a) == fold(b));
        let mut different: Vec<String> = Vec::new();
        for result in results {
            if !different.iter().any(|other| is_same(other, &result)) {
                different.push(result);
            }
        }
        let is_split = sources.iter().any(|source| !self.is_changed(source));
        match different.len() {
            0 => return Err(Reason::NoProgram.into()),
            1 => {}
            _ if is_split => return Err(ask(Reason::WhichOccurrence, literal, different)),
            _ => return Err(ask(Reason::ProgramsDisagree, literal, different)),
        }
        for source in &sources {
            if let Source::Hole { hole, programs } = source {
                let parts = programs.iter().map(|program| used_parts(*program));
                let parts = parts.fold(DateParts::ALL, DateParts::and);
                used[*hole] = Some(used[*hole].unwrap_or_default().or(parts));
            }
        }
        Ok(Becomes::New(different.swap_remove(0)))
    }

    /// Returns the text of a step for a value that did not change. If the step typed the value as the recorded goal
    /// spells it, and nothing else explains the typed text, returns the value in the new goal's spelling, for example
    /// with other capitals. Otherwise returns the recorded text, for example for a date that has another format in the
    /// new goal.
    fn respelled(&self, literal: &Literal, sources: &[&Source], old: &str) -> Becomes {
        let spelled = sources.iter().find_map(|source| match source {
            Source::Hole { hole, programs }
                if literal.field == Field::Text && programs.as_slice() == [Program::Verbatim] =>
            {
                Some(self.new[*hole].text.clone())
            }
            _ => None,
        });
        match spelled {
            Some(new) if new != old => Becomes::New(new),
            _ => Becomes::Kept,
        }
    }

    fn results(&self, hole: usize, programs: &[Program]) -> Result<Vec<String>, Stop> {
        let mut results = Vec::new();
        for program in programs {
            let outputs = apply(*program, &self.new[hole]);
            // A date program may not apply, because it is for one language or one order of day and month only. Any other
            // program must apply.
            if outputs.is_empty() && !matches!(program, Program::Date { .. }) {
                return Err(Reason::NoProgram.into());
            }
            results.extend(outputs);
        }
        Ok(results)
    }

    /// Checks that a new value may replace a recorded value that is so short that it can occur in a step by chance.
    /// Refuses the new value if the recorded value occurs more often or less often in the goal than in the steps. If the
    /// run has a step that cannot be undone, asks a person about each typed text that contains the recorded value. Dates
    /// and confirmed holes always pass.
    fn short(&self, literal: &Literal, hole: usize, programs: &[Program]) -> Result<(), Stop> {
        let own = &self.holes[hole];
        // A day or a month is exempt: the tracer accepts it only in a field or a calendar cell that expects one.
        let is_part = own.value.single(Kind::Date).is_some();
        if own.state == State::Confirmed || is_part || !is_short(&own.value) {
            return Ok(());
        }
        let is_twin = |at: usize| self.holes[at].value.fold == own.value.fold;
        let places = (0..self.holes.len()).filter(|at| is_twin(*at)).count();
        let uses = self
            .explained
            .iter()
            .filter(|text| text.origin.uses(&is_twin))
            .count();
        if uses != places {
            return Err(Reason::ShortValue.into());
        }
        if self.record.irreversible && literal.field == Field::Text {
            return Err(ask(
                Reason::ShortValue,
                literal,
                self.results(hole, programs)?,
            ));
        }
        Ok(())
    }

    /// Reports whether the source is a hole near the literal's field. A hole is near if a word beside the hole in the
    /// recorded goal is also a word of the field's label.
    fn is_near(&self, literal: &Literal, source: &Source) -> bool {
        let Source::Hole { hole, .. } = source else {
            return false;
        };
        let words = self.neighbours[*hole].iter().flatten();
        words
            .into_iter()
            .any(|word| literal.label.iter().any(|label| is_named(word, label)))
    }
}

/// Refuses a recorded text with a date or a time that does not come from the recorded goal. If this goal has a relative
/// time such as "tomorrow" (`is_relative`), also refuses a text with any number that does not come from it. The origin
/// and the fragment of an address are not checked.
fn stale(text: &Explained, is_relative: bool) -> Result<(), Stop> {
    let least = if is_relative {
        Rest::Numbers
    } else {
        Rest::Time
    };
    if text.unexplained() >= least {
        return Err(Reason::StaleTime.into());
    }
    Ok(())
}

fn ask(reason: Reason, literal: &Literal, choices: Vec<String>) -> Stop {
    Stop::Ask(Question {
        reason,
        step: Some(literal.step),
        label: literal.label_text.clone(),
        choices,
    })
}

/// Reports whether a value is so short that it occurs in texts by chance: one character, an identifier of at most two
/// characters, or a whole number below 100.
fn is_short(value: &Value) -> bool {
    /// Smallest number that does not count as short. Source: chosen.
    const LEAST_NUMBER: u64 = 100;
    let [token] = value.tokens.as_slice() else {
        return false;
    };
    match token.kind {
        Kind::Number => plain_value(&token.text).is_some_and(|value| value < LEAST_NUMBER),
        Kind::Id => token.fold.chars().count() <= 2,
        _ => token.fold.chars().count() == 1,
    }
}

/// Reports whether a word beside a value equals a word of a field's label, apart from a plural ending. In a script without
/// spaces, `word` is one character, and `label` only has to contain it.
fn is_named(word: &str, label: &str) -> bool {
    let is_character =
        word.chars().count() == 1 && word.chars().all(|c| Script::of(c).is_unspaced());
    is_alike(word, label) || (is_character && label.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::{
        Template,
        sample::{accepted, check, click, fill, goto, none, picked, press, refused, select, task},
    };

    fn template(goal: &str, steps: Vec<Literals>) -> Template {
        Template::compile(&task(goal, steps))
    }

    #[test]
    fn a_text_from_nowhere_is_refused_once_something_changed() {
        let order = template(
            "Reorder printer paper",
            vec![fill("Search", "printer paper"), fill("Article", "SKU-9921")],
        );
        assert_eq!(accepted(&order, "Reorder printer paper"), [""; 0]);
        assert_eq!(
            refused(&order, "Reorder ballpoint pens"),
            Reason::Unexplained
        );
        for step in [
            select("Department", "Kitchen"),
            check("Only new"),
            goto("https://a.example/projects/77"),
        ] {
            let order = template(
                "Reorder printer paper",
                vec![fill("Search", "printer paper"), step],
            );
            assert_eq!(
                refused(&order, "Reorder ballpoint pens"),
                Reason::Unexplained
            );
        }
        let page = [
            click("button", "Order"),
            click("link", "Help"),
            goto("https://a.example/shop?sort=rank"),
            press("Enter"),
        ];
        for step in page {
            let order = template(
                "Reorder printer paper",
                vec![fill("Search", "printer paper"), step],
            );
            assert_eq!(
                accepted(&order, "Reorder ballpoint pens"),
                ["0.text ballpoint pens"]
            );
        }
    }

    #[test]
    fn a_time_from_nowhere_is_refused_always() {
        for step in [
            fill("Date", "2025-03-04"),
            fill("Note", "since 2025-03-04"),
            select("Month", "February"),
            select("Year", "2025"),
            click("button", "10:30"),
            goto("https://a.example/?day=2025-03-04"),
        ] {
            let report = template("Show the bookings", vec![step]);
            assert_eq!(refused(&report, "Show the bookings"), Reason::StaleTime);
        }
        let cell = || vec![click("gridcell", "4")];
        for goal in ["Book a desk for tomorrow", "Book a desk for tomorrow."] {
            assert_eq!(refused(&template(goal, cell()), goal), Reason::StaleTime);
        }
        assert_eq!(
            accepted(&template("Book a desk", cell()), "Book a desk"),
            [""; 0]
        );
    }

    #[test]
    fn a_choice_from_the_page_stays_open() {
        let search = template(
            "Search for gloves",
            vec![fill("Search", "gloves"), picked("link", "Warm gloves XL")],
        );
        for goal in ["Search for gloves", "Search for shoes"] {
            let verdict = search.matches(goal, &none());
            assert_eq!(verdict.accepted().unwrap().open_steps, [1], "{goal}");
        }
        let nameless = Literals {
            name: None,
            ..picked("button", "")
        };
        let verdict = template("Delete the oldest project", vec![nameless])
            .matches("Delete the oldest project", &none());
        assert_eq!(verdict.accepted().unwrap().open_steps, [0]);
    }

    #[test]
    fn composed_text_is_not_guessed() {
        let tell = template(
            "Tell Anna that order 77120 is ready",
            vec![
                picked("link", "Anna"),
                fill("Message", "Hi Anna, order 77120 is ready"),
            ],
        );
        assert_eq!(
            refused(&tell, "Tell Ben that order 77120 is ready"),
            Reason::Composed
        );
        let open = template(
            "Open project Alpha",
            vec![picked("link", "Alpha"), goto("https://a.example/alpha-2")],
        );
        assert_eq!(refused(&open, "Open project Omega"), Reason::Composed);
    }

    #[test]
    fn names_of_the_page_follow_a_slot() {
        let steps = vec![
            goto("https://a.example/orders/5512"),
            click("button", "Close order 5512"),
        ];
        let close = template("Close order 5512", steps);
        assert_eq!(
            accepted(&close, "Close order 5513"),
            [
                "0.url https://a.example/orders/5513",
                "1.name Close order 5513"
            ]
        );
    }

    #[test]
    fn a_short_value_must_have_a_certain_place() {
        let rooms = |labels: [&str; 2]| {
            template(
                "Book 2 rooms for 2 nights",
                vec![fill(labels[0], "2"), fill(labels[1], "2")],
            )
        };
        let named = rooms(["Rooms", "Nights"]);
        assert_eq!(accepted(&named, "Book 3 rooms for 2 nights"), ["0.text 3"]);
        assert_eq!(accepted(&named, "Book 2 rooms for 5 nights"), ["1.text 5"]);
        let unnamed = rooms(["A", "B"]);
        assert_eq!(
            unnamed
                .matches("Book 3 rooms for 2 nights", &none())
                .reason(),
            Some(Reason::WhichOccurrence)
        );
        let stars = template(
            "Show 2 star hotels",
            vec![picked("link", "2"), picked("link", "2 stars")],
        );
        assert_eq!(refused(&stars, "Show 3 star hotels"), Reason::ShortValue);
        let mut table = task("Book a table for 4 people", vec![fill("Guests", "4")]);
        table.irreversible = true;
        let verdict = Template::compile(&table).matches("Book a table for 6 people", &none());
        let Verdict::Ask(question) = verdict else {
            panic!("{verdict:?}")
        };
        assert_eq!(
            (question.label.as_deref(), question.choices),
            (Some("Guests"), vec!["6".to_owned()])
        );
    }

    #[test]
    fn explanations_that_disagree_are_asked_about() {
        let book = template(
            "Show bookings on 3 March 2025",
            vec![fill("Date", "03/03/2025")],
        );
        assert_eq!(
            accepted(&book, "Show bookings on 5 May 2025"),
            ["0.text 05/05/2025"]
        );
        let Verdict::Ask(question) = book.matches("Show bookings on 4 May 2025", &none()) else {
            panic!("two orders of day and month")
        };
        assert_eq!(question.reason, Reason::ProgramsDisagree);
        assert_eq!(question.choices, ["04/05/2025", "05/04/2025"]);
    }

    #[test]
    fn every_changed_part_of_a_date_must_be_used() {
        let month = template(
            "Download the payroll for March 2025",
            vec![select("Month", "March")],
        );
        assert_eq!(
            accepted(&month, "Download the payroll for April 2025"),
            ["0.option April"]
        );
        assert_eq!(
            refused(&month, "Download the payroll for March 2024"),
            Reason::Unused
        );
        let both = vec![select("Month", "March"), select("Year", "2025")];
        let both = template("Download the payroll for March 2025", both);
        assert_eq!(
            accepted(&both, "Download the payroll for July 2024"),
            ["0.option July", "1.option 2024"]
        );
    }

    #[test]
    fn another_spelling_of_the_value_is_typed() {
        let note = template("Set the note to fixed today", vec![fill("Note", "fixed")]);
        assert_eq!(
            accepted(&note, "Set the note to Fixed today"),
            ["0.text Fixed"]
        );
    }

    #[test]
    fn a_value_that_climbs_out_of_the_path_is_refused() {
        let user = template(
            "Open the user \"anna 7\"",
            vec![goto("https://a.example/users/anna-7")],
        );
        assert_eq!(refused(&user, "Open the user \"..\""), Reason::Address);
    }
}
