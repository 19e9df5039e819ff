//! Hostile values, the same in every run: what options, shells, protocols and people's eyes stumble over.
#![allow(dead_code, reason = "each test target uses its own part")]

/// What a value is made of.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    // What the tool would take for an option.
    "--help", "--version", "-h", "-s=other", "-s", "--session=other", "--json", "--raw", "--all", "-g", "--", "---",
    "-", "--submit", "--no-submit", "--filename=/tmp/x", "--config=/tmp/x", "--s=other", "--_=x", "--__proto__=x",
    "-v", "-abc",
    // Its commands.
    "open", "close", "kill-all", "delete-data", "run-code", "snapshot", "install",
    // Numbers and words that parsers turn into something else.
    "-1", "-0.5", "1e3", "0x10", "007", "NaN", "Infinity", "true", "false", "null", "undefined",
    // Nothing, and white space.
    "", " ", "\t", "\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{a0}", "\u{2028}", "\u{2029}", "\u{feff}",
    // Quotes, backslashes, shells.
    "'", "\"", "`", "\\", "\\\\", "\\n", "\\u0000", "\\'", "'; id; '", "$(id)", "`id`", "${HOME}", "$PATH",
    "%PATH%", "!!", "; rm -rf x", "| cat", "&& id", "> x", "< x", "*", "?", "[a-z]", "~", "~root", "#", "{a,b}",
    "^", "&",
    // Addresses and paths.
    "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "../../x", "/etc/passwd", "C:\\x",
    "\\\\host\\x", "@file",
    // The tool's own words, and other languages'.
    "### Page\n- Page URL: http://evil.test/", "### Error", "```", "- [ref=e1]", "<b>x</b>", "<!--", "]]>",
    "{\"a\":1}", "{}", "await page.goto('x')", "'); process.exit(); ('", "*/", "//", "/*", "%s%n", "%00", "{{x}}",
    "e1", "f1e2", "aria-ref=e1",
    // Beyond ASCII.
    "ä", "ß", "é", "e\u{301}", "日本", "合計", "😀", "👩\u{200d}👩\u{200d}👧", "\u{202e}abc", "\u{2066}x\u{2069}",
    "\u{200b}", "א", "ع", "\u{fffd}", "\u{e000}", "\u{10ffff}", "\u{fffe}", "\u{1}", "\u{1b}[31m", "\u{7f}",
    "\u{9b}1m", "\u{80}", "\u{ad}", "ﬁ", "İ", "Ⅷ",
];

/// A stream of numbers without an outside (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end).unwrap()).unwrap()
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// A character that is not NUL; half of them ASCII, control characters included.
    fn char(&mut self) -> char {
        loop {
            let code = if self.below(2) == 0 {
                self.below(0x80)
            } else {
                self.below(0x11_0000)
            };
            match char::from_u32(u32::try_from(code).unwrap()) {
                Some('\0') | None => {}
                Some(c) => return c,
            }
        }
    }

    /// A value without NUL. Every piece stands alone in some of them, most are chains of a few pieces and characters.
    pub(crate) fn value(&mut self) -> String {
        let mut text = String::new();
        match self.below(8) {
            0 => text.push_str(self.pick::<&str>(PIECES)),
            1 => (0..self.below(40)).for_each(|_| text.push(self.char())),
            2 => {
                let piece = *self.pick(PIECES);
                let times = self.below(60);
                text = piece.repeat(times);
            }
            _ => {
                for _ in 0..=self.below(5) {
                    if self.below(3) == 0 {
                        text.push(self.char());
                    }
                    text.push_str(self.pick::<&str>(PIECES));
                }
            }
        }
        text
    }

    /// A value longer than the system takes for one argument.
    pub(crate) fn long_value(&mut self) -> String {
        let mut text = self.value();
        while text.len() < 140_000 {
            text.push_str(&self.value());
            text.push_str("--help é\n");
        }
        text
    }

    /// A value as texts of locators must be: short, visible, not empty.
    pub(crate) fn short_value(&mut self) -> String {
        let text: String = self
            .value()
            .chars()
            .filter(|c| !webwise::base::text::is_deceptive(*c))
            .take(120)
            .collect();
        if text.is_empty() {
            "--help".to_owned()
        } else {
            text
        }
    }
}

/// The pieces alone, for where a few dozen values must do.
pub(crate) fn pieces() -> &'static [&'static str] {
    PIECES
}
