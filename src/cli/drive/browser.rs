//! The browser of a run. Only this code starts the driver that was chosen, and describes why it could not be started.

use std::{ffi::OsString, fmt, sync::Arc};

use url::Url;

use crate::{
    BrowserDriver, Error, ErrorKind,
    browser::{Cdp, CdpOptions, PlaywrightCli, PlaywrightCliOptions, ProgramPlaces},
    cli::{
        Refusal,
        run_args::BrowserArgs,
        say::one_line,
        setup::choice::{Choice, DriverName},
    },
};

#[derive(Debug, Clone)]
pub(in crate::cli) enum Source {
    /// A new browser, which is closed at the end of the run.
    Start { choice: Choice, args: BrowserArgs },
    /// A browser that is already running at this address. It stays open.
    Attach(Url),
}

/// Returns the options of a driver with what the flags say. Both drivers have the same methods, and no trait.
macro_rules! with_flags {
    ($options:expr, $args:expr) => {{
        let (mut options, args) = ($options.with_headless(!$args.headed), $args);
        if let Some((width, height)) = args.viewport {
            options = options.with_viewport(width, height);
        }
        if let Some(text) = &args.user_agent {
            options = options.with_user_agent(text);
        }
        if let Some(locale) = &args.locale {
            options = options.with_locale(locale);
        }
        if let Some(zone) = &args.time_zone {
            options = options.with_time_zone(zone);
        }
        if let Some(proxy) = &args.proxy {
            options = options.with_proxy(proxy);
        }
        if let Some(folder) = &args.downloads {
            options = options.with_downloads(folder);
        }
        for (name, value) in &args.headers {
            options = options.with_header(name, value);
        }
        options
    }};
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { choice, .. } => write!(f, "{choice}"),
            Self::Attach(address) => write!(
                f,
                "{}, attached to the browser at {}",
                DriverName::Cdp,
                place(address)
            ),
        }
    }
}

/// Refuses to show a browser window if this machine has no screen. Checks this only on Linux, where environment variables
/// show whether there is a screen.
pub(in crate::cli) fn check_screen(headed: bool) -> Result<(), Refusal> {
    if headed && cfg!(target_os = "linux") {
        screen(|name| std::env::var_os(name))
    } else {
        Ok(())
    }
}

/// Fails unless the variables name an X or Wayland screen. An empty variable counts as unset.
fn screen(variable: impl Fn(&str) -> Option<OsString>) -> Result<(), Refusal> {
    if ["DISPLAY", "WAYLAND_DISPLAY"]
        .into_iter()
        .any(|name| variable(name).is_some_and(|value| !value.is_empty()))
    {
        return Ok(());
    }
    Err(Refusal::usage(
        "--headed needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set: leave it out, or run this on a desktop or \
         under `xvfb-run`",
    ))
}

#[derive(Debug)]
pub(in crate::cli) enum Browser {
    PlaywrightCli(Arc<PlaywrightCli>),
    Cdp(Arc<Cdp>),
}

impl Browser {
    /// Starts a browser, or connects to one that is already running. `scripts` is true if the caller needs to run its own
    /// scripts in the pages.
    pub(in crate::cli) async fn open(source: &Source, scripts: bool) -> Result<Self, Refusal> {
        match source {
            Source::Start { choice, args } => {
                let failed = |error: Error| not_started(args.headed, &error);
                match choice.driver {
                    DriverName::PlaywrightCli if args.profile.is_some() => Err(Refusal::usage(
                        "--profile works by the driver cdp: leave out `--driver playwright-cli`",
                    )),
                    DriverName::PlaywrightCli => {
                        let options =
                            PlaywrightCliOptions::from_env().map_err(|error| missing(&error))?;
                        let options = with_flags!(options, args).with_scripts(scripts);
                        let browser = PlaywrightCli::launch(&options).await.map_err(failed)?;
                        Ok(Self::PlaywrightCli(Arc::new(browser)))
                    }
                    DriverName::Cdp => {
                        let options = CdpOptions::from_env().map_err(|error| missing(&error))?;
                        let mut options = with_flags!(options, args).with_scripts(scripts);
                        if let Some(folder) = &args.profile {
                            options = options.with_profile(folder);
                        }
                        let browser = Cdp::launch(&options).await.map_err(failed)?;
                        Ok(Self::Cdp(Arc::new(browser)))
                    }
                }
            }
            Source::Attach(address) => {
                // An attached browser is not started, so the name of the program does not matter.
                let options = CdpOptions::new("chromium").with_scripts(scripts);
                let browser = Cdp::attach(address.as_str(), &options).await;
                Ok(Self::Cdp(Arc::new(
                    browser.map_err(|error| not_attached(address, &error))?,
                )))
            }
        }
    }

    pub(in crate::cli) fn driver(&self) -> Arc<dyn BrowserDriver> {
        match self {
            Self::PlaywrightCli(browser) => Arc::clone(browser) as _,
            Self::Cdp(browser) => Arc::clone(browser) as _,
        }
    }

    /// Returns the name of the transport that carries commands to the browser. The transport can change during a run.
    pub(super) fn transport(&self) -> &'static str {
        match self {
            Self::PlaywrightCli(browser) => browser.transport(),
            Self::Cdp(browser) => browser.transport(),
        }
    }
}

fn missing(error: &Error) -> Refusal {
    if let (Some(variable), Some(file)) = (error.said("variable"), error.said("no_program")) {
        return Refusal::usage(format!(
            "the browser cannot be started: {variable} names {file}, which is no program: correct or unset it"
        ));
    }
    let found = error
        .context()
        .iter()
        .map(|(_, value)| value.as_str())
        .collect::<Vec<_>>()
        .join(": ");
    Refusal::usage(format!(
        "the browser cannot be started, something is missing: {found}"
    ))
}

fn not_started(headed: bool, error: &Error) -> Refusal {
    let headed = if headed {
        ", and --headed needs a screen"
    } else {
        ""
    };
    let named =
        error.kind() == ErrorKind::Unavailable && ProgramPlaces::from_env().names_chromium();
    let named = if named {
        "; WEBWISE_CHROMIUM names the browser: correct or unset it"
    } else {
        ""
    };
    Refusal::failure(format!(
        "the browser cannot be started: `webwise doctor` says what is there{headed}{named}"
    ))
    .of_kind("browser", 4)
    .with_details(details(error))
}

fn not_attached(address: &Url, error: &Error) -> Refusal {
    let place = place(address);
    match error.kind() {
        ErrorKind::InvalidInput => Refusal::usage(format!("--attach {place} is no address of a browser")),
        _ => Refusal::failure(format!(
            "no browser can be attached to at {place}: start one with --remote-debugging-port and a --user-data-dir of its own"
        ))
        .with_details(details(error)),
    }
}

fn details(error: &Error) -> Vec<String> {
    format!("{error:?}").lines().map(one_line).collect()
}

/// Returns the host and port of the address at which a browser listens. The other parts of the address are left out, because
/// anybody who knows the whole address can control the browser.
fn place(address: &Url) -> String {
    let port = address
        .port_or_known_default()
        .map(|port| format!(":{port}"))
        .unwrap_or_default();
    format!("{}{port}", address.host_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_needs_a_screen_that_one_of_two_variables_names() {
        let with = |set: &'static [(&str, &str)]| {
            screen(|name| {
                set.iter()
                    .find(|(known, _)| *known == name)
                    .map(|(_, value)| value.into())
            })
        };
        assert_eq!(with(&[("DISPLAY", ":0")]), Ok(()));
        assert_eq!(
            with(&[("DISPLAY", ""), ("WAYLAND_DISPLAY", "wayland-0")]),
            Ok(())
        );
        for none in [&[][..], &[("DISPLAY", "")]] {
            let refusal = with(none).unwrap_err();
            assert!(
                refusal.code() == 2 && refusal.sentence().contains("DISPLAY"),
                "{refusal:?}"
            );
        }
    }

    #[test]
    fn the_id_of_a_browser_is_not_told() {
        let address = Url::parse("ws://127.0.0.1:9222/devtools/browser/4f1c").unwrap();
        let told = Source::Attach(address.clone()).to_string();
        assert_eq!(told, "cdp, attached to the browser at 127.0.0.1:9222");
        let error = Error::new(ErrorKind::Unavailable, "browser.attach");
        let refusal = not_attached(&address, &error);
        assert_eq!(refusal.code(), 1);
        assert!(
            refusal.sentence().contains("at 127.0.0.1:9222")
                && !refusal.sentence().contains("4f1c")
        );
    }
}
