//! The pictures that the calls of a reply took, until the next message shows them.

/// Maximum number of pictures that the next message shows beside the one of the window now; the newest are kept. Source:
/// chosen; enough to follow a short sequence, and in all 8,000 of the 64,000 tokens of a request.
const MAX_PICTURES: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Picture {
    png: Vec<u8>,
    /// The steps that took the picture. There are several if nothing changed between them.
    steps: Vec<u32>,
    /// The number of the observation right after the last of these steps; `None` if the picture shows only an element.
    window: Option<u64>,
}

/// The pictures that a reply asked for, in the order in which they were taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pictures {
    kept: Vec<Picture>,
    /// True if older pictures were left out because there were too many.
    is_cut: bool,
    /// The steps whose pictures were dropped because they show the same as the window now. Empty if only one such
    /// picture was dropped.
    same: Vec<u32>,
}

impl Pictures {
    /// Adds the picture that a step took. `window` is the number of the observation after the step; `None` if the picture
    /// shows only an element.
    pub(super) fn add(&mut self, step: u32, png: Vec<u8>, window: Option<u64>) {
        match self.kept.last_mut() {
            Some(last) if last.png == png && last.window.is_some() == window.is_some() => {
                last.steps.push(step);
                last.window = window;
            }
            _ => {
                let steps = vec![step];
                self.kept.push(Picture { png, steps, window });
            }
        }
        self.keep(MAX_PICTURES);
    }

    /// Drops the oldest pictures until at most `max` are left.
    pub(super) fn keep(&mut self, max: usize) {
        let surplus = self.kept.len().saturating_sub(max);
        self.is_cut |= surplus > 0;
        self.kept.drain(..surplus);
    }

    /// Drops the last picture if it shows the same as `now`, which is a picture of the window at the time of the
    /// observation `look`.
    ///
    /// If the last call of the reply took the only picture, the model wants to see the page as it is now. So that picture is
    /// dropped even if it differs from `now`, for example by a blinking cursor.
    pub(super) fn replace_last(&mut self, now: &[u8], look: u64) {
        let is_only = self.kept.len() == 1 && !self.is_cut;
        let is_same = |last: &mut Picture| {
            let is_last_call = is_only && last.steps.len() == 1 && last.window == Some(look);
            last.window.is_some() && (is_last_call || last.png == now)
        };
        if let Some(dropped) = self.kept.pop_if(is_same)
            && dropped.png == now
            && dropped.steps.len() > 1
        {
            self.same = dropped.steps;
        }
    }

    /// Returns true if one of the pictures shows the window.
    pub(super) fn show_window(&self) -> bool {
        self.kept.iter().any(|picture| picture.window.is_some())
    }

    /// Returns the sentence that tells from which steps the pictures are, and that they are followed by a picture of the
    /// window that `now` describes; `None` if there are no pictures.
    pub(super) fn note(&self, now: Option<&str>) -> Option<String> {
        let same = if self.same.is_empty() {
            String::new()
        } else {
            format!("; the pictures of {} are the same", steps(&self.same))
        };
        let told = match self.kept.as_slice() {
            [] => return now.map(|now| format!("the picture shows the window{now}{same}")),
            [only] if now.is_none() => format!("the picture is from {}", only.steps()),
            [first, others @ ..] => {
                let others = (2..).zip(others);
                let others: Vec<String> = others
                    .map(|(number, picture)| format!(", picture {number} from {}", picture.steps()))
                    .collect();
                format!("picture 1 is from {}{}", first.steps(), others.concat())
            }
        };
        let cut = if self.is_cut {
            ", older ones are left out"
        } else {
            ""
        };
        let now = now.map(|now| format!("; the last picture shows the window now{now}"));
        Some(format!("{told}{cut}{}{same}", now.unwrap_or_default()))
    }

    pub(super) fn into_pngs(self) -> impl Iterator<Item = Vec<u8>> {
        self.kept.into_iter().map(|picture| picture.png)
    }
}

impl Picture {
    fn steps(&self) -> String {
        steps(&self.steps)
    }
}

fn steps(numbers: &[u32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let s = if numbers.len() == 1 { "" } else { "s" };
    format!("step{s} {}", numbers.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(pngs: &[&str]) -> Pictures {
        let mut pictures = Pictures::default();
        for (step, png) in (1..).zip(pngs) {
            pictures.add(step, png.as_bytes().to_vec(), Some(step.into()));
        }
        pictures
    }

    fn left(pictures: Pictures) -> String {
        let text = |png: Vec<u8>| String::from_utf8(png).unwrap();
        pictures.into_pngs().map(text).collect()
    }

    #[test]
    fn the_newest_are_kept_and_what_did_not_change_is_one() {
        let many = taken(&["a", "b", "b", "c", "d", "e"]);
        let told = "picture 1 is from steps 2 and 3, picture 2 from step 4, picture 3 from step 5, picture 4 from step 6, \
                    older ones are left out";
        assert_eq!(many.note(None).unwrap(), told);
        assert_eq!(left(many), "bcde");
        assert_eq!(taken(&[]).note(None), None);
        assert_eq!(
            taken(&["a"]).note(None).unwrap(),
            "the picture is from step 1"
        );
        assert_eq!(
            taken(&[]).note(Some("!")).unwrap(),
            "the picture shows the window!"
        );
        assert_eq!(
            taken(&["a"]).note(Some("!")).unwrap(),
            "picture 1 is from step 1; the last picture shows the window now!"
        );
        let mut element = taken(&["a"]);
        element.add(2, b"a".to_vec(), None);
        assert_eq!(left(element), "aa", "one of them is of an element");
    }

    #[test]
    fn pictures_that_show_the_same_as_now_are_told() {
        let mut pictures = taken(&["a", "b", "b"]);
        pictures.replace_last(b"b", 9);
        let told = "picture 1 is from step 1; the last picture shows the window now; the pictures of steps 2 and 3 are the same";
        assert_eq!(pictures.note(Some("")).unwrap(), told);
        let mut pictures = taken(&["b", "b"]);
        pictures.replace_last(b"b", 9);
        let told = "the picture shows the window; the pictures of steps 1 and 2 are the same";
        assert_eq!(pictures.note(Some("")).unwrap(), told);
    }

    #[test]
    fn the_picture_of_now_replaces_the_same_one_or_the_only_one_of_the_last_call() {
        let after = |pngs: &[&str], now: &str, look| {
            let mut pictures = taken(pngs);
            pictures.replace_last(now.as_bytes(), look);
            left(pictures)
        };
        assert_eq!(after(&["a"], "b", 1), "");
        assert_eq!(after(&["a"], "b", 2), "a", "something was done after it");
        assert_eq!(after(&["a"], "a", 2), "");
        assert_eq!(after(&["a", "b"], "c", 2), "ab");
        assert_eq!(after(&["a", "b"], "b", 2), "a");
        assert_eq!(after(&["a", "a"], "b", 2), "a", "it stayed, then changed");
        assert_eq!(after(&[], "a", 0), "");
    }
}
