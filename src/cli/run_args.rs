//! The flags of `run` and `demo`.

use std::{path::PathBuf, time::Duration};

use clap::{Args, ValueEnum, builder::NonEmptyStringValueParser, value_parser};
use url::Url;

use super::{
    memory_place::MemoryPlace,
    setup::choice::DriverName,
    values::{self, SecretSource},
};
use crate::{
    action::ParameterName,
    base::{Host, SessionId, Site},
};

/// Which actions are asked about before they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Approve {
    /// All but reading.
    Safe,
    /// Those that cannot be undone.
    Hybrid,
    /// None.
    Auto,
}

/// When the model is shown a picture of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ImagesArg {
    /// When the page cannot be told in words, as a canvas or icons without a name.
    Auto,
    /// In each step.
    Always,
    /// Never.
    Never,
}

/// Flags of `webwise run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// What to reach, in plain words.
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    pub(super) goal: String,
    /// Where to start.
    #[arg(long, value_parser = values::url)]
    pub(super) url: Url,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    /// Maximum number of steps of the run.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_steps: Option<u32>,
    /// Maximum number of calls of the model.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    pub(super) max_calls: Option<u32>,
    /// Maximum number of tokens that the model reads.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) max_input_tokens: Option<u64>,
    /// Maximum number of tokens that the model writes.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    pub(super) max_output_tokens: Option<u64>,
    /// Longest time of the run, such as 90s, 5m or 1h.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(super) timeout: Option<Duration>,
    /// Which actions are asked about.
    #[arg(long, value_enum, default_value_t = Approve::Hybrid)]
    pub(super) approve: Approve,
    /// A site that may be visited besides the first one; naming one closes the rest of the web.
    #[arg(long, value_name = "SITE", value_parser = values::site)]
    pub(super) allow: Vec<Site>,
    /// Words for the system instruction beside the goal, such as how the work is done.
    #[arg(long, value_name = "TEXT")]
    pub(super) instructions: Option<String>,
    /// A note about a host and the names below it, shown on their pages; may be given several times.
    #[arg(long = "site-note", value_name = "HOST=NOTE", value_parser = values::site_note)]
    pub(super) site_notes: Vec<(Host, String)>,
    /// A value that the goal speaks of by name.
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = values::parameter)]
    pub(super) parameters: Vec<(ParameterName, String)>,
    /// A secret, read from an environment variable, and the origin it may be typed into.
    #[arg(long = "secret", value_name = "NAME=ENVVAR@ORIGIN", value_parser = values::secret)]
    pub(super) secrets: Vec<SecretSource>,
    /// Groups this run with others.
    #[arg(long, value_name = "ID", value_parser = values::session)]
    pub(super) session_id: Option<SessionId>,
    #[command(flatten)]
    pub(super) memory: MemoryPlace,
    /// Neither read nor write memory.
    #[arg(long)]
    pub(super) no_memory: bool,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    /// Use a browser that runs with remote debugging, with its cookies, in a tab of its own; such as `http://127.0.0.1:9222`. By
    /// the driver cdp.
    #[arg(long, value_name = "URL", value_parser = values::debugger, conflicts_with = "headed")]
    pub(super) attach: Option<Url>,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// Flags of `webwise demo`.
#[derive(Debug, Args)]
pub(super) struct DemoArgs {
    /// Port of the shop on 127.0.0.1; 0 takes a free one. Without it the same one each time, if it is free, so that memory
    /// knows the shop again.
    #[arg(long, value_name = "N")]
    pub(super) port: Option<u16>,
    /// Decides order numbers and small differences of the shop's pages; without it they are new each time.
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) model: ModelArgs,
    #[command(flatten)]
    pub(super) memory: MemoryPlace,
    /// Pause between steps, so that one can watch.
    #[arg(long)]
    pub(super) slow: bool,
    #[command(flatten)]
    pub(super) browser: BrowserArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// Which model decides.
#[derive(Debug, Default, Args)]
pub(super) struct ModelArgs {
    /// Name of the model, in the place of `WEBWISE_MODEL`.
    #[arg(long, value_name = "M", value_parser = NonEmptyStringValueParser::new())]
    pub(super) model: Option<String>,
    /// Address of an OpenAI-compatible server, in the place of `WEBWISE_LLM_BASE_URL`.
    #[arg(long, value_name = "URL", value_parser = values::url)]
    pub(super) base_url: Option<Url>,
    /// Longest time for one answer of the model, such as 90s or 9m; 60s without it. A slow model on this machine needs more.
    #[arg(long, value_name = "DURATION", value_parser = values::duration)]
    pub(super) model_timeout: Option<Duration>,
    /// When the model is shown a picture of the page; auto without it, for models that are known to take pictures. An
    /// OpenAI-compatible server or Ollama gets pictures only if this says auto or always. None is taken any more once a secret was typed.
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(super) images: Option<ImagesArg>,
}

/// Which browser is started.
#[derive(Debug, Default, Args)]
pub(super) struct BrowserArgs {
    /// What drives the browser. Without it cdp, where it can start one; `webwise doctor` says which and why.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(super) driver: Option<DriverName>,
    /// Show the browser.
    #[arg(long)]
    pub(super) headed: bool,
}

/// What is shown and kept.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Folder of the run folders.
    #[arg(long, value_name = "DIR", default_value = "runs")]
    pub(super) runs_dir: PathBuf,
    /// Keep a picture of each step; none is taken any more once a secret was typed.
    #[arg(long)]
    pub(super) screenshots: bool,
    /// Print one JSON object to stdout at the end; what happens on the way goes to stderr.
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
            ("--param", "x"),
            ("--site-note", "x"),
            ("--site-note", "a b=x"),
            ("--site-note", "shop.example="),
            ("--secret", "PASSWORD=hunter2"),
            ("--session-id", "../x"),
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
}
