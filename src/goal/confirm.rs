//! Confirmation of a template (a recorded goal with holes for new values) by further runs of the same steps with other
//! values.
//!
//! The first run gives a template in which even weak evidence makes a hole. The goal of each further run must then have
//! exactly one reading that predicts the texts of that run's steps. A hole whose value varied is confirmed, unless the
//! value may be the verb of the goal. A hole with weak evidence whose value never varied becomes fixed text again.

use std::collections::BTreeMap;

use super::{
    lex::Token,
    origin::{Explained, Origin, Parts, Piece, Source},
    parse::{Reading, parses},
    program::{Value, apply, is_equal},
    record::{Field, Literals, Recorded},
    slots::{Hole, may_be_verb},
    template::{Template, found, read},
    trace::{Literal, literals},
    verdict::State,
};

type Texts = BTreeMap<(usize, Field), Literal>;

/// Builds the template of several runs of one task. Returns `None` if the runs contradict each other, if a run's goal
/// can be read in two ways that both fit its steps, if no value varied, or if some confirmed value is used by no step.
pub(super) fn confirm(runs: &[Recorded]) -> Option<Template> {
    let (first, others) = runs.split_first()?;
    let weak = Template::build(first, true);
    let mut varied = vec![false; weak.holes.len()];
    let mut readings: Vec<(Vec<Value>, Texts)> = Vec::new();
    for run in others {
        if !is_same_skeleton(first, run) {
            return None;
        }
        let texts = texts_of(run);
        let (goal, tokens) = read(&run.goal, &run.params).ok()?;
        let predicts = |reading: &Reading| {
            let new = Template::values(reading, &tokens, &goal);
            prune(&weak, &new, &texts).map(|_| new)
        };
        let readings_of_run = parses(&weak.tokens, &weak.holes, &tokens);
        let mut right = readings_of_run.iter().filter_map(predicts);
        let new = right.next()?;
        if right.next().is_some() {
            return None;
        }
        for (varied, changed) in varied.iter_mut().zip(weak.changed(&new)) {
            *varied |= changed;
        }
        readings.push((new, texts));
    }
    if !varied.contains(&true) {
        return None;
    }
    let strong: Vec<(usize, usize)> = Template::build(first, false)
        .holes
        .iter()
        .map(|hole| (hole.start, hole.end))
        .collect();
    let is_kept = |at: usize| {
        let hole = &weak.holes[at];
        varied[at] || strong.contains(&(hole.start, hole.end))
    };
    let kept: Vec<usize> = (0..weak.holes.len()).filter(|at| is_kept(*at)).collect();
    let holes: Vec<Hole> = kept
        .iter()
        .map(|at| confirmed(&weak.tokens, &weak.holes[*at], varied[*at]))
        .collect();
    let found = found(&weak.tokens, &weak.goal, first);
    let mut template = weak.with_holes(holes, found);
    for (new, texts) in &readings {
        let new: Vec<Value> = kept.iter().map(|at| new[*at].clone()).collect();
        template.explained = prune(&template, &new, texts)?;
    }
    let is_used = |at: usize| {
        template
            .explained
            .iter()
            .any(|text| text.origin.uses(&|hole| hole == at))
    };
    let all_used = (0..template.holes.len())
        .all(|at| template.holes[at].state != State::Confirmed || is_used(at));
    all_used.then(|| template.with_runs(runs))
}

/// Returns the hole with its state after all runs. A hole whose value varied is confirmed, unless the value may be the verb
/// of the goal: a new verb makes another task, which a person must approve.
fn confirmed(tokens: &[Token], hole: &Hole, has_varied: bool) -> Hole {
    let is_proven = has_varied && !may_be_verb(tokens, hole.start, hole.end);
    let is_declared = hole.state == State::Declared;
    Hole {
        id: if is_declared {
            hole.id.clone()
        } else {
            String::new()
        },
        state: if is_proven {
            State::Confirmed
        } else {
            hole.state
        },
        ..hole.clone()
    }
}

fn texts_of(run: &Recorded) -> Texts {
    let keyed = |literal: Literal| ((literal.step, literal.field), literal);
    literals(&run.steps).into_iter().map(keyed).collect()
}

/// Reports whether the steps of both runs have the same actions, roles of targets, field labels and pressed keys. Their
/// texts may differ.
fn is_same_skeleton(a: &Recorded, b: &Recorded) -> bool {
    let is_same = |(a, b): (&Literals, &Literals)| {
        let is_field = a.text.is_some() || a.option.is_some();
        a.action == b.action
            && a.role == b.role
            && a.label == b.label
            && a.key == b.key
            && a.text.is_some() == b.text.is_some()
            && a.option.is_some() == b.option.is_some()
            && a.url.is_some() == b.url.is_some()
            && a.name.is_some() == b.name.is_some()
            && (!is_field || a.name == b.name)
    };
    let same_texts = || {
        let (a, b) = (texts_of(a), texts_of(b));
        a.keys().eq(b.keys())
            && a.iter()
                .zip(&b)
                .all(|((_, a), (_, b))| !matches!(a.field, Field::Query(_)) || a.label == b.label)
    };
    a.steps.len() == b.steps.len() && a.steps.iter().zip(&b.steps).all(is_same) && same_texts()
}

/// Returns the template's texts without the explanations that fail to predict the texts of another run; `None` if a text has
/// no explanation left. `new` and `texts` are the values and the texts of the other run.
fn prune(template: &Template, new: &[Value], texts: &Texts) -> Option<Vec<Explained>> {
    let changed = template.changed(new);
    template
        .explained
        .iter()
        .map(|text| {
            let other = texts.get(&(text.literal.step, text.literal.field))?;
            prune_text(text, new, &changed, other)
        })
        .collect()
}

fn prune_text(
    text: &Explained,
    new: &[Value],
    changed: &[bool],
    other: &Literal,
) -> Option<Explained> {
    let literal = &text.literal;
    let is_equal_text = is_equal(literal.field, &literal.value, &other.value);
    let origin = match &text.origin {
        // A target that was picked from several may be another one in each run.
        origin if text.is_choice() => origin.clone(),
        Origin::Whole(sources) => {
            let kept: Vec<Source> = sources
                .iter()
                .filter_map(|source| {
                    prune_source(
                        source,
                        literal.field,
                        &literal.value,
                        &other.value,
                        new,
                        changed,
                    )
                })
                .collect();
            if kept.is_empty() {
                return None;
            }
            Origin::Whole(kept)
        }
        Origin::Parts(parts) => {
            let is_predicted = is_equal_text && !touches(parts, changed)
                || predicts(parts, literal, other, new, changed);
            is_predicted.then(|| Origin::Parts(parts.clone()))?
        }
        Origin::Constant(runs) => is_equal_text.then_some(Origin::Constant(runs + 1))?,
        Origin::Nothing => is_equal_text.then_some(Origin::Constant(2))?,
    };
    Some(Explained {
        literal: literal.clone(),
        origin,
    })
}

/// Returns the source if it also predicts `new_text`, the text of the other run; otherwise `None`. If the value of a hole
/// changed, keeps only the programs that turn the new value into `new_text`.
fn prune_source(
    source: &Source,
    field: Field,
    old_text: &str,
    new_text: &str,
    new: &[Value],
    changed: &[bool],
) -> Option<Source> {
    let is_equal_text = is_equal(field, old_text, new_text);
    match source {
        Source::Hole { hole, .. } if !changed[*hole] => is_equal_text.then(|| source.clone()),
        Source::Hole { hole, programs } => {
            let fits = |program: &super::program::Program| {
                apply(*program, &new[*hole])
                    .iter()
                    .any(|text| is_equal(field, text, new_text))
            };
            let programs: Vec<_> = programs.iter().copied().filter(fits).collect();
            (!programs.is_empty()).then_some(Source::Hole {
                hole: *hole,
                programs,
            })
        }
        Source::Frame => is_equal_text.then_some(Source::Frame),
        Source::Entangled(hole) => (is_equal_text && !changed[*hole]).then(|| source.clone()),
    }
}

fn touches(parts: &Parts, changed: &[bool]) -> bool {
    parts.pieces.iter().any(|piece| match piece {
        Piece::Fixed(_) => false,
        Piece::Sources { sources, .. } => sources.iter().any(|source| match source {
            Source::Hole { hole, .. } | Source::Entangled(hole) => changed[*hole],
            Source::Frame => false,
        }),
    })
}

/// Returns true if filling `parts` with the changed values of the other run (`new`) gives that run's text, `other`. `parts`
/// are the parts of the text `literal`; if this text is not the name of an element, the result is false.
fn predicts(
    parts: &Parts,
    literal: &Literal,
    other: &Literal,
    new: &[Value],
    changed: &[bool],
) -> bool {
    if literal.field != Field::Name {
        return false;
    }
    let mut predicted = String::new();
    for piece in &parts.pieces {
        match piece {
            Piece::Fixed(text) => predicted.push_str(text),
            Piece::Sources { text, sources } => {
                let value = sources.iter().find_map(|source| match source {
                    Source::Hole { hole, programs } if changed[*hole] => {
                        apply(*programs.first()?, &new[*hole]).pop()
                    }
                    _ => None,
                });
                predicted.push_str(value.as_deref().unwrap_or(text));
            }
        }
    }
    is_equal(literal.field, &predicted, &other.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::{
        Reason,
        sample::{accepted, click, fill, goto, none, picked, refused, select, task},
    };

    fn both(first: (&str, Vec<Literals>), second: (&str, Vec<Literals>)) -> Option<Template> {
        Template::compile(&task(first.0, first.1)).confirm(&task(second.0, second.1))
    }

    #[test]
    fn a_second_run_proves_what_one_does_not_show() {
        let steps = |order: &str, status: &str| {
            vec![
                goto(&format!("https://a.example/orders/{order}")),
                click("menuitem", status),
            ]
        };
        let template = both(
            ("Mark order 5512 as shipped", steps("5512", "Shipped")),
            ("Mark order 5620 as cancelled", steps("5620", "Cancelled")),
        );
        let template = template.expect("both runs fit");
        assert_eq!(
            accepted(&template, "Mark order 7 as returned"),
            ["0.url https://a.example/orders/7", "1.name returned"]
        );
        assert_eq!(
            refused(&template, "Mark order 7 as not returned"),
            Reason::ClosedClass
        );
        assert_eq!(
            refused(&template, "Mark invoice 7 as returned"),
            Reason::Frame
        );
    }

    #[test]
    fn a_verb_that_did_not_vary_stays_in_the_frame() {
        let steps = |name: &str| vec![picked("link", name), click("button", "Delete")];
        let template = both(
            ("Delete project Alpha", steps("Alpha")),
            ("Delete project Beta", steps("Beta")),
        )
        .unwrap();
        assert_eq!(template.slots().len(), 1);
        assert_eq!(refused(&template, "Archive project Alpha"), Reason::Frame);
    }

    #[test]
    fn a_verb_that_varied_still_needs_approval() {
        let run = |verb: &str, order: &str| {
            let steps = vec![
                goto(&format!("https://a.example/orders/{order}")),
                click("menuitem", verb),
            ];
            let mut run = task(&format!("{verb} order {order}"), steps);
            run.irreversible = true;
            run
        };
        let template = Template::compile(&run("Archive", "1001"))
            .confirm(&run("Delete", "1002"))
            .unwrap();
        let order = template.matches("Archive order 1003", &none());
        assert!(
            order
                .accepted()
                .is_some_and(|accepted| !accepted.needs_approval)
        );
        let verb = template.matches("Cancel order 1003", &none());
        assert!(
            verb.accepted()
                .is_some_and(|accepted| accepted.needs_approval)
        );
    }

    #[test]
    fn programs_are_pruned_to_those_that_fit_both_runs() {
        let run = |goal, text| (goal, vec![fill("Date", text)]);
        let first = run("Show bookings on 3 March 2025", "03/03/2025");
        let template = both(first, run("Show bookings on 14 June 2025", "14/06/2025")).unwrap();
        assert_eq!(
            accepted(&template, "Show bookings on 4 May 2025"),
            ["0.text 04/05/2025"]
        );
    }

    #[test]
    fn equal_texts_become_constants_and_others_end_the_proof() {
        let run = |goal, guests, note| (goal, vec![fill("Guests", guests), select("Area", note)]);
        let first = || run("Book for 4 people", "4", "Window");
        let template = both(first(), run("Book for 6 people", "6", "Window")).unwrap();
        assert_eq!(accepted(&template, "Book for 2 people"), ["0.text 2"]);
        assert!(both(first(), run("Book for 6 people", "6", "Garden")).is_none());
        assert!(both(first(), run("Book for 6 people", "7", "Window")).is_none());
        assert!(
            both(first(), run("Book for 4 people", "4", "Window")).is_none(),
            "nothing varied"
        );
        assert!(
            both(first(), ("Book for 6 people", vec![fill("Guests", "6")])).is_none(),
            "other steps"
        );
    }

    #[test]
    fn a_third_run_adds_to_the_proof() {
        let run = |goal: &str, city: &str, rooms: &str| {
            task(goal, vec![fill("City", city), click("button", rooms)])
        };
        let template = Template::compile(&run("Find Rome single", "Rome", "Single"));
        let template = template
            .confirm(&run("Find Oslo single", "Oslo", "Single"))
            .unwrap();
        assert!(
            template
                .matches("Find Bonn double", &none())
                .accepted()
                .is_none()
        );
        let template = template
            .confirm(&run("Find Oslo double", "Oslo", "Double"))
            .unwrap();
        assert_eq!(
            accepted(&template, "Find Bonn triple"),
            ["0.text Bonn", "1.name triple"]
        );
        assert_eq!(template.runs().len(), 3);
    }
}
