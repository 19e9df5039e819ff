//! What the playwright-cli driver costs, by socket and by processes.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use webwise::{
    Origin,
    action::{BrowserAction, Fill, Target, TextValue},
    browser::{
        BrowserDriver as _, ExecuteRequest, ObserveRequest, PlaywrightCli, PlaywrightCliOptions,
        ProgramPlaces, TransportChoice,
    },
    page::{ElementRef, Role},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

use crate::calls::{self, Anything, FEW, MANY, SOME, act, click, field, fill, head, row, see};

/// The two columns.
const TRANSPORTS: [TransportChoice; 2] = [TransportChoice::Process, TransportChoice::Socket];

/// Prints the table of both transports.
pub(crate) async fn measure(site: String) -> Anything {
    let options = PlaywrightCliOptions::from_env()?;
    head(["process", "socket"]);

    let mut pairs = Vec::new();
    let mut launches: [Vec<Duration>; 2] = Default::default();
    for _ in 0..FEW {
        for (transport, times) in TRANSPORTS.into_iter().zip(&mut launches) {
            let begin = Instant::now();
            let driver = PlaywrightCli::launch(&options.clone().with_transport(transport)).await?;
            times.push(begin.elapsed());
            pairs.push(driver);
        }
    }
    row("launch", launches);
    let drivers: [PlaywrightCli; 2] = [pairs.remove(0), pairs.remove(0)];
    for driver in pairs {
        driver.close().await?;
    }
    let bench = Bench { drivers, site };

    bench
        .time("goto, 20 elements", SOME, async |driver, _| {
            calls::open(driver, &bench.site, "20").await
        })
        .await?;
    let mut snapshot = 0.0;
    for (elements, samples) in [("20", MANY), ("300", MANY), ("10000", FEW)] {
        for driver in &bench.drivers {
            calls::open(driver, &bench.site, elements).await?;
        }
        let name = format!("observe, {elements} elements");
        let ratio = bench
            .time(&name, samples, async |driver, _| see(driver).await)
            .await?;
        if elements == "20" {
            snapshot = ratio;
        }
    }
    for driver in &bench.drivers {
        calls::open(driver, &bench.site, "20").await?;
    }
    let word = |sample: usize| TextValue::Literal(format!("word {sample}"));
    let first = Target::Ref(bench.reference("Field 0").await?);
    let call =
        async |driver: &PlaywrightCli, sample| fill(driver, first.clone(), word(sample)).await;
    let fills = bench.time("fill", MANY, call).await?;
    bench
        .time("observe, one field filled", MANY, async |driver, _| {
            see(driver).await
        })
        .await?;
    for driver in &bench.drivers {
        fill(driver, field("Password")?, word(0)).await?;
    }
    bench
        .time(
            "observe, the password filled too",
            MANY,
            async |driver, _| see(driver).await,
        )
        .await?;
    let button = || Target::parse("role=button[name=\"Button 1\" exact]");
    bench
        .time("click", SOME, async |driver, _| {
            click(driver, button()?).await
        })
        .await?;

    let name = SecretName::parse("WORD")?;
    let vault = Vault::new().with(
        name.clone(),
        Secret::new("open sesame"),
        vec![Origin::parse(&bench.site)?],
    )?;
    let secrets = SecretResolver::new(Arc::new(vault));
    let secret = async |driver: &PlaywrightCli, _| {
        let fill = Fill {
            target: field("Password")?,
            text: TextValue::Secret(name.clone()),
            submit: false,
        };
        act(
            driver,
            ExecuteRequest::new(BrowserAction::Fill(fill)).with_secrets(secrets.clone()),
        )
        .await
    };
    bench.time("fill with a secret", SOME, secret).await?;
    bench
        .time(
            "observe after it, one field filled",
            SOME,
            async |driver, _| see(driver).await,
        )
        .await?;
    for driver in &bench.drivers {
        calls::open(driver, &bench.site, "20").await?;
        fill(driver, field("Field 0")?, word(0)).await?;
        see(driver).await?;
    }
    bench
        .time(
            "observe on the next page, one field filled",
            SOME,
            async |driver, _| see(driver).await,
        )
        .await?;

    println!("driver: process to socket: snapshot {snapshot:.1} x, fill {fills:.1} x");
    let [process, socket] = bench.drivers;
    process.close().await?;

    // The driver starts the tool's bare client. What a command costs by the program that people call is told beside it.
    let folder = tempfile::tempdir()?;
    let program = whole_program(
        folder.path(),
        &ProgramPlaces::from_env()
            .tool()
            .ok_or("no playwright-cli")?,
    )?;
    let options = options
        .with_transport(TransportChoice::Process)
        .with_program(program);
    let bench = Bench {
        drivers: [PlaywrightCli::launch(&options).await?, socket],
        site: bench.site,
    };
    for driver in &bench.drivers {
        calls::open(driver, &bench.site, "20").await?;
    }
    head(["program", "socket"]);
    let snapshot = bench
        .time("observe, 20 elements", SOME, async |driver, _| {
            see(driver).await
        })
        .await?;
    let call =
        async |driver: &PlaywrightCli, sample| fill(driver, field("Field 0")?, word(sample)).await;
    let fills = bench.time("fill, by a locator", SOME, call).await?;
    println!("driver: playwright-cli to socket: snapshot {snapshot:.1} x, fill {fills:.1} x");
    for driver in bench.drivers {
        driver.close().await?;
    }
    Ok(())
}

struct Bench {
    /// In the order of [`TRANSPORTS`].
    drivers: [PlaywrightCli; 2],
    site: String,
}

impl Bench {
    /// Measures a call by both transports in turn, prints the medians, and returns their ratio.
    async fn time(
        &self,
        name: &str,
        samples: usize,
        call: impl AsyncFn(&PlaywrightCli, usize) -> Anything,
    ) -> Result<f64, Box<dyn std::error::Error>> {
        let mut times: [Vec<Duration>; 2] = Default::default();
        for sample in 0..samples {
            for (driver, times) in self.drivers.iter().zip(&mut times) {
                let begin = Instant::now();
                call(driver, sample).await?;
                times.push(begin.elapsed());
            }
        }
        Ok(row(name, times))
    }

    /// The reference of a field; both browsers went the same way and number it alike.
    async fn reference(&self, name: &str) -> Result<ElementRef, Box<dyn std::error::Error>> {
        let mut found = None;
        for driver in &self.drivers {
            let seen = driver.observe(&ObserveRequest::default()).await?;
            let field = seen
                .tree
                .nodes()
                .iter()
                .find(|node| node.role == Role::TextBox && &*node.name == name);
            let reference = field
                .and_then(|node| node.reference.clone())
                .ok_or("a field without a reference")?;
            if found.get_or_insert_with(|| reference.clone()) != &reference {
                return Err("the browsers number the page differently".into());
            }
        }
        Ok(found.ok_or("no browser")?)
    }
}

/// The tool's program under a name that the driver does not know, so that it takes no short cut.
fn whole_program(folder: &Path, tool: &Path) -> std::io::Result<PathBuf> {
    let file = folder.join("program");
    std::fs::write(
        &file,
        format!("#!/bin/sh\nexec '{}' \"$@\"\n", tool.display()),
    )?;
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(file)
}
