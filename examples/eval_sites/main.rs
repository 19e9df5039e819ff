//! Measures what memory is worth on real sites: runs `webwise eval` with the stand-in model on the demo shop, Roundup, Django's admin and
//! MiniWoB++, and prints a table for each.
//!
//! ```text
//! cargo run --features full --example test_beds                      # once: brings the sites and the browser
//! cargo run --features full --example eval_sites -- --seeds 5 --site django
//! ```
//!
//! `--site` may be repeated. Without it, all sites are measured. Each goal is measured twice: the run that fills the memory has the same
//! values, or other values. The episodes of MiniWoB++ always have other values. The files are kept in `target/eval_sites`.
//!
//! ```text
//! sites    starts a site, and returns its cases
//! episodes the cases of MiniWoB++
//! program  runs `webwise eval`, and ends it on a signal
//! table    the figures of a site as a table
//! *.json   the cases of the other sites
//! ```

#[path = "../../tests/support/apps.rs"]
mod apps;
#[path = "../../tests/support/browsers.rs"]
mod browsers;
#[allow(dead_code, reason = "other targets use the rest")]
#[path = "../../tests/both_drivers/miniwob/episode.rs"]
mod episode;
mod episodes;
#[path = "../../tests/both_drivers/miniwob/site.rs"]
mod pages;
mod program;
mod sites;
mod table;

use std::{env, fs, path::Path, process::ExitCode};

use serde_json::Value;

use program::Program;
use sites::{NAMES, Site};

type Failed = Box<dyn std::error::Error + Send + Sync>;

const USAGE: &str = "eval_sites [--seeds N] [--site shop|roundup|django|miniwob]...";

fn main() -> ExitCode {
    if let Some(code) = program::is_asked_for(env::args_os()) {
        return code;
    }
    let measured = Wish::read(env::args().skip(1)).and_then(|wish| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(wish.measure())
    });
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Wish {
    seeds: u32,
    sites: Vec<String>,
}

impl Wish {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failed> {
        let mut wish = Self {
            seeds: 5,
            sites: Vec::new(),
        };
        while let Some(flag) = arguments.next() {
            match (flag.as_str(), arguments.next()) {
                ("--seeds", Some(seeds)) => wish.seeds = seeds.parse()?,
                ("--site", Some(site)) if NAMES.contains(&site.as_str()) => wish.sites.push(site),
                _ => return Err(format!("usage: {USAGE}").into()),
            }
        }
        if wish.sites.is_empty() {
            wish.sites = NAMES.map(str::to_owned).to_vec();
        }
        Ok(wish)
    }

    async fn measure(&self) -> Result<(), Failed> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/eval_sites");
        fs::create_dir_all(&folder)?;
        for name in &self.sites {
            let site = Site::start(name, self.seeds).await?;
            let cases = folder.join(format!("{name}-cases.json"));
            fs::write(&cases, format!("{:#}\n", site.cases))?;
            let program = Program {
                cases: &cases,
                seeds: self.seeds,
                runs: &folder.join(format!("{name}-runs")),
                password: &site.password,
            };
            let figures = program.run().await?;
            let kept = folder.join(format!("{name}.json"));
            fs::write(&kept, format!("{figures:#}\n"))?;
            for line in table::lines(name, &figures) {
                println!("{line}");
            }
            println!("{}\n", kept.display());
            if figures["ok"] != Value::Bool(true) {
                return Err(format!("{name}: {}", figures["problem"]).into());
            }
        }
        Ok(())
    }
}
