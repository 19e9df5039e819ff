//! A playwright-cli that records how it was started and says what the tool would say.
//!
//! It is this test program itself, started under the tool's name through a link; beside the link lie its mood and its
//! records. So it needs nothing but what the test was built with, and starts in a few milliseconds.

use std::{
    env,
    ffi::OsString,
    fs,
    io::{Read as _, Write as _},
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
};

use super::tool::{self, Line, Mood};

/// The name of the link.
pub(crate) const NAME: &str = "playwright-cli";
/// Beside the link: the records, the mood, and the socket of the fake daemon.
pub(crate) const RECORDS: &str = "records";
pub(crate) const MOOD: &str = "mood";
pub(crate) const SOCKET: &str = "daemon.sock";

/// How the program was started, byte for byte.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// Without the program's own name.
    pub(crate) arguments: Vec<Vec<u8>>,
    /// The file that `--filename` named, for a script.
    pub(crate) script: Vec<u8>,
    pub(crate) stdin: Vec<u8>,
    /// `NAME=value`, in order.
    pub(crate) environment: Vec<Vec<u8>>,
    pub(crate) folder: Vec<u8>,
}

/// The folder of the link, if this process was started through it.
pub(crate) fn home() -> Option<PathBuf> {
    let program = PathBuf::from(env::args_os().next()?);
    (program.file_name()? == NAME).then(|| program.parent().map(Path::to_owned))?
}

/// Acts as the tool.
pub(crate) fn main(home: &Path) {
    let bytes = |text: OsString| text.into_vec();
    let mut record = Record {
        arguments: env::args_os().skip(1).map(bytes).collect(),
        ..Record::default()
    };
    std::io::stdin()
        .read_to_end(&mut record.stdin)
        .expect("standard input can be read");
    let pair =
        |(name, value): (OsString, OsString)| [bytes(name), b"=".to_vec(), bytes(value)].concat();
    record.environment = env::vars_os().map(pair).collect();
    record.environment.sort();
    record.folder = bytes(
        env::current_dir()
            .expect("a working folder")
            .into_os_string(),
    );

    let text: Vec<String> = record
        .arguments
        .iter()
        .map(|a| String::from_utf8_lossy(a).into_owned())
        .collect();
    let line = tool::read(&text);
    if line
        .words
        .first()
        .is_some_and(|command| command == "run-code")
    {
        record.script = line
            .options
            .get("filename")
            .and_then(|file| fs::read(file).ok())
            .unwrap_or_default();
    }
    let mut records = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(home.join(RECORDS))
        .expect("the records");
    records
        .write_all(&record.written())
        .expect("the record can be written");

    let mood = if home.join(MOOD).exists() {
        Mood::Help
    } else {
        Mood::Fine
    };
    let reply = match line.words.first().map(String::as_str) {
        Some("open") => open(home, &line),
        Some("close") => "closed".to_owned(),
        _ => tool::answer(&line, mood),
    };
    println!("{reply}");
    std::process::exit(i32::from(reply.starts_with("### Error")));
}

/// Leaves the session file that leads to the fake daemon.
fn open(home: &Path, line: &Line) -> String {
    let session = line.options.get("s").map_or("", String::as_str);
    let folder =
        env::var_os("PWTEST_DAEMON_SESSION_DIR").expect("the driver says where sessions are kept");
    let folder = PathBuf::from(folder).join("workspace");
    fs::create_dir_all(&folder).expect("a folder for the session");
    let told = serde_json::json!({ "version": "1.64.0", "socketPath": home.join(SOCKET) });
    fs::write(folder.join(format!("{session}.session")), told.to_string()).expect("a session file");
    let page = "### Page\n- Page URL: about:blank\n- Page Title: ";
    format!(
        "### Browser `{session}` opened with pid {}.\n{page}",
        std::process::id()
    )
}

impl Record {
    fn parts(&self) -> Vec<&[u8]> {
        let lists = [&self.arguments, &self.environment]
            .into_iter()
            .flatten()
            .map(Vec::as_slice);
        [&self.script, &self.stdin, &self.folder]
            .into_iter()
            .map(Vec::as_slice)
            .chain(lists)
            .collect()
    }

    /// Number of arguments, number of parts, then each part after its length.
    fn written(&self) -> Vec<u8> {
        let number = |n: usize| u32::try_from(n).expect("a small number").to_le_bytes();
        let parts = self.parts();
        let mut out = [number(self.arguments.len()), number(parts.len())].concat();
        for part in parts {
            out.extend(number(part.len()));
            out.extend(part);
        }
        out
    }

    /// The records of a folder since they were last taken.
    pub(crate) fn take(home: &Path) -> Vec<Self> {
        let file = home.join(RECORDS);
        let Ok(bytes) = fs::read(&file) else {
            return Vec::new();
        };
        fs::remove_file(&file).expect("the records can be removed");
        let mut rest = bytes.as_slice();
        let mut records = Vec::new();
        while !rest.is_empty() {
            let (arguments, parts) = (number(&mut rest), number(&mut rest));
            let mut parts: Vec<Vec<u8>> = (0..parts).map(|_| part(&mut rest)).collect();
            let environment = parts.split_off(3 + arguments);
            let arguments = parts.split_off(3);
            let [script, stdin, folder] = parts.try_into().expect("three single parts");
            records.push(Self {
                arguments,
                script,
                stdin,
                environment,
                folder,
            });
        }
        records
    }
}

fn number(rest: &mut &[u8]) -> usize {
    let (head, tail) = rest.split_first_chunk::<4>().expect("a whole number");
    *rest = tail;
    usize::try_from(u32::from_le_bytes(*head)).expect("32 bits fit")
}

fn part(rest: &mut &[u8]) -> Vec<u8> {
    let length = number(rest);
    let (head, tail) = rest.split_at(length);
    *rest = tail;
    head.to_vec()
}
