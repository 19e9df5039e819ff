//! Decoders for the escapes of URLs, HTML, JSON and program text, one escape at a time.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A byte of a text in UTF-8 or Latin-1.
    Byte(u8),
    Char(char),
    Nothing,
}

/// A function that reads the escape at the start of a text and returns its decoded value and its length in bytes.
pub(super) type Decoder = fn(&[u8]) -> Option<(Unit, usize)>;

pub(super) const DECODERS: [Decoder; 3] = [percent, entity, backslash];

/// Decodes escapes such as `%2F`, and escapes such as `%u00e9`, which old scripts write.
fn percent(text: &[u8]) -> Option<(Unit, usize)> {
    let rest = text.strip_prefix(b"%")?;
    match rest.first()? {
        b'u' | b'U' => utf16(text, b'%'),
        _ => Some((Unit::Byte(hex_byte(rest)?), 3)),
    }
}

/// Decodes escapes of quoted-printable such as `=C3`, and escaped line ends, which stand for nothing. Digits in lower case
/// are no escape, because `lang=de` is none.
pub(super) fn quoted_printable(text: &[u8]) -> Option<(Unit, usize)> {
    let rest = text.strip_prefix(b"=")?;
    let blanks = rest.iter().take_while(|b| b" \t\r".contains(b)).count();
    if rest.get(blanks) == Some(&b'\n') {
        return Some((Unit::Nothing, blanks + 2));
    }
    let is_upper = rest.iter().take(2).all(|b| !b.is_ascii_lowercase());
    Some((Unit::Byte(hex_byte(rest).filter(|_| is_upper)?), 3))
}

/// Decodes escapes such as `\"`, `\n`, `\x41`, `\u00e9` and `\u{e9}`, and a backslash before any other punctuation.
fn backslash(text: &[u8]) -> Option<(Unit, usize)> {
    let rest = text.strip_prefix(b"\\")?;
    let plain = |c| Some((Unit::Char(c), 2));
    match rest.first()? {
        b'n' => plain('\n'),
        b't' => plain('\t'),
        b'r' => plain('\r'),
        b'b' => plain('\u{8}'),
        b'f' => plain('\u{c}'),
        b'v' => plain('\u{b}'),
        b'0' => plain('\0'),
        b'x' => Some((Unit::Byte(hex_byte(&rest[1..])?), 4)),
        b'u' if rest.get(1) == Some(&b'{') => {
            let digits = rest[2..].iter().take(MAX_DIGITS).position(|b| *b == b'}')?;
            Some((
                Unit::Char(char::from_u32(number(&rest[2..2 + digits], 16)?)?),
                digits + 4,
            ))
        }
        b'u' => utf16(text, b'\\'),
        // The backslash is a character of the value, and an escape of another kind follows it.
        b'%' | b'&' if percent(rest).or_else(|| entity(rest)).is_some() => None,
        sign if sign.is_ascii_punctuation() => plain(char::from(*sign)),
        _ => None,
    }
}

/// Decodes a UTF-16 escape: `lead`, then `u` or `U`, then four hexadecimal digits. If two such escapes form a surrogate
/// pair, decodes them together as one character.
fn utf16(text: &[u8], lead: u8) -> Option<(Unit, usize)> {
    let unit = |text: &[u8]| match text {
        [first, b'u' | b'U', rest @ ..] if *first == lead => {
            u16::try_from(number(rest.get(..4)?, 16)?).ok()
        }
        _ => None,
    };
    let first = unit(text)?;
    if let Some(c) = char::from_u32(first.into()) {
        return Some((Unit::Char(c), 6));
    }
    let second = unit(text.get(6..)?)?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((Unit::Char(c), 12))
}

/// Decodes escapes such as `&amp;`, `&#38;` and `&#x26;`. The numeric forms are decoded even if the semicolon is
/// missing.
fn entity(text: &[u8]) -> Option<(Unit, usize)> {
    let rest = text.strip_prefix(b"&")?;
    if let Some(digits) = rest.strip_prefix(b"#") {
        let (digits, radix, lead) = match digits {
            [b'x' | b'X', digits @ ..] => (digits, 16, 3),
            digits => (digits, 10, 2),
        };
        let length = digits
            .iter()
            .take(MAX_DIGITS)
            .take_while(|b| char::from(**b).is_digit(radix))
            .count();
        let c = char::from_u32(number(&digits[..length], radix)?)?;
        let semicolon = usize::from(digits.get(length) == Some(&b';'));
        return Some((Unit::Char(c), lead + length + semicolon));
    }
    let length = rest.iter().take(MAX_NAME).position(|b| *b == b';')?;
    let name = std::str::from_utf8(&rest[..length]).ok()?;
    Some((Unit::Char(named(name)?), length + 2))
}

/// Maximum number of digits of a numeric escape. Source: chosen; the highest code point has 7 digits, and there may be
/// leading zeros.
const MAX_DIGITS: usize = 12;
/// Maximum length of the name of an entity, including the semicolon. Unit: bytes. Source: the names below.
const MAX_NAME: usize = 9;

/// Names of HTML entities for punctuation marks. Each name follows the character that it stands for. Source: the HTML
/// standard's table.
const SIGNS: &str = "&amp &AMP <lt <LT >gt >GT \"quot \"QUOT 'apos !excl #num $dollar %percnt (lpar )rpar *ast *midast \
    +plus ,comma .period /sol :colon ;semi =equals ?quest @commat [lsqb [lbrack \\bsol ]rsqb ]rbrack ^Hat _lowbar \
    _UnderBar `grave {lcub {lbrace |verbar |vert }rcub }rbrace €euro –ndash —mdash ‘lsquo ’rsquo “ldquo ”rdquo …hellip";

/// Names of HTML entities for the characters U+00A0 to U+00FF, in the order of these characters. Source: HTML 4,
/// "Character entity references for ISO 8859-1 characters".
const LATIN_1: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 \
    sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml \
    Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml \
    times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave \
    eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute \
    ucirc uuml yacute thorn yuml";

fn named(name: &str) -> Option<char> {
    match name {
        "Tab" => Some('\t'),
        "NewLine" => Some('\n'),
        _ => SIGNS
            .split_whitespace()
            .filter_map(|entry| entry.chars().next().map(|c| (c, &entry[c.len_utf8()..])))
            .chain(('\u{a0}'..='\u{ff}').zip(LATIN_1.split_whitespace()))
            .find_map(|(c, known)| (known == name).then_some(c)),
    }
}

fn hex_byte(text: &[u8]) -> Option<u8> {
    u8::try_from(number(text.get(..2)?, 16)?).ok()
}

/// Parses digits as a number; `None` if the input is empty, contains anything that is not a digit, or is too long.
fn number(digits: &[u8], radix: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |sum, b| {
        sum.checked_mul(radix)?
            .checked_add(char::from(*b).to_digit(radix)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(text: &str) -> Option<(Unit, usize)> {
        DECODERS.iter().find_map(|decoder| decoder(text.as_bytes()))
    }

    #[test]
    fn every_escape_says_what_it_stands_for_and_how_long_it_is() {
        for (text, c) in [
            ("%u00E9", 'é'),
            ("%uD83D%uDE00", '😀'),
            ("&amp;", '&'),
            ("&percnt;", '%'),
            ("&eacute;", 'é'),
            ("&yuml;", 'ÿ'),
            ("&nbsp;", '\u{a0}'),
            ("&#39;", '\''),
            ("&#0000039;", '\''),
            ("&#x1F600;", '😀'),
            ("&UnderBar;", '_'),
            ("\\\"", '"'),
            ("\\/", '/'),
            ("\\n", '\n'),
            ("\\u00e9", 'é'),
            ("\\ud83d\\ude00", '😀'),
            ("\\u{1f600}", '😀'),
        ] {
            assert_eq!(decode(text), Some((Unit::Char(c), text.len())), "{text}");
        }
        assert_eq!(decode("%2fx"), Some((Unit::Byte(b'/'), 3)));
        assert_eq!(decode("\\x41b"), Some((Unit::Byte(b'A'), 4)));
        assert_eq!(decode("&#65x"), Some((Unit::Char('A'), 4)));
    }

    #[test]
    fn what_only_begins_like_an_escape_is_text() {
        let texts = "% %4 %zz %u12 %uD83D & &; &nosuch; &#; &#x; &#x110000; &#99999999999; \\ \\q \\u12 \\ud83d \\u{} \
            \\u{110000} \\xg0 \\%41 \\&amp; plain";
        for text in texts.split_whitespace() {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
