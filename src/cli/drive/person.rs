//! The person at the terminal, who approves actions and answers the model's questions.

use std::io::{self, IsTerminal as _, Write as _};

use async_trait::async_trait;
use tokio::sync::{Mutex, mpsc};

use crate::{
    agent::{Approval, ApprovalRequest, Approver},
    base::text::Folded,
    cli::say::one_line,
    prompt::for_person,
    report::words::{self, quoted},
};

/// Maximum number of times that a person is asked to approve one action; after that, the action is refused. Source: chosen.
const ATTEMPTS: usize = 3;
/// Maximum length of the address in a question to the person, and of a question that the model asks. Unit: characters.
/// Source: chosen.
const MAX_TEXT: usize = 300;

/// A person who is asked on stderr and answers on stdin.
#[derive(Debug)]
pub(in crate::cli) struct Person {
    lines: Mutex<Option<mpsc::UnboundedReceiver<String>>>,
}

impl Person {
    /// Returns the person at the terminal; `None` unless stdin and stderr are both a terminal.
    pub(in crate::cli) fn at_terminal() -> Option<Self> {
        (io::stdin().is_terminal() && io::stderr().is_terminal()).then(|| Self {
            lines: Mutex::new(None),
        })
    }

    /// Asks a question and returns the answer; `None` if stdin has ended.
    async fn ask(&self, question: &str) -> Option<String> {
        let mut lines = self.lines.lock().await;
        let lines = lines.get_or_insert_with(read_stdin);
        // Drop lines that were typed before the question.
        while lines.try_recv().is_ok() {}
        let mut err = io::stderr();
        let _ = write!(err, "{} ", one_line(question));
        let _ = err.flush();
        let mut open = OpenLine(true);
        let answer = lines.recv().await;
        open.0 = answer.is_none();
        answer
    }
}

/// The line on stderr that shows a question. The value is true while the line is open. Dropping it ends an open line.
struct OpenLine(bool);

impl Drop for OpenLine {
    fn drop(&mut self) {
        if self.0 {
            let _ = writeln!(io::stderr());
        }
    }
}

/// Reads lines of stdin in a thread that ends with the process, and returns the receiver of these lines. An async task would
/// not do: reading a terminal cannot be cancelled, so the runtime would wait for it at exit.
fn read_stdin() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    // If the thread cannot be started, the sender is dropped and every question is answered as if nobody were there.
    let _ = std::thread::Builder::new()
        .name("webwise-stdin".to_owned())
        .spawn(move || {
            for line in io::stdin().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    receiver
}

#[async_trait]
impl Approver for Person {
    async fn approve(&self, request: &ApprovalRequest) -> Approval {
        let question = question(request);
        for _ in 0..ATTEMPTS {
            match self.ask(&question).await.as_deref().map(parse) {
                Some(Some(answer)) => return answer,
                Some(None) => {}
                None => return Approval::Unavailable,
            }
        }
        Approval::No
    }

    async fn answer(&self, question: &str) -> Option<String> {
        let question = format!("     The model asks: {} >", quoted(question, MAX_TEXT));
        self.ask(&question)
            .await
            .map(|answer| answer.trim().to_owned())
            .filter(|answer| !answer.is_empty())
    }
}

fn question(request: &ApprovalRequest) -> String {
    let action = for_person(&request.action, &request.targets);
    let (effect, url) = (
        words::effect(request.effect),
        quoted(&request.url, MAX_TEXT),
    );
    let doubt = match request.doubt {
        Some(step) => format!(
            " Look first: step {step} may have done this already, before the run was interrupted."
        ),
        None => String::new(),
    };
    format!(
        "     May I {action} on {url}? It is something that {effect}.{doubt} [y]es, [n]o, [s]top:"
    )
}

fn parse(line: &str) -> Option<Approval> {
    match Folded::of(line).as_str() {
        "y" | "yes" => Some(Approval::Yes),
        "n" | "no" => Some(Approval::No),
        "s" | "stop" => Some(Approval::Stop),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        RunId,
        action::{Action, BrowserAction, Effect, NoArguments},
    };

    #[tokio::test]
    async fn at_the_end_of_the_input_nobody_could_be_asked_and_a_typed_no_is_a_no() {
        let reload = Action::Browser(BrowserAction::Reload(NoArguments {}));
        let run = RunId::parse("run_1").unwrap();
        let request = ApprovalRequest::new(run, reload, Effect::Irreversible);
        let (sender, receiver) = mpsc::unbounded_channel();
        let person = Person {
            lines: Mutex::new(Some(receiver)),
        };
        let answer = async {
            tokio::task::yield_now().await;
            sender.send("no".to_owned()).unwrap();
        };
        let (answered, ()) = tokio::join!(person.approve(&request), answer);
        assert_eq!(answered, Approval::No);
        drop(sender);
        assert_eq!(person.approve(&request).await, Approval::Unavailable);
        assert_eq!(person.answer("Which size?").await, None);
    }

    #[test]
    fn only_a_clear_answer_is_one() {
        assert_eq!(parse(" Yes \n"), Some(Approval::Yes));
        assert_eq!(
            (parse("N"), parse("stop")),
            (Some(Approval::No), Some(Approval::Stop))
        );
        for unclear in ["", "yep", "1", "yes please", "\u{1b}[A"] {
            assert_eq!(parse(unclear), None, "{unclear:?}");
        }
    }
}
