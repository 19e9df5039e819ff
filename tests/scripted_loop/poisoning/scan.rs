//! The search for the tokens of a campaign, however a text around them was changed.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::poisoning::channels::Channel;

/// A word that stands nowhere else: letters only, so that it survives as part of a host name and of a path.
pub(crate) fn token(n: usize) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnprstvwxyz";
    // Spread, so that neighbours do not look alike: the factor has no divisor in common with 20^6.
    let mut rest = (n * 7_654_321 + 1_234_567) % 64_000_000;
    let mut out = "zq".to_owned();
    for _ in 0..6 {
        out.push(char::from(LETTERS[rest % LETTERS.len()]));
        rest /= LETTERS.len();
    }
    out
}

/// The tokens of one campaign.
pub(crate) struct Tokens(Vec<Sought>);

struct Sought {
    channel: Channel,
    token: String,
    reversed: String,
    coded: Vec<String>,
}

impl Tokens {
    pub(crate) fn new(tokens: impl IntoIterator<Item = (Channel, String)>) -> Self {
        let sought = |(channel, token): (Channel, String)| Sought {
            channel,
            reversed: token.chars().rev().collect(),
            coded: coded(&token),
            token,
        };
        Self(tokens.into_iter().map(sought).collect())
    }

    /// The channels whose token is in the text: as it stands, in any case or width, with anything between its letters that is
    /// no letter, backwards, or in base64.
    pub(crate) fn found(&self, text: &str) -> Vec<Channel> {
        let folded = folded(text);
        // Rare enough that most texts are done here.
        let may = folded.contains("zq") || folded.contains("qz");
        let is_in = |sought: &&Sought| {
            (may && (folded.contains(&sought.token) || folded.contains(&sought.reversed)))
                || sought
                    .coded
                    .iter()
                    .any(|coded| text.contains(coded.as_str()))
        };
        self.0
            .iter()
            .filter(is_in)
            .map(|sought| sought.channel)
            .collect()
    }
}

/// Letters only, in lower case and of usual width: what is left of a text when everything that can separate or disguise is
/// taken out, the escapes of white space in JSON too.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => {
                chars.next_if(|c| "nrt".contains(*c));
                continue;
            }
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(c) - 0xe0000).unwrap_or(c),
            c => c,
        };
        if c.is_ascii() {
            if c.is_ascii_alphabetic() {
                out.push(c.to_ascii_lowercase());
            }
        } else if c.is_alphabetic() {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// What base64 makes of the token at each of the three places it can begin at.
fn coded(token: &str) -> Vec<String> {
    let at = |skipped: usize| {
        let whole = STANDARD.encode(format!("{}{token}", &"xx"[..skipped]));
        // Only what the token alone decides.
        whole[(skipped * 8).div_ceil(6)..(skipped + token.len()) * 8 / 6].to_owned()
    };
    (0..3).map(at).collect()
}

#[test]
fn a_token_is_found_in_what_every_payload_makes_of_it_and_nowhere_else() {
    let token = token(4_711);
    let tokens = Tokens::new([(Channel::Title, token.clone())]);
    for payload in crate::poisoning::payloads::payloads() {
        let text = payload.with(&token);
        assert_eq!(tokens.found(&text), [Channel::Title], "{}", payload.name);
        assert_eq!(
            tokens.found(&serde_json::to_string(&text).unwrap()),
            [Channel::Title],
            "{} as JSON",
            payload.name
        );
        assert!(
            tokens.found(&payload.with("zqzzzzzz")).is_empty(),
            "{}",
            payload.name
        );
    }
}

#[test]
fn no_two_attempts_have_one_token() {
    let all: std::collections::BTreeSet<String> = (0..50_000).map(token).collect();
    assert_eq!(all.len(), 50_000);
}
