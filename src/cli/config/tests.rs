use super::*;
use crate::cli::args::Command as Parsed;

fn config(text: &str, is_trusted: bool) -> Result<Config, String> {
    let mut config = Config::default();
    let added = config.add(text, Path::new("webwise.toml"), is_trusted, &Cli::command());
    added
        .map(|()| config)
        .map_err(|refusal| refusal.sentence().to_owned())
}

/// Parses a command line together with a configuration file, as if these environment variables were set.
fn run(text: &str, line: &str, set: &[&str]) -> crate::cli::run_args::RunArgs {
    let config = config(text, true).unwrap();
    let command = config.apply(Cli::command(), &BTreeSet::new(), &|name| {
        set.contains(&name)
    });
    let line = format!("webwise run --goal x --url https://a.example {line}");
    let matches = command
        .try_get_matches_from(line.split_whitespace())
        .unwrap();
    match Cli::from_arg_matches(&matches).unwrap().command {
        Parsed::Run(args) => *args,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_flag_takes_precedence_over_a_variable_and_a_variable_over_the_file() {
    let text = "model = 'small'\nmax-steps = 7\ntimeout = '5m'\nallow = ['a.example', 'b.example']\napprove = 'auto'\nno-memory = true";
    let args = run(text, "", &[]);
    assert_eq!(args.model.model.as_deref(), Some("small"));
    assert_eq!(
        (args.max_steps, args.allow.len(), args.no_memory),
        (Some(7), 2, true)
    );
    assert_eq!(args.timeout, Some(std::time::Duration::from_mins(5)));
    assert_eq!(args.approve, crate::cli::run_args::Approve::Auto);

    let args = run(text, "--max-steps 9 --allow c.example", &["WEBWISE_MODEL"]);
    assert_eq!((args.max_steps, args.allow.len()), (Some(9), 1));
    assert_eq!(args.model.model, None, "the variable decides");
}

#[test]
fn a_value_of_the_file_gives_way_to_a_flag_that_excludes_it() {
    let config = config("no-memory = true\nheaded = true\nmax-steps = 3", true).unwrap();
    for (line, no_memory, headed) in [
        ("--resume-run last", false, true),
        ("--goal x --fork-run last", false, true),
        (
            "--goal x --url https://a.example --attach http://127.0.0.1:9222",
            true,
            false,
        ),
    ] {
        let line = format!("webwise run {line}");
        let given = Cli::command()
            .try_get_matches_from(line.split_whitespace())
            .unwrap();
        let except = excluded(&Cli::command(), &given);
        let command = config.apply(Cli::command(), &except, &|_| false);
        let matches = command
            .try_get_matches_from(line.split_whitespace())
            .unwrap();
        let Parsed::Run(args) = Cli::from_arg_matches(&matches).unwrap().command else {
            panic!("{line}");
        };
        assert_eq!(
            (args.no_memory, args.browser.headed),
            (no_memory, headed),
            "{line}"
        );
        assert_eq!(args.max_steps, Some(3));
    }
}

#[test]
fn the_names_of_other_programs_for_memory_are_known() {
    let args = run(
        "[memory]\nenabled = false\ntraceScoring = true\ntraceTtlDays = 14\n",
        "",
        &[],
    );
    assert_eq!(
        (
            args.no_memory,
            args.ways.trace_scoring,
            args.ways.trace_ttl_days,
        ),
        (true, true, Some(14))
    );
    assert!(!run("memory.enabled = true", "", &[]).no_memory);
    let config = config("[memory]\ndir = 'm'", true).unwrap();
    let list = ["webwise", "memory", "list"];
    let of = |set: bool| {
        let command = config.apply(Cli::command(), &BTreeSet::new(), &|_| set);
        let cli = Cli::from_arg_matches(&command.try_get_matches_from(list).unwrap()).unwrap();
        match cli.command {
            Parsed::Memory(args) => args.place.dir().unwrap(),
            other => panic!("{other:?}"),
        }
    };
    for set in [false, true] {
        assert!(
            of(set).ends_with("m"),
            "WEBWISE_HOME gives only the default"
        );
    }
}

#[test]
fn a_file_that_came_with_other_files_decides_nothing_that_matters() {
    let all = Cli::command();
    let mut flags: Vec<String> = Vec::new();
    for command in all.get_subcommands() {
        for arg in command.get_arguments().filter_map(clap::Arg::get_long) {
            flags.push(arg.to_owned());
        }
    }
    for flag in flags
        .iter()
        .filter(|flag| !HARMLESS.contains(&flag.as_str()))
    {
        let said = config(&format!("{flag} = 'x'"), false).unwrap_err();
        assert!(said.contains(&format!("`{flag}`")), "{said}");
    }
    for flag in [
        "base-url",
        "trace-ttl-days",
        "model",
        "driver",
        "attach",
        "approve",
        "replay",
        "allow",
        "memory-dir",
        "instructions",
        "secret",
        "given",
    ] {
        assert!(flags.iter().any(|known| known == flag), "{flag} is a flag");
        assert!(
            config(&format!("{flag} = 'x'"), false)
                .unwrap_err()
                .contains("--config webwise.toml")
        );
        assert!(config(&format!("{flag} = 'x'"), true).is_ok());
    }
    for (flag, most) in [("max-steps", 50), ("depth", 2), ("pages", 20)] {
        assert!(config(&format!("{flag} = {most}"), false).is_ok(), "{flag}");
        assert!(
            config(&format!("{flag} = '{most}'"), false).is_ok(),
            "{flag}"
        );
        for bad in ["-3", "'x'", "true"] {
            let said = config(&format!("{flag} = {bad}"), false).unwrap_err();
            let told = format!("webwise.toml: give `{flag}` a whole number of at most {most}");
            assert_eq!(said, told, "{bad}");
        }
        let said = config(&format!("{flag} = {}", most + 1), false).unwrap_err();
        assert!(
            said.contains(&format!("set `{flag}` to no more than {most}, ")),
            "{said}"
        );
    }
    let readme = include_str!("../../../README.md");
    let told = "defaults (50, 2 and 20)";
    assert!(readme.contains(told), "README tells these limits");
    assert!(
        config("session-id = 'x'", false).is_err(),
        "it would join a session of the user"
    );
    for flag in HARMLESS {
        assert!(has(&all, flag), "{flag} is a flag");
        assert!(config(&format!("{flag} = 1"), false).is_ok());
    }
}

#[test]
fn of_a_limit_that_both_files_set_the_smaller_one_counts() {
    let both = |own: &str, here: &str| {
        let mut config = config(own, true).unwrap();
        let added = config.add(here, Path::new(NAME), false, &Cli::command());
        added.unwrap();
        config
    };
    for (flag, small, large) in [
        ("depth", "1", "2"),
        ("max-calls", "9", "10"),
        ("max-input-tokens", "900", "1000"),
        ("max-output-tokens", "900", "1000"),
        ("max-steps", "10", "50"),
        ("pages", "5", "20"),
        ("timeout", "'90s'", "'2m'"),
    ] {
        let line = |value: &str| format!("{flag} = {value}");
        let bare = small.trim_matches('\'');
        for (own, here) in [(small, large), (large, small)] {
            let config = both(&line(own), &line(here));
            assert_eq!(config.text(flag), Some(bare), "{flag}: {own}, {here}");
        }
    }
    for (own, here, is_off) in [
        ("no-memory = true", "no-memory = false", true),
        (
            "[memory]\nenabled = false",
            "[memory]\nenabled = true",
            true,
        ),
        ("no-memory = false", "no-memory = true", true),
        ("no-memory = false", "no-memory = false", false),
    ] {
        let config = both(own, here);
        let last = config.settings.iter().rfind(|set| set.flag == "no-memory");
        assert_eq!(last.unwrap().values, [is_off.to_string()], "{own}, {here}");
    }
    let config = both("mode = 'scrape'", "mode = 'research'");
    assert_eq!(config.text("mode"), Some("research"), "mode is no limit");
}

#[test]
fn a_mistake_is_told_with_its_place() {
    for (text, said) in [
        ("max-steps = 1\nmax-calls = = 2", "webwise.toml: line 2: "),
        ("max-steps = 1\n= 2", "webwise.toml: line 2: "),
        (
            "max-stepz = 1",
            "webwise.toml: `max-stepz` is no flag that a file can set",
        ),
        (
            "goal = 'x'",
            "webwise.toml: `goal` is no flag that a file can set",
        ),
        ("[run]\nmax-steps = 1", "webwise.toml: `run` is no flag"),
        (
            "[memory]\nsize = 1",
            "webwise.toml: the table `memory` has no `size`",
        ),
        (
            "[memory]\nenabled = 1",
            "webwise.toml: give `enabled` true or false",
        ),
        (
            "max-steps = 2026-01-01",
            "webwise.toml: give `max-steps` a text",
        ),
    ] {
        let error = config(text, true).unwrap_err();
        assert!(
            error.starts_with(said) && error.lines().count() == 1,
            "{error}"
        );
    }
    let config = config("max-steps = 'many'", true).unwrap();
    let line = [
        "webwise",
        "run",
        "--goal",
        "x",
        "--url",
        "https://a.example",
    ];
    let error = config
        .apply(Cli::command(), &BTreeSet::new(), &|_| false)
        .try_get_matches_from(line)
        .unwrap_err();
    let said = config.refusal(&error, "webwise run");
    assert!(
        said.sentence()
            .starts_with("webwise.toml: invalid value 'many' for '--max-steps"),
        "{said:?}"
    );
}

#[test]
fn the_users_file_is_in_webwises_folder_or_that_for_configuration() {
    let with = |variables: &[(&str, &str)]| {
        user_file(|name| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| value.into())
        })
    };
    let all = [
        ("WEBWISE_HOME", "/w"),
        ("XDG_CONFIG_HOME", "/c"),
        ("HOME", "/h"),
    ];
    assert_eq!(with(&all), Some("/w/webwise.toml".into()));
    assert_eq!(with(&all[1..]), Some("/c/webwise/webwise.toml".into()));
    assert_eq!(
        with(&all[2..]),
        Some("/h/.config/webwise/webwise.toml".into())
    );
    assert_eq!(with(&[("XDG_CONFIG_HOME", "c"), ("HOME", "h")]), None);
    assert_eq!(with(&[("WEBWISE_HOME", ".webwise"), ("HOME", "/h")]), None);
}
