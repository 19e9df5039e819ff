//! What the playwright-cli driver costs, by socket and by processes side by side, on a real Chromium.
//!
//! `cargo bench --features full --bench driver`. A main of its own instead of a library: a call takes 10 ms to 1 s, both
//! transports take turns so that a busy moment of the machine meets both, and the figure that matters is their ratio.
//! Nothing here asserts a time.

use std::{
    io::{BufRead, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use webwise::{
    Origin,
    action::{BrowserAction, Click, Fill, Goto, Target, TextValue},
    browser::{
        BrowserDriver as _, ExecuteRequest, ObserveRequest, PlaywrightCli, PlaywrightCliOptions, ProgramPlaces,
        TransportChoice,
    },
    page::{ElementRef, Role},
    secret::{Secret, SecretName, SecretResolver, Vault},
};

/// The two columns.
const TRANSPORTS: [TransportChoice; 2] = [TransportChoice::Process, TransportChoice::Socket];

/// Samples of what takes milliseconds. Unit: calls. Source: chosen; the median moves by under a tenth from run to run.
const MANY: usize = 25;
/// Samples of what takes about half a second. Unit: calls. Source: chosen.
const SOME: usize = 9;
/// Samples of what takes seconds. Unit: calls. Source: chosen.
const FEW: usize = 3;

type Anything = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Anything {
    let site = serve()?;
    let options = PlaywrightCliOptions::from_env()?;
    println!("{:<44}{:>12}{:>12}{:>8}", "median of", "process", "socket", "ratio");

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

    bench.time("goto, 10 elements", SOME, async |driver, _| bench.open(driver, "10").await).await?;
    let mut snapshot = 0.0;
    for (elements, samples) in [("10", MANY), ("300", MANY), ("10000", FEW)] {
        for driver in &bench.drivers {
            bench.open(driver, elements).await?;
        }
        let name = format!("observe, {elements} elements");
        let ratio = bench.time(&name, samples, async |driver, _| see(driver).await).await?;
        if elements == "10" {
            snapshot = ratio;
        }
    }
    for driver in &bench.drivers {
        bench.open(driver, "10").await?;
    }
    let word = |sample: usize| TextValue::Literal(format!("word {sample}"));
    let first = Target::Ref(bench.reference("Field 0").await?);
    let call = async |driver: &PlaywrightCli, sample| fill(driver, first.clone(), word(sample)).await;
    let fill = bench.time("fill", MANY, call).await?;
    bench.time("observe, one field filled", MANY, async |driver, _| see(driver).await).await?;
    for driver in &bench.drivers {
        crate::fill(driver, field("Password")?, word(0)).await?;
    }
    bench.time("observe, the password filled too", MANY, async |driver, _| see(driver).await).await?;
    bench.time("click", SOME, async |driver, _| click(driver).await).await?;

    let name = SecretName::parse("WORD")?;
    let vault = Vault::new().with(name.clone(), Secret::new("open sesame"), vec![Origin::parse(&bench.site)?])?;
    let secrets = SecretResolver::new(Arc::new(vault));
    let secret = async |driver: &PlaywrightCli, _| {
        let fill = Fill { target: field("Password")?, text: TextValue::Secret(name.clone()), submit: false };
        act(driver, ExecuteRequest::new(BrowserAction::Fill(fill)).with_secrets(secrets.clone())).await
    };
    bench.time("fill with a secret", SOME, secret).await?;
    bench.time("observe after it, one field filled", SOME, async |driver, _| see(driver).await).await?;
    for driver in &bench.drivers {
        bench.open(driver, "10").await?;
        crate::fill(driver, field("Field 0")?, word(0)).await?;
        see(driver).await?;
    }
    bench.time("observe on the next page, one field filled", SOME, async |driver, _| see(driver).await).await?;

    println!("driver: process to socket: snapshot {snapshot:.1} x, fill {fill:.1} x");
    let [process, socket] = bench.drivers;
    process.close().await?;

    // The driver starts the tool's bare client. What a command costs by the program that people call is told beside it.
    let folder = tempfile::tempdir()?;
    let program = whole_program(folder.path(), &ProgramPlaces::from_env().tool().ok_or("no playwright-cli")?)?;
    let options = options.with_transport(TransportChoice::Process).with_program(program);
    let bench = Bench { drivers: [PlaywrightCli::launch(&options).await?, socket], site: bench.site };
    for driver in &bench.drivers {
        bench.open(driver, "10").await?;
    }
    println!("\n{:<44}{:>12}{:>12}{:>8}", "median of", "program", "socket", "ratio");
    let snapshot = bench.time("observe, 10 elements", SOME, async |driver, _| see(driver).await).await?;
    let call = async |driver: &PlaywrightCli, sample| crate::fill(driver, field("Field 0")?, word(sample)).await;
    let fill = bench.time("fill, by a locator", SOME, call).await?;
    println!("driver: playwright-cli to socket: snapshot {snapshot:.1} x, fill {fill:.1} x");
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
            let field = seen.tree.nodes().iter().find(|node| node.role == Role::TextBox && &*node.name == name);
            let reference = field.and_then(|node| node.reference.clone()).ok_or("a field without a reference")?;
            if found.get_or_insert_with(|| reference.clone()) != &reference {
                return Err("the browsers number the page differently".into());
            }
        }
        Ok(found.ok_or("no browser")?)
    }

    async fn open(&self, driver: &PlaywrightCli, elements: &str) -> Anything {
        let goto = Goto { url: format!("{}/{elements}", self.site) };
        act(driver, ExecuteRequest::new(BrowserAction::Goto(goto))).await
    }
}

fn row(name: &str, times: [Vec<Duration>; 2]) -> f64 {
    let [process, socket] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1000.0
    });
    println!("{name:<44}{process:>9.1} ms{socket:>9.1} ms{:>6.1} x", process / socket);
    process / socket
}

async fn act(driver: &PlaywrightCli, request: ExecuteRequest) -> Anything {
    let execution = driver.execute(&request).await?;
    // What failed at once would be a fine figure.
    if execution.outcome.is_done() { Ok(()) } else { Err(format!("{execution:?}").into()) }
}

async fn see(driver: &PlaywrightCli) -> Anything {
    let seen = driver.observe(&ObserveRequest::default()).await?;
    let fields = seen.tree.nodes().iter().filter(|node| node.role == Role::TextBox).count();
    if fields > 0 { Ok(()) } else { Err("an observation without the page's fields".into()) }
}

fn field(label: &str) -> Result<Target, Box<dyn std::error::Error>> {
    Ok(Target::parse(&format!("label=\"{label}\""))?)
}

async fn fill(driver: &PlaywrightCli, target: Target, text: TextValue) -> Anything {
    let fill = Fill { target, text, submit: false };
    act(driver, ExecuteRequest::new(BrowserAction::Fill(fill))).await
}

async fn click(driver: &PlaywrightCli) -> Anything {
    let click = Click { target: Target::parse("role=button[name=\"Button 1\" exact]")?, button: None };
    act(driver, ExecuteRequest::new(BrowserAction::Click(click))).await
}

/// The tool's program under a name that the driver does not know, so that it takes no short cut.
fn whole_program(folder: &Path, tool: &Path) -> std::io::Result<PathBuf> {
    let file = folder.join("program");
    std::fs::write(&file, format!("#!/bin/sh\nexec '{}' \"$@\"\n", tool.display()))?;
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(file)
}

/// Pages on loopback: `/N` has N elements (a field, a button, and links in turn) and a password field.
fn serve() -> std::io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let site = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // A thread a request: browsers open connections that they never use.
            std::thread::spawn(move || answer(stream));
        }
    });
    Ok(site)
}

fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut first = String::new();
    let mut reader = BufReader::new(stream.try_clone()?);
    reader.read_line(&mut first)?;
    while reader.read_line(&mut String::new())? > 2 {}
    let elements = first.split(['/', ' ']).nth(2).and_then(|number| number.parse().ok()).unwrap_or(0);
    let element = |at: usize| match at % 10 {
        0 => format!("<p><label>Field {at} <input></label>"),
        1 => format!("<p><button type=button>Button {at}</button>"),
        _ => format!("<p><a href=#{at}>Link {at}</a>"),
    };
    let body: String = (0..elements).map(element).collect();
    let body =
        format!("<!doctype html><title>{elements}</title>{body}<p><label>Password <input type=password></label>");
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}
