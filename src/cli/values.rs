//! Parses and validates the values of flags. Each error message says how the value must be written.

use std::{collections::BTreeMap, env::VarError, path::PathBuf, time::Duration};

use url::Url;

use super::Refusal;
use crate::{
    action::ParameterName,
    base::{Host, Origin, SessionId, Site},
    memory::Advice,
    registry::RunStatus,
    secret::{Redactor, Secret, SecretName, Vault},
};

pub(super) fn url(text: &str) -> Result<Url, String> {
    // `localhost:8080` would be parsed as an address with the scheme `localhost`.
    let is_scheme = |text: &str| {
        text.chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if !scheme.is_some_and(is_scheme) {
        let example = Url::parse(&format!("http://{text}")).ok();
        let example = example.filter(|url| url.has_host() && !text.contains('@'));
        let example = example.map_or_else(|| "https://example.com/".to_owned(), String::from);
        return Err(format!("give a whole address, such as {example}"));
    }
    let url = Url::parse(text)
        .map_err(|error| format!("{error}; give a whole address such as https://example.com/"))?;
    if Site::of(&url).is_err() {
        return Err("only http and https addresses can be opened".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address must not hold a user name or password; use --secret".to_owned());
    }
    Ok(url)
}

/// Parses the address at which a browser with remote debugging listens.
pub(super) fn debugger(text: &str) -> Result<Url, String> {
    let wrong = || "give where the browser listens, such as http://127.0.0.1:9222".to_owned();
    let url = Url::parse(text).map_err(|_| wrong())?;
    let is_place = matches!(url.scheme(), "http" | "ws") && url.has_host();
    let has_user = !url.username().is_empty() || url.password().is_some();
    if is_place && !has_user {
        Ok(url)
    } else {
        Err(wrong())
    }
}

/// Parses a site, given as a host name or an address without a path.
pub(super) fn site(text: &str) -> Result<Site, String> {
    let wrong = || "give a site such as example.com".to_owned();
    let whole = match text.split_once("://") {
        Some(_) => text.to_owned(),
        // Without this check, `http:/shop.example` would be the host `http`.
        None if text
            .split('/')
            .next()
            .is_some_and(|host| host.ends_with(':')) =>
        {
            return Err(wrong());
        }
        None => format!("https://{text}"),
    };
    let url = Url::parse(&whole).map_err(|_| wrong())?;
    let site = Site::of(&url).map_err(|_| wrong())?;
    if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
        return Err(format!(
            "a site is meant with all its paths: give it without one, such as {site}"
        ));
    }
    Ok(site)
}

pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || "give a time such as 90s, 5m or 1h".to_owned();
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "" | "s" => Some(number),
        "m" => number.checked_mul(60),
        "h" => number.checked_mul(3600),
        _ => None,
    };
    seconds
        .filter(|s| *s > 0)
        .map(Duration::from_secs)
        .ok_or_else(wrong)
}

/// Parses a share, a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

pub(super) fn session(text: &str) -> Result<SessionId, String> {
    SessionId::parse(text).map_err(|_| "use 1 to 64 letters, digits, `_` or `-`".to_owned())
}

pub(super) fn status(text: &str) -> Result<RunStatus, String> {
    text.parse()
        .map_err(|_| "use running, completed, failed or abandoned".to_owned())
}

pub(super) fn host(text: &str) -> Result<Host, String> {
    Host::of_domain(text).map_err(|_| "give the name of a host, such as shop.example".to_owned())
}

/// Parses a task parameter, given as `name=value`.
pub(super) fn parameter(text: &str) -> Result<(ParameterName, String), String> {
    let wrong = || "give it as name=value, the name in letters, digits and `_`".to_owned();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    Ok((
        ParameterName::parse(name).map_err(|_| wrong())?,
        value.to_owned(),
    ))
}

/// Parses `name=file`: a name, and the path of a file.
pub(super) fn given(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => {
            Ok((name.to_owned(), PathBuf::from(file)))
        }
        _ => Err("give it as NAME=FILE, such as letter=letter.txt".to_owned()),
    }
}

/// Parses a note about a host and its subdomains, given as `host=note`.
/// Parses a size of a window, such as `1280x800`.
pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || "give it as WIDTHxHEIGHT in pixels, such as 1280x800".to_owned();
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let side = |text: &str| match text.parse() {
        Ok(side @ 1..=10_000) => Ok(side),
        _ => Err(wrong()),
    };
    Ok((side(width)?, side(height)?))
}

/// Parses a header of requests, written as `NAME=VALUE`.
pub(super) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_fine =
        !name.is_empty() && name.chars().all(is_name) && !value.contains(char::is_control);
    if is_fine {
        Ok((name.to_owned(), value.to_owned()))
    } else {
        Err("give it as NAME=VALUE, such as X-Stage=test".to_owned())
    }
}

pub(super) fn site_note(text: &str) -> Result<(Host, String), String> {
    let wrong = || {
        format!(
            "give it as HOST=NOTE, such as shop.example=prices exclude tax, the note in at most {} characters",
            Advice::MAX_TEXT
        )
    };
    let (host, note) = text.split_once('=').ok_or_else(wrong)?;
    let fits = (1..=Advice::MAX_TEXT).contains(&note.trim().chars().count());
    let host = Host::of_domain(host).map_err(|_| wrong())?;
    fits.then(|| (host, note.trim().to_owned()))
        .ok_or_else(wrong)
}

/// The source of a secret's value and the origin where the secret may be typed, written as `NAME=ENVVAR@ORIGIN` on the
/// command line. The value itself is never an argument, because every user of the machine can read the arguments of a
/// process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SecretSource {
    name: SecretName,
    variable: String,
    origin: Origin,
}

pub(super) fn secret(text: &str) -> Result<SecretSource, String> {
    let wrong = || {
        "give it as NAME=ENVVAR@ORIGIN, such as PASSWORD=SHOP_PASSWORD@https://shop.example"
            .to_owned()
    };
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    let (variable, origin) = rest.split_once('@').ok_or_else(wrong)?;
    let name = SecretName::parse(name).map_err(|_| wrong())?;
    let origin = Origin::parse(origin).map_err(|_| wrong())?;
    if variable.is_empty() {
        return Err(wrong());
    }
    Ok(SecretSource {
        name,
        variable: variable.to_owned(),
        origin,
    })
}

/// Reads the secrets from their environment variables into a vault. A secret may be given once for each origin where it may
/// be typed, always with the same variable.
pub(super) fn vault(
    sources: &[SecretSource],
    read: impl Fn(&str) -> Result<String, VarError>,
) -> Result<Vault, Refusal> {
    let mut grouped: BTreeMap<&SecretName, (&str, Vec<Origin>)> = BTreeMap::new();
    for source in sources {
        let (variable, origins) = grouped
            .entry(&source.name)
            .or_insert((&source.variable, Vec::new()));
        if *variable != source.variable {
            return Err(Refusal::usage(format!(
                "the secret {} comes from two variables: name one of them, or use two names",
                source.name
            )));
        }
        origins.push(source.origin.clone());
    }
    let mut vault = Vault::new();
    for (name, (variable, origins)) in grouped {
        let value = secret_value(name, variable, &read)?;
        vault = vault.with(name.clone(), value, origins).map_err(|_| {
            Refusal::usage(format!(
                "the secret {name} may only be bound to an https origin or to this machine"
            ))
        })?;
    }
    Ok(vault)
}

fn secret_value(
    name: &SecretName,
    variable: &str,
    read: impl Fn(&str) -> Result<String, VarError>,
) -> Result<Secret, Refusal> {
    match read(variable) {
        // A value of blanks cannot be redacted.
        Ok(value) if !value.trim().is_empty() => Ok(Secret::new(value)),
        Ok(_) | Err(VarError::NotPresent) => Err(Refusal::usage(format!(
            "the secret {name} needs the environment variable {variable}: set it to the value"
        ))),
        // The content of the variable is not printed.
        Err(VarError::NotUnicode(_)) => Err(Refusal::usage(format!(
            "the secret {name} cannot be typed: the environment variable {variable} is set, but not to UTF-8 text"
        ))),
    }
}

/// Returns a redactor that contains the secrets to search for: the secrets of `sources`, and the values of the environment
/// variables `variables`. A secret from `variables` has the name of its variable.
pub(super) fn redactor(
    sources: &[SecretSource],
    variables: &[SecretName],
    read: impl Fn(&str) -> Result<String, VarError>,
) -> Result<Redactor, Refusal> {
    let of_runs = sources
        .iter()
        .map(|source| (&source.name, source.variable.as_str()));
    let all = of_runs.chain(variables.iter().map(|name| (name, name.as_str())));
    let secrets: Vec<(&SecretName, Secret)> = all
        .map(|(name, variable)| Ok((name, secret_value(name, variable, &read)?)))
        .collect::<Result<_, Refusal>>()?;
    Ok(Redactor::new(
        secrets.iter().map(|(name, secret)| (*name, secret)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_is_told_with_one() {
        for (text, whole) in [
            ("127.0.0.1:9950", "http://127.0.0.1:9950/"),
            ("localhost:9950/a", "http://localhost:9950/a"),
            ("shop.example", "http://shop.example/"),
            (
                "shop.example/?to=https://b.example",
                "http://shop.example/?to=https://b.example",
            ),
            ("ada:secret@shop.example", "https://example.com/"),
            ("", "https://example.com/"),
        ] {
            let told = format!("give a whole address, such as {whole}");
            assert_eq!(url(text), Err(told), "{text}");
        }
    }

    #[test]
    fn only_web_addresses_without_credentials_are_opened() {
        assert_eq!(
            url("https://example.com").unwrap().as_str(),
            "https://example.com/"
        );
        for bad in [
            "",
            "example.com",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "about:blank",
            "http://",
            "https://a:b@c/",
        ] {
            assert!(url(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_browser_listens_at_an_address_without_credentials() {
        for fine in [
            "http://127.0.0.1:9222",
            "http://[::1]:9222/",
            "ws://127.0.0.1:9222/devtools/browser/4f1c",
        ] {
            assert!(debugger(fine).is_ok(), "{fine}");
        }
        for bad in [
            "",
            "9222",
            "127.0.0.1:9222",
            "https://127.0.0.1:9222",
            "file:///x",
            "http://a:b@127.0.0.1:9222",
        ] {
            assert!(debugger(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_site_is_a_name_or_an_address() {
        assert_eq!(site("www.example.com").unwrap().as_str(), "example.com");
        assert_eq!(site("shop.example/").unwrap().as_str(), "shop.example");
        assert_eq!(site("http://127.0.0.1:80").unwrap().as_str(), "127.0.0.1");
        for bad in [
            "a b",
            "",
            "ftp://x",
            "htp:/x",
            "http:/shop.example",
            "htp:",
            "mailto:x",
        ] {
            assert!(site(bad).unwrap_err().starts_with("give a site"), "{bad}");
        }
        for path in [
            "https://www.shop.example/path",
            "shop.example/?x",
            "shop.example#x",
        ] {
            let told = site(path).unwrap_err();
            assert!(
                told.ends_with("without one, such as shop.example"),
                "{told}"
            );
        }
    }

    #[test]
    fn times_have_a_unit_and_are_not_zero() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(
            (duration("5m"), duration("1h")),
            (Ok(Duration::from_mins(5)), Ok(Duration::from_hours(1)))
        );
        for bad in [
            "",
            "s",
            "0s",
            "-1s",
            "1.5m",
            "1d",
            "99999999999999999h",
            "1 s",
        ] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_share_is_a_number_from_0_to_1() {
        assert_eq!(
            (share("0"), share("0.25"), share("1")),
            (Ok(0.0), Ok(0.25), Ok(1.0))
        );
        for bad in ["", "-0.1", "1.1", "NaN", "half", "50%"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_parameter_has_a_name_and_any_value() {
        let (name, value) = parameter("query=a=b c").unwrap();
        assert_eq!((name.as_str(), value.as_str()), ("query", "a=b c"));
        assert!(
            parameter("query").is_err() && parameter("=x").is_err() && parameter("a b=x").is_err()
        );
    }

    #[test]
    fn a_secret_needs_its_variable_and_a_private_origin() {
        let env = |name: &str| {
            if name == "PW" {
                Ok("hunter2".to_owned())
            } else {
                Err(VarError::NotPresent)
            }
        };
        let source = |text| secret(text).unwrap();
        let both = [
            source("P=PW@https://a.example"),
            source("P=PW@https://b.example"),
        ];
        assert_eq!(vault(&both, env).unwrap().names().count(), 1);
        let missing = vault(&[source("P=NONE@https://a.example")], env).unwrap_err();
        assert_eq!(missing.code(), 2);
        assert!(missing.sentence().contains("variable NONE"));
        assert!(
            vault(&[source("P=PW@http://a.example")], env)
                .unwrap_err()
                .sentence()
                .contains("https")
        );
        let two = [
            source("P=PW@https://a.example"),
            source("P=QW@https://a.example"),
        ];
        assert!(
            vault(&two, env)
                .unwrap_err()
                .sentence()
                .contains("two variables")
        );
        for bad in [
            "P",
            "P=PW",
            "P=@https://a.example",
            "P=PW@nowhere",
            "a b=PW@https://a.example",
        ] {
            assert!(secret(bad).is_err(), "{bad}");
        }
    }
}
