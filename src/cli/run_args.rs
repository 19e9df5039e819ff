//! The flags of `run` and `demo`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueEnum, builder::NonEmptyStringValueParser, value_parser};
use url::Url;

use super::{
    memory_place::MemoryPlace,
    runs::RUNS_DIR,
    setup::choice::DriverName,
    values::{self, SecretSource},
};
use crate::{
    action::ParameterName,
    agent::Replay,
    base::{Host, SessionId, Site},
    guard::ApprovalMode,
    memory::KindOptions,
    prompt::Mode,
};

/// The actions that need approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Approve {
    /// All actions except reading need approval.
    Safe,
    /// Only actions that cannot be undone need approval.
    Hybrid,
    /// No action needs approval. Exception: if a resumed run may have carried out an action that cannot be undone, the
    /// next such action needs approval.
    Auto,
}

impl Approve {
    pub(super) const fn mode(self) -> ApprovalMode {
        match self {
            Self::Safe => ApprovalMode::Safe,
            Self::Hybrid => ApprovalMode::Hybrid,
            Self::Auto => ApprovalMode::Auto,
        }
    }
}

/// The policy for pictures of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ImagesArg {
    /// A picture is sent if words cannot describe the page, as with a canvas or unnamed icons, or if the model asks for
    /// it.
    Auto,
    /// A picture is sent in each step.
    Always,
    /// No picture is sent.
    Never,
}

/// The kind of work that a run mainly does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ModeArg {
    /// The kind of work is chosen from what the last steps did.
    #[default]
    Auto,
    /// The run finds its way through many pages.
    Navigate,
    /// The run fills in forms and presses buttons.
    Execute,
    /// The run collects data from pages.
    Scrape,
    /// The run reads long texts and compares them.
    Research,
}

impl ModeArg {
    pub(super) const fn mode(self) -> Mode {
        match self {
            Self::Auto => Mode::Auto,
            Self::Navigate => Mode::Navigate,
            Self::Execute => Mode::Execute,
            Self::Scrape => Mode::Scrape,
            Self::Research => Mode::Research,
        }
    }
}

/// The steps that a run takes from memory without asking the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReplayArg {
    /// No step is taken without the model.
    Off,
    /// If an earlier run had the same goal, word for word, its steps are taken up to the first that sends a form.
    Known,
    /// The same, to the last step.
    Full,
}

impl ReplayArg {
    pub(super) const fn replay(self) -> Replay {
        match self {
            Self::Off => Replay::Off,
            Self::Known => Replay::Known,
            Self::Full => Replay::Full,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The goal of the task, in plain words.
    #[arg(long, visible_alias = "task", value_parser = NonEmptyStringValueParser::new(), required_unless_present = "resume_run")]
    pub(super) goal: Option<String>,
    /// The address of the page to start on.
    #[arg(long, visible_alias = "start-url", value_parser = values::url, required_unless_present_any = ["resume_run", "fork_run"])]
    pub(super) url: Option<Url>,
    /// Go on with a run that was interrupted or ended without an answer: its id, an unambiguous beginning of it, or `last`.
    /// With --goal, a new run with that goal starts on the page where the earlier run ended, in the same session.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["url", "fork_run", "no_memory"])]
    pub(super) resume_run: Option<String>,
    /// Start a run with a new goal, in a new session, on the page where the run RUN ended.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["url", "no_memory"])]
    pub(super) fork_run: Option<String>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Maximum number of steps. Default: 50.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_steps: Option<u32>,
    /// Maximum number of calls to the model. Default: no limit.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_calls: Option<u32>,
    /// Maximum number of tokens that the model reads. Default: no limit.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) max_input_tokens: Option<u64>,
    /// Maximum number of tokens that the model writes. Default: no limit.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) max_output_tokens: Option<u64>,
    /// Maximum time of the run, such as 90s, 5m or 1h. A bare number is seconds. Default: no limit.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(super) timeout: Option<Duration>,
    /// The actions that need your approval.
    #[arg(long, value_enum, default_value_t = Approve::Hybrid)]
    pub(super) approve: Approve,
    /// The kind of work that the run mainly does. It decides which parts of the run's memory a message keeps if not all of
    /// them fit.
    #[arg(long, value_enum, default_value_t = ModeArg::Auto)]
    pub(super) mode: ModeArg,
    /// A site that may be visited in addition to the start site. If you name at least one, or give a secret, no other
    /// site may be visited.
    #[arg(long, value_name = "SITE", value_parser = values::site)]
    pub(super) allow: Vec<Site>,
    /// Instructions in addition to the goal, such as how the work should be done.
    #[arg(long, value_name = "TEXT")]
    pub(super) instructions: Option<String>,
    /// A note that the model sees on the pages of a host and its subdomains; may be given several times.
    #[arg(long = "site-note", value_name = "HOST=NOTE", value_parser = values::site_note)]
    pub(super) site_notes: Vec<(Host, String)>,
    /// A value that the goal refers to by name.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::parameter)]
    pub(super) parameters: Vec<(ParameterName, String)>,
    /// A text that the work needs and no page shows, such as a letter to answer. Give a name, and the file that contains the
    /// text, with at most 4000 characters. The model reads the text as data.
    #[arg(long = "given", value_name = "NAME=FILE", value_parser = values::given)]
    pub(super) given: Vec<(String, PathBuf)>,
    /// A file that the run may upload. Give a name, by which the model refers to the file, and its path. An upload cannot be
    /// undone, so it needs your approval unless you give --approve auto.
    #[arg(long = "file", value_name = "NAME=PATH", value_parser = values::given)]
    pub(super) files: Vec<(String, PathBuf)>,
    /// A file with a JSON Schema of the answer: the answer is then JSON of this form, and `unverified` lists the fields that no
    /// page supports.
    #[arg(long, value_name = "FILE")]
    pub(super) schema: Option<PathBuf>,
    /// A secret: its name, the environment variable that contains it, and the origin where it may be typed.
    #[arg(long = "secret", value_name = "NAME=ENVVAR@ORIGIN", value_parser = values::secret)]
    pub(super) secrets: Vec<SecretSource>,
    /// Name of a session, which groups runs.
    #[arg(long, value_name = "ID", value_parser = values::session)]
    pub(super) session_id: Option<SessionId>,
    #[command(flatten)]
    pub(super) memory: MemoryPlace,
    /// Run without reading or writing memory.
    #[arg(long)]
    pub(super) no_memory: bool,
    /// Which steps are taken from memory without asking the model.
    #[arg(long, value_enum, default_value_t = ReplayArg::Known)]
    pub(super) replay: ReplayArg,
    /// Share of the advice from memory to hold back as a control, from 0 to 1. Default: 0. Compare runs with and without an
    /// item to see what it is worth.
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub(super) withheld_share: Option<f64>,
    #[command(flatten)]
    pub(super) ways: WayArgs,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    /// Use a browser that is already running with remote debugging, such as `http://127.0.0.1:9222`. The agent works in a
    /// new tab, with that browser's cookies. Needs the driver cdp.
    #[arg(long, value_name = "URL", value_parser = values::debugger, conflicts_with = "headed")]
    pub(super) attach: Option<Url>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct ExtractArgs {
    /// The address of the page.
    #[arg(value_parser = values::url)]
    pub(super) url: Url,
    /// A file with a JSON Schema of the data. Its descriptions tell the model what to read.
    #[arg(long, value_name = "FILE")]
    pub(super) schema: PathBuf,
    /// What to read, in plain words, if the schema does not say it, such as "the orders of May, from all pages".
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(super) goal: Option<String>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Maximum number of steps. Default: 50.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_steps: Option<u32>,
    /// Maximum number of calls to the model. Default: no limit.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_calls: Option<u32>,
    /// Maximum number of tokens that the model reads. Default: no limit.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) max_input_tokens: Option<u64>,
    /// Maximum number of tokens that the model writes. Default: no limit.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) max_output_tokens: Option<u64>,
    /// Maximum time, such as 90s, 5m or 1h. A bare number is seconds. Default: no limit.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(super) timeout: Option<Duration>,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    /// Use a browser that is already running with remote debugging, such as `http://127.0.0.1:9222`, with its cookies. Needs
    /// the driver cdp.
    #[arg(long, value_name = "URL", value_parser = values::debugger, conflicts_with = "headed")]
    pub(super) attach: Option<Url>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Port of the shop on 127.0.0.1; 0 selects a free port. By default the same port is used each time if it is free, so
    /// that memory recognises the shop.
    #[arg(long, value_name = "N")]
    pub(super) port: Option<u16>,
    /// Seed for order numbers and small differences of the shop's pages. Default: random.
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) memory: MemoryPlace,
    /// Pause between steps, so that a person can watch.
    #[arg(long)]
    pub(super) slow: bool,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The model that decides.
#[derive(Debug, Default, Args)]
pub(super) struct ModelArgs {
    /// Name of the model; overrides `WEBWISE_MODEL`. `stand-in` is a set of rules in this program, which needs no key.
    #[arg(long, value_name = "M", value_parser = NonEmptyStringValueParser::new())]
    pub(super) model: Option<String>,
    /// Address of an OpenAI-compatible server; overrides `WEBWISE_LLM_BASE_URL`.
    #[arg(long, value_name = "URL", value_parser = values::url)]
    pub(super) base_url: Option<Url>,
    /// Maximum time for one answer of the model, such as 90s or 9m. Default: 60s. A bare number is seconds. A slow model on
    /// your own machine needs more.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(super) model_timeout: Option<Duration>,
    /// When the model gets a picture of the page. Default: auto for a model that is known to accept pictures, otherwise
    /// never. For Ollama and for an OpenAI-compatible server this is not known, so give auto or always. After a secret was
    /// typed or shown, no more pictures are taken.
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(super) images: Option<ImagesArg>,
}

/// Flags for the use of the recorded steps of earlier runs.
#[derive(Debug, Default, Args)]
pub(super) struct WayArgs {
    /// If several earlier runs could be repeated, rank them not only by the similarity of their goals but also by
    /// recency, speed and verified steps.
    #[arg(long)]
    pub(super) trace_scoring: bool,
    /// Days after which the recorded steps of a run are forgotten. Default: 30.
    #[arg(long, value_name = "N")]
    pub(super) trace_ttl_days: Option<u32>,
}

impl WayArgs {
    pub(super) fn kinds(&self) -> KindOptions {
        let mut options = KindOptions::default();
        options.trace_scoring = self.trace_scoring;
        options.trace_ttl_days = self.trace_ttl_days.unwrap_or(options.trace_ttl_days);
        options
    }
}

/// The browser to start.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct BrowserArgs {
    /// The browser driver. Default: playwright-cli if `WEBWISE_PLAYWRIGHT_CLI` names it, otherwise cdp if it can start
    /// a browser. `webwise doctor` says which driver is used and why.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) driver: Option<DriverName>,
    /// Show the browser window.
    #[arg(long)]
    pub(super) headed: bool,
    /// Size of the window's content in pixels, such as 1280x800, which is the default.
    #[arg(long, value_name = "WxH", value_parser = values::size)]
    pub(super) viewport: Option<(u32, u32)>,
    /// The text by which the browser names itself to sites.
    #[arg(long, value_name = "TEXT")]
    pub(super) user_agent: Option<String>,
    /// The language and region that pages see, such as de-DE.
    #[arg(long, value_name = "TAG")]
    pub(super) locale: Option<String>,
    /// The time zone that pages see, such as Europe/Berlin.
    #[arg(long, value_name = "ZONE")]
    pub(super) time_zone: Option<String>,
    /// The proxy for all requests but those to this machine, such as `http://proxy.example:3128`.
    #[arg(long, value_name = "URL")]
    pub(super) proxy: Option<String>,
    /// A header for every request of the pages; may be given several times. It goes to every site, so it is no place for a
    /// secret.
    #[arg(long = "header", value_name = "NAME=VALUE", value_parser = values::header)]
    pub(super) headers: Vec<(String, String)>,
    /// The folder of a browser profile that outlives the run: its storage, and its cookies with an expiry date, are there in the
    /// next run with it. Needs the driver cdp.
    #[arg(long, value_name = "FOLDER")]
    pub(super) profile: Option<PathBuf>,
    /// The folder for files that pages offer. Without it, they are refused.
    #[arg(long, value_name = "FOLDER")]
    pub(super) downloads: Option<PathBuf>,
}

/// Output of a run, on the terminal and in files.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// The folder that contains the run folders.
    #[arg(long, value_name = "DIR", default_value = RUNS_DIR)]
    pub(super) runs_dir: PathBuf,
    /// Keep a picture of each step. After a secret was typed or shown, no more pictures are taken.
    #[arg(long)]
    pub(super) screenshots: bool,
    /// Print one JSON object to stdout at the end; progress goes to stderr.
    #[arg(long)]
    pub(super) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Refusal;

    #[derive(Debug, Parser)]
    struct Run {
        #[command(flatten)]
        args: RunArgs,
    }

    fn refusal(flag: &str, value: &str) -> String {
        let fine = [("--goal", "x"), ("--url", "https://a.example")]
            .into_iter()
            .filter(|(name, _)| *name != flag);
        let flags = fine
            .chain([(flag, value)])
            .map(|(name, value)| format!("{name}={value}"));
        let args = ["webwise".to_owned()].into_iter().chain(flags);
        let error = Run::try_parse_from(args).unwrap_err();
        let refusal = Refusal::of_arguments(&error, "webwise run").unwrap();
        assert_eq!(refusal.code(), 2);
        assert_eq!(refusal.sentence().lines().count(), 1);
        refusal.sentence().to_owned()
    }

    #[test]
    fn a_secret_is_hidden_and_the_example_stays_whole() {
        for value in ["P", "PASSWORD", "hunter2"] {
            let sentence = refusal("--secret", value);
            assert!(
                sentence.contains("PASSWORD=SHOP_PASSWORD@https://"),
                "{sentence}"
            );
            assert!(
                sentence.contains("'…'") && !sentence.contains("hunter2"),
                "{sentence}"
            );
        }
    }

    #[test]
    fn every_bad_value_is_named_with_its_flag() {
        for (flag, value) in [
            ("--url", "file:///etc/passwd"),
            ("--max-steps", "0"),
            ("--max-steps", "many"),
            ("--max-calls", "-1"),
            ("--max-input-tokens", "1e9"),
            ("--max-output-tokens", "0"),
            ("--timeout", "soon"),
            ("--model-timeout", "later"),
            ("--approve", "never"),
            ("--images", "yes"),
            ("--allow", "a b"),
            ("--allow", "htp:/x"),
            ("--allow", "https://shop.example/path"),
            ("--param", "x"),
            ("--given", "letter"),
            ("--given", "=letter.txt"),
            ("--file", "cv.pdf"),
            ("--file", "cv="),
            ("--viewport", "800"),
            ("--viewport", "0x600"),
            ("--header", "X-Stage"),
            ("--header", "a b=c"),
            ("--site-note", "x"),
            ("--site-note", "a b=x"),
            ("--site-note", "shop.example="),
            ("--secret", "PASSWORD=hunter2"),
            ("--session-id", "../x"),
            ("--withheld-share", "1.1"),
            ("--withheld-share", "half"),
            ("--goal", ""),
            ("--base-url", "localhost:80"),
            ("--driver", "selenium"),
            ("--attach", "9222"),
            ("--attach", "https://127.0.0.1:9222"),
        ] {
            let sentence = refusal(flag, value);
            assert!(
                sentence.contains(flag) && sentence.contains("value"),
                "{sentence}"
            );
            assert!(
                sentence.ends_with("; see `webwise run --help`"),
                "{sentence}"
            );
        }
    }

    #[test]
    fn the_help_tells_the_unit_of_a_time_and_the_size_of_a_text() {
        let help = <Run as clap::CommandFactory>::command();
        let of = |flag: &str| {
            let mut all = help.get_arguments();
            let arg = all.find(|arg| arg.get_long() == Some(flag)).unwrap();
            arg.get_long_help().or(arg.get_help()).unwrap().to_string()
        };
        for flag in ["timeout", "model-timeout"] {
            assert!(of(flag).contains("A bare number is seconds"), "{flag}");
        }
        let most = crate::working::MAX_GIVEN_TEXT;
        assert!(of("given").contains(&format!("at most {most} characters")));
    }

    #[test]
    fn flags_become_typed_values() {
        let line = "webwise --goal x --url https://a.example --allow b.example --param q=1 --secret P=V@https://a.example \
                    --timeout 5m --approve safe --max-input-tokens 1000 --no-memory";
        let run = Run::try_parse_from(line.split_whitespace()).unwrap().args;
        assert_eq!(run.timeout, Some(Duration::from_mins(5)));
        assert_eq!(
            (run.approve, run.max_input_tokens, run.no_memory),
            (Approve::Safe, Some(1000), true)
        );
        assert_eq!(
            (run.allow.len(), run.parameters.len(), run.secrets.len()),
            (1, 1, 1)
        );
    }

    #[test]
    fn the_flags_about_earlier_ways_are_options_of_memory() {
        let of = |flags: &str| {
            let line = format!("webwise --goal x --url https://a.example {flags}");
            let run = Run::parse_from(line.split_whitespace());
            run.args.ways.kinds()
        };
        assert_eq!(of(""), KindOptions::default());
        let chosen = of("--trace-scoring --trace-ttl-days 7");
        assert_eq!((chosen.trace_scoring, chosen.trace_ttl_days), (true, 7));
    }

    #[test]
    fn the_goal_and_the_start_page_have_a_second_name() {
        let of = |line: &str| Run::try_parse_from(line.split_whitespace()).unwrap().args;
        let named = of("webwise --goal x --url https://a.example");
        let aliased = of("webwise --task x --start-url https://a.example");
        assert_eq!((&aliased.goal, &aliased.url), (&named.goal, &named.url));
        assert!(aliased.goal.is_some() && aliased.url.is_some());
    }
}
