//! The elements of a page that are named in advice.

use std::collections::{HashMap, HashSet};

use super::{Advice, Aim, Line, PageName, Piece, Section};
use crate::page::{ElementRef, NodeId, TargetIdentity, Tree, sketch_nodes};

/// Returns the elements that the advice names: each name and the reference of its element. A name is left out unless exactly
/// one element of the page has it. Names in steps of earlier runs are left out too.
pub(crate) fn places(advice: &[Advice], page: &Tree) -> Vec<(PageName, ElementRef)> {
    let tips = advice
        .iter()
        .filter(|one| *one.section() != Section::Recipes);
    let pieces = tips.flat_map(Advice::lines).flat_map(Line::pieces);
    let names: HashSet<&PageName> = pieces
        .filter_map(|piece| match piece {
            Piece::Name(name) => Some(name),
            Piece::Words(_) => None,
        })
        .collect();
    if names.is_empty() {
        return Vec::new();
    }
    let mut here: HashMap<PageName, Vec<(NodeId, TargetIdentity)>> = HashMap::new();
    for (id, identity) in sketch_nodes(page, |role| names.iter().any(|name| name.is_of(role))) {
        let aim = Aim::of(&identity);
        let name = PageName::new(&aim.role, &aim.name, aim.ordinal);
        here.entry(name).or_default().push((id, identity));
    }
    let place = |name: &PageName| {
        let alike = here.get(&name.without_group())?.iter();
        let is_there =
            |identity: &TargetIdentity| name.group().is_none_or(|own| is_within(identity, own));
        let mut found = alike.filter(|(_, identity)| is_there(identity));
        let (id, ..) = found.next()?;
        let is_only = found.next().is_none();
        page[*id].reference.clone().filter(|_| is_only)
    };
    names
        .into_iter()
        .filter_map(|name| Some((name.clone(), place(name)?)))
        .collect()
}

fn is_within(identity: &TargetIdentity, group: &str) -> bool {
    let groups = Aim::groups(identity);
    groups.iter().any(|own| PageName::plain(own) == group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        base::Trust,
        memory::{AdviceId, Namespace, Shelf},
        page::Role,
    };

    #[test]
    fn a_name_has_a_place_if_it_fits_one_element_of_the_page() {
        let page = crate::testing::tree(
            "form \"Draft\"\n  button \"Save\" e2\nform \"Letter\"\n  button \"Save\" e3\n\
             button \"Send\" e4\ntextbox \"\" e5\ntextbox \"\" e6\n",
        );
        let name = |role, name: &str, at| PageName::new(&role, name, at);
        let save = name(Role::Button, "Save", None);
        let names = [
            save.clone(),
            save.within("Letter"),
            name(Role::Button, "Send", None),
            name(Role::Link, "Send", None),
            name(Role::TextBox, "", Some(1)),
            name(Role::TextBox, "", Some(2)),
        ];
        let id = AdviceId {
            shelf: Shelf::global(&Namespace::default(), "x"),
            key: "k".to_owned(),
        };
        let pieces = names.map(Piece::Name);
        let advice = Advice::with_names(id, pieces, Trust::Code, Section::SiteTips).unwrap();
        let mut found: Vec<String> = places(&[advice], &page)
            .iter()
            .map(|(name, place)| format!("{place} {name}"))
            .collect();
        found.sort();
        assert_eq!(
            found,
            [
                r#"e3 button "Save" in "Letter""#,
                r#"e4 button "Send""#,
                "e6 textbox number 2"
            ]
        );
    }
}
