//! 50 values that must not be seen: what people use, what breaks escaping, and what a generator makes.
//!
//! Each holds letters that stand nowhere else, so that what is found is the value and not chance.

use crate::secrets::profile::{self, pick};

/// How the short one is recognised: it is replaced only where a value stands.
pub(crate) const PIN: &str = "8264";

/// What a value is made into; `#` stands for ten random letters and digits.
const SHAPES: [&str; 33] = [
    "#",
    "# # #",
    "  # with blanks around  ",
    "\"#\" 'quoted'",
    "it's \"#\"",
    "back\\slash\\#\\n",
    "C:\\new\\table\\#",
    "100%25 #",
    "50%#%50%",
    "%41%42#",
    "line one #\nline two",
    "tab\t#\treturn\r",
    "\n#\n",
    "<b>#&amp;</b>",
    "&quot;#&quot;",
    "^(a|b)*#[c-d]+$",
    "(?i)#\\d{3}.*?",
    "${jndi:ldap://#}",
    "{\"json\": \"#\"}",
    "`#` $(id)",
    "Öl-#-Äpfel",
    "пароль-#",
    "密码#一二三",
    "パスワード#",
    "😀🔑#😀",
    "é\u{301}#combining",
    "sk-proj-#_dEf-0123",
    "AKIA+#/EXAMPLE=",
    "==#==",
    "a+b+#+d",
    "https://user:#@host/?q=1#f",
    "--help=#",
    "#; rm -rf /; \"#\"",
];

/// A generator of our own, so that every run tests the same values.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn word(&mut self) -> String {
        const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789";
        (0..10)
            .map(|_| char::from(LETTERS[self.below(LETTERS.len())]))
            .collect()
    }
}

/// Every so many values the same runs are made with the value as ordinary text. The PIN, the last one, is among them. In the quick
/// suite only the first and the last one are controls.
const CONTROL_EVERY: [usize; 2] = [49, 7];
/// The values that the quick suite tries: letters and digits alone, what a string escapes, what an address escapes, letters of
/// another script, the PIN.
const QUICK: [usize; 5] = [0, 5, 7, 21, 49];

/// The values that this size of the suite tries, each with the word on it being a control too.
pub(crate) fn tried() -> Vec<(String, bool)> {
    let [quick, full] = CONTROL_EVERY;
    let is_tried = |n: usize| profile::full() || QUICK.contains(&n);
    let all = canaries().into_iter().enumerate();
    all.filter(|(n, _)| is_tried(*n))
        .map(|(n, value)| (value, n.is_multiple_of(pick(quick, full))))
        .collect()
}

/// How many of them there are, and how many controls.
pub(crate) fn counts() -> (usize, usize) {
    (pick(QUICK.len(), 50), pick(2, 8))
}

/// The 50 values; the PIN is the last.
pub(crate) fn canaries() -> Vec<String> {
    let mut chance = Chance::new(0x9e37_79b9_7f4a_7c15);
    let mut out: Vec<String> = SHAPES
        .iter()
        .map(|shape| shape.replace('#', &chance.word()))
        .collect();
    while out.len() < 49 {
        // Printable signs of every kind, around a word that chance does not make.
        let signs = |chance: &mut Chance| -> String {
            (0..5)
                .map(|_| char::from(b'!' + u8::try_from(chance.below(94)).unwrap()))
                .collect()
        };
        out.push(format!(
            "{}{}{}",
            signs(&mut chance),
            chance.word(),
            signs(&mut chance)
        ));
    }
    out.push(PIN.to_owned());
    out
}
