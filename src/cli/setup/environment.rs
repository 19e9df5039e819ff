//! The environment variables that `npm`, `apt-get` and the scripts that they start may see. This is an allow-list, so
//! that the install script of a package sees no key of the user, except those in variables for npm, pip and proxies.
//! Does no input or output.

use std::ffi::{OsStr, OsString};

/// Names of variables that are passed on. Those for proxies are listed in upper and lower case, because programs read both.
const ALLOWED: [&str; 19] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "TERM",
    "TMPDIR",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "DEBIAN_FRONTEND",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];
/// Beginnings of the names of variables that are passed on: those for language, npm, pip and base folders. npm reads its
/// variables in upper and lower case.
const ALLOWED_PREFIXES: [&str; 5] = ["LC_", "npm_config_", "NPM_CONFIG_", "PIP_", "XDG_"];

pub(super) fn allowed(
    all: impl IntoIterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    all.into_iter().filter(|(name, _)| may_pass(name))
}

fn may_pass(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| {
        ALLOWED.contains(&name)
            || ALLOWED_PREFIXES
                .iter()
                .any(|prefix| name.starts_with(prefix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(all: &[(&str, &str)]) -> Vec<(String, String)> {
        let text = |text: OsString| text.into_string().unwrap();
        let all = all
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()));
        allowed(all)
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    #[test]
    fn keys_and_all_that_is_not_known_stay_here() {
        for name in [
            "GEMINI_API_KEY",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "WEBWISE_LLM_API_KEY",
            "SHOP_PASSWORD",
            "NPM_TOKEN",
            "NODE_OPTIONS",
            "LD_PRELOAD",
            "PATHS",
            "path_to_key",
        ] {
            assert_eq!(passed(&[(name, "s3cret")]), [], "{name}");
        }
    }

    #[test]
    fn what_an_installer_needs_goes_along_with_its_value() {
        for name in [
            "PATH",
            "HOME",
            "LC_ALL",
            "https_proxy",
            "HTTPS_PROXY",
            "npm_config_registry",
            "NPM_CONFIG_CACHE",
            "PIP_INDEX_URL",
            "REQUESTS_CA_BUNDLE",
            "NODE_EXTRA_CA_CERTS",
            "SSL_CERT_FILE",
            "XDG_CACHE_HOME",
        ] {
            assert_eq!(
                passed(&[("OPENAI_API_KEY", "s3cret"), (name, "/a:b")]),
                [(name.into(), "/a:b".into())]
            );
        }
    }
}
