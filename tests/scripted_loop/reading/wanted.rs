//! What a question about records asks for, as the policy understands it.

use crate::reading::policy::quoted;

/// What is asked of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    /// The nth of those with the lowest value, from 1.
    Lowest(usize),
    Highest,
    Sum,
    Count,
    Names,
    Exists,
    /// The nth record, from 1.
    Row(usize),
    Last,
    Value,
    Page,
}

/// A question about records.
#[derive(Debug)]
pub(crate) struct Wanted<'g> {
    pub(crate) op: Op,
    /// The field that is asked for.
    pub(crate) field: Option<&'g str>,
    /// What a record must have: a text, in a field or anywhere.
    pub(crate) having: Vec<(Option<&'g str>, &'g str)>,
}

impl<'g> Wanted<'g> {
    pub(crate) fn of(goal: &'g str) -> Self {
        let has = |words: &str| goal.contains(words);
        let ordinal = |word: &str| match word {
            "second" => Some(2),
            "third" => Some(3),
            "fourth" => Some(4),
            _ => None,
        };
        let row = goal
            .split_once(" row ")
            .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        let op = if let Some(row) = row {
            Op::Row(row)
        } else if has(" last row") || has(" last item") {
            Op::Last
        } else if has(" lowest ") {
            Op::Lowest(goal.split(' ').find_map(ordinal).unwrap_or(1))
        } else if has(" highest ") {
            Op::Highest
        } else if has("the sum of") {
            Op::Sum
        } else if has("How many") {
            Op::Count
        } else if has(" have both ") {
            Op::Names
        } else if has("Is there") {
            Op::Exists
        } else if has("On which page") {
            Op::Page
        } else {
            Op::Value
        };
        let is_field = |word: &&str| word.starts_with(|c: char| c.is_uppercase());
        let outside = goal.split('"').next().unwrap_or_default();
        // The first word of a question has a capital letter too.
        let mut fields = outside.split([' ', '?']).skip(1).filter(is_field);
        let having = quoted(goal).into_iter().map(|text| {
            let before = goal
                .split_once(&format!("\"{text}\""))
                .map_or("", |(before, _)| before);
            (before.trim_end().rsplit(' ').next().filter(is_field), text)
        });
        let having: Vec<_> = having.collect();
        let field = fields
            .next()
            .filter(|field| !having.iter().any(|(of, _)| of.as_ref() == Some(field)));
        Self { op, field, having }
    }

    /// The words to search for; `None` if every record must be read.
    pub(crate) fn query(&self) -> Option<String> {
        let texts: Vec<&str> = self.having.iter().map(|(_, text)| *text).collect();
        matches!(self.op, Op::Names | Op::Count | Op::Value | Op::Page).then(|| texts.join(" "))
    }
}
