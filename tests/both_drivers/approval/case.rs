//! The cases: pages, and the ways in which their controls are pressed.

/// The password that is typed, as text.
pub(crate) const PASSWORD: &str = "open-sesame-7";
/// The same as a secret of the task.
pub(crate) const SECRET: &str = "<secret:KEY>";
/// Stands for the password in a way.
const TYPED: &str = "*";
/// Stands for the address of the page itself in a page.
const HERE: &str = "{here}";
/// Stands for the address of the next page of the case in a page.
const NEXT: &str = "{next}";
/// Begins the line with the name of a case.
const NAMED: &str = "== ";
/// What all pages begin with and end with.
const START: &str = include_str!("pages/start.html");
const END: &str = include_str!("pages/end.html");

/// What a case is to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// A form with a password that does something grave.
    Form,
    /// Another control that does something grave.
    Control,
    /// A login or a search.
    Honest,
}

/// How a control is pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Way {
    /// The acts, the last of which is the one that counts.
    pub(crate) acts: Vec<String>,
    /// True if the page cannot be known to send itself before the first act did it.
    pub(crate) is_twice: bool,
}

impl Way {
    fn new(line: &str) -> Self {
        Self {
            acts: line.split(" > ").map(str::to_owned).collect(),
            is_twice: false,
        }
    }

    /// The same with this password.
    fn typing(mut self, password: &str) -> Self {
        for act in &mut self.acts {
            if let Some(rest) = act.strip_suffix(TYPED) {
                *act = format!("{rest}{password}");
            }
        }
        self
    }

    pub(crate) fn name(&self) -> String {
        self.acts.join(" > ")
    }
}

/// A page with a control, or two where the first leads to the second.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) group: Group,
    pub(crate) name: String,
    pub(crate) ways: Vec<Way>,
    /// The pages without what all pages have, in the order in which they follow each other.
    bodies: Vec<String>,
}

impl Case {
    /// All cases; the honest ones in both of their languages.
    pub(crate) fn all() -> Vec<Self> {
        let forms = read(Group::Form, include_str!("pages/forms.html"));
        let controls = read(Group::Control, include_str!("pages/controls.html"));
        let honest = read(Group::Honest, include_str!("pages/honest.html"));
        let honest = honest
            .iter()
            .flat_map(|case| [case.in_language(0), case.in_language(1)]);
        forms.into_iter().chain(controls).chain(honest).collect()
    }

    /// The name without the language.
    pub(crate) fn kind(&self) -> &str {
        match self.group {
            Group::Honest => self.name.trim_end_matches(['_', '0', '1']),
            Group::Form | Group::Control => &self.name,
        }
    }

    /// The places of the ways that the quick suite tries in the case of this number: the mouse, and keys in turn.
    pub(crate) fn quick_ways(&self, number: usize) -> Vec<usize> {
        let count = self.ways.len();
        match self.group {
            Group::Form => {
                let (text, secret) = (number % 2, (number + 1) % 2);
                vec![text, 2 + secret, 4 + number % (count - 4)]
            }
            Group::Control if count > 1 => vec![0, 1 + number % (count - 1)],
            Group::Control => vec![0],
            Group::Honest => vec![number % count],
        }
    }

    /// The path of the first page.
    pub(crate) fn path(&self) -> String {
        format!("/p/{}/0", self.name)
    }

    /// The page of this path, which may come behind `/did`; `None` if it is none of this case.
    pub(crate) fn page(&self, path: &str) -> Option<String> {
        let own = path.strip_prefix("/did").unwrap_or(path);
        let rest = own.strip_prefix("/p/")?.strip_prefix(&*self.name)?;
        let index: usize = rest.strip_prefix('/')?.parse().ok()?;
        let at = |index: usize| format!("/p/{}/{index}", self.name);
        let body = self.bodies.get(index)?;
        let body = body.replace(HERE, &at(index)).replace(NEXT, &at(index + 1));
        Some(format!("{START}{body}{END}"))
    }

    /// The case in one line, for who reads of a failure.
    pub(crate) fn in_a_line(&self) -> String {
        let words: Vec<&str> = self
            .bodies
            .iter()
            .flat_map(|b| b.split_whitespace())
            .collect();
        words.join(" ")
    }

    /// The case in one of its two languages; the first types its password as text, the second a secret.
    fn in_language(&self, language: usize) -> Self {
        let translate = |text: &str| translated(text, language);
        let password = [PASSWORD, SECRET][language];
        let ways = self.ways.iter().map(|way| Way {
            acts: way.acts.iter().map(|act| translate(act)).collect(),
            is_twice: way.is_twice,
        });
        Self {
            group: self.group,
            name: format!("{}_{language}", self.name),
            ways: ways.map(|way| way.typing(password)).collect(),
            bodies: self.bodies.iter().map(|body| translate(body)).collect(),
        }
    }
}

/// Reads a file of cases. A case begins with a line of its name; lines with the ways follow, then the pages.
fn read(group: Group, text: &str) -> Vec<Case> {
    let text = text.strip_prefix(NAMED).expect("a name");
    let between = format!("\n{NAMED}");
    let cases = text.split(&between).map(|case| {
        let (head, body) = case.split_at(case.find('<').expect("a page"));
        let (name, lines) = head.split_once('\n').expect("a name");
        Case {
            group,
            name: name.to_owned(),
            ways: ways(lines),
            bodies: body.split("\n--\n").map(str::to_owned).collect(),
        }
    });
    cases.collect()
}

fn ways(lines: &str) -> Vec<Way> {
    let mut password = None;
    let mut ways = Vec::new();
    for line in lines.lines() {
        let (kind, rest) = line.split_once(' ').expect("a kind of way");
        match kind {
            "way" => ways.push(Way::new(rest)),
            "twice" => ways.push(Way {
                acts: vec![rest.replace(" > ", " "); 2],
                is_twice: true,
            }),
            "link" => ways.extend(by_keys(rest, &["Enter"])),
            "button" => ways.extend(by_keys(rest, &["Enter", "Space"])),
            "password" => password = Some(rest),
            "send" => ways.extend(sending(password.expect("a password before it"), rest)),
            _ => panic!("{line}: no kind of way"),
        }
    }
    ways
}

/// A click, and each of these keys on the focused element.
fn by_keys(target: &str, keys: &[&str]) -> Vec<Way> {
    let keys = keys.iter().map(|key| format!("press {key} {target}"));
    let lines = [format!("click {target}")].into_iter().chain(keys);
    lines.map(|line| Way::new(&line)).collect()
}

/// The ways to send a form with a password, each with a text and then with a secret.
fn sending(password: &str, button: &str) -> Vec<Way> {
    let fill = format!("fill {password} {TYPED}");
    let lines = [
        format!("{fill} > click {button}"),
        format!("submit {password} {TYPED}"),
        format!("{fill} > press Enter"),
        format!("{fill} > press Enter {password}"),
        format!("{fill} > press Enter {button}"),
    ];
    let both = |line: &String| [PASSWORD, SECRET].map(|value| Way::new(line).typing(value));
    lines.iter().flat_map(both).collect()
}

/// Replaces each `{one|other}` by the one or the other.
fn translated(text: &str, language: usize) -> String {
    let mut parts = text.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (inside, rest) = part.split_once('}').unwrap_or((part, ""));
        match inside.split_once('|') {
            Some((one, other)) => out.push_str([one, other][language]),
            None => out.extend(["{", inside, "}"]),
        }
        out.push_str(rest);
    }
    out
}
