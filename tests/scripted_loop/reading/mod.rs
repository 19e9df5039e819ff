//! Questions about a long article, a table of 500 rows and a list over five pages, answered by a policy that sees only the requests.
//!
//! The documents are made from a fixed seed, and the answers are computed from the data that they are made from.

use crate::random;

mod article;
mod list;
mod policy;
mod prompt;
mod records;
mod site;
mod table;
mod wanted;

use std::{collections::HashMap, fmt::Display};

use webwise::{
    DecisionLoop, Task,
    base::{TokenCount, tokens::estimate},
    chat::{ChatRequest, ChatResponse, LlmCapabilities},
    store::InMemory,
    testing::ScriptedModel,
    working::StopReason,
};

use random::Random;
use site::{Document, Site};

/// The seed of the documents. Source: chosen.
const SEED: u64 = 20_241_125;
/// The model's context window. Unit: tokens. Source: chosen; common among models that run on one machine.
const WINDOW: u64 = 32_000;

/// What the requests of one question may cost: if the answer is found, and if everything must be read. Unit: tokens by `o200k`. Source:
/// measured, 10,700 and 18,000, and a tenth more. Of each request 1,400 are rules and tools, and 2,000 the page.
const OF_ARTICLE: [usize; 2] = [11_800, 19_800];
/// See [`OF_ARTICLE`]. Source: measured, 5,900 and 36,000, and a tenth more. The rows take 22,000; the dearest question begins with a search.
const OF_TABLE: [usize; 2] = [6_500, 39_600];
/// See [`OF_ARTICLE`]. Source: measured, 20,000 and 32,200, and a tenth more. Each of the five pages takes a request, because what is found
/// on a page need not be on another.
const OF_LIST: [usize; 2] = [22_000, 35_400];

/// A question with its answer.
struct Question {
    text: String,
    answer: String,
    /// True if the answer is a number that no page shows, so that it is reported as unverified.
    computed: bool,
    /// True if all of the document must be read.
    whole: bool,
}

impl Question {
    fn new(text: impl Into<String>, answer: impl Display) -> Self {
        Self {
            text: text.into(),
            answer: answer.to_string(),
            computed: false,
            whole: false,
        }
    }

    fn computed(self) -> Self {
        Self {
            computed: true,
            ..self
        }
    }

    fn whole(self) -> Self {
        Self {
            whole: true,
            ..self
        }
    }
}

/// Counts the tokens of requests by `o200k`. Most lines stand in many requests, so the count of each is kept.
#[derive(Default)]
struct Tokens(HashMap<String, usize>);

impl Tokens {
    fn of(&mut self, request: &ChatRequest) -> usize {
        let declared = request.tools.declared().iter();
        let tools: Vec<String> = declared
            .map(|tool| format!("{}: {}\n{}\n", tool.name, tool.description, tool.parameters))
            .collect();
        let texts = [&tools.concat(), &request.system, &request.message];
        let lines = texts
            .into_iter()
            .flat_map(|text| text.split_inclusive('\n'));
        lines.map(|line| self.of_line(line)).sum()
    }

    fn of_line(&mut self, line: &str) -> usize {
        if let Some(known) = self.0.get(line) {
            return *known;
        }
        let count = tiktoken_rs::o200k_base_singleton()
            .encode_ordinary(line)
            .len();
        self.0.insert(line.to_owned(), count);
        count
    }
}

/// Asks a question; returns the requests.
async fn ask(pages: &[Document], question: &Question, window: u64) -> Vec<ChatRequest> {
    let mut capabilities = LlmCapabilities::new("reader");
    capabilities.context_window = Some(TokenCount(window));
    let model =
        ScriptedModel::deciding(|request| Ok(ChatResponse::with_calls(policy::decide(request))));
    let model = model.with_capabilities(capabilities);
    let agent = DecisionLoop::builder(Site::new(pages), model.clone(), InMemory::new())
        .build()
        .unwrap();
    let task = Task::new(&question.text).unwrap();
    let report = agent.run(task.with_start_url(&pages[0].url).unwrap()).await;
    let requests = model.requests();
    let last = requests
        .last()
        .map_or("", |request| request.message.as_str());
    let asked = format!("{}\n{last}", question.text);
    assert_eq!(report.answer.as_deref(), Some(&*question.answer), "{asked}");
    assert_eq!(
        report.summary.stop,
        StopReason::Finished,
        "{asked}: {report:?}"
    );
    let is_own = |claim: &String| {
        question.computed && question.answer.replace(',', "").starts_with(claim.as_str())
    };
    assert!(
        report.unverified.iter().all(is_own),
        "{asked}: {:?}",
        report.unverified
    );
    for request in &requests {
        let declared = request.tools.declared().iter();
        let tools = declared
            .map(|tool| estimate(&tool.description).0 + estimate(&tool.parameters.to_string()).0);
        let whole = tools.sum::<u64>() + estimate(&request.system).0 + estimate(&request.message).0;
        assert!(whole + request.max_output.0 <= window, "{asked}: {whole}");
    }
    requests
}

async fn answers(
    name: &str,
    (pages, questions): (Vec<Document>, Vec<Question>),
    [found, read]: [usize; 2],
) {
    let mut counter = Tokens::default();
    let mut all = 0;
    assert_eq!(questions.len(), 10);
    for question in &questions {
        let requests = ask(&pages, question, WINDOW).await;
        let tokens: usize = requests.iter().map(|request| counter.of(request)).sum();
        figure!(
            "reading: {name}: {tokens} tokens, {} calls: {}",
            requests.len(),
            question.text
        );
        all += tokens;
        let most = if question.whole { read } else { found };
        assert!(tokens <= most, "{name}: {tokens} tokens: {}", question.text);
    }
    figure!(
        "reading: {name}: {} tokens a question in the mean",
        all / questions.len()
    );
}

#[tokio::test]
async fn questions_about_a_long_article_are_answered() {
    answers("article", article::make(&mut Random(SEED)), OF_ARTICLE).await;
}

#[tokio::test]
async fn questions_about_a_table_of_500_rows_are_answered() {
    answers("table", table::make(&mut Random(SEED)), OF_TABLE).await;
}

#[tokio::test]
async fn questions_about_a_list_over_five_pages_are_answered() {
    answers("list", list::make(&mut Random(SEED)), OF_LIST).await;
}

/// The smallest context window that is tried. Unit: tokens. Source: chosen; the default of a popular local server is 4,096, of which
/// the reply and the tools leave too little for any page.
const SMALL: u64 = 8_192;

#[tokio::test]
async fn a_small_window_is_read_in_smaller_parts() {
    let of_article = |text: &str| text.contains("Rotterdam");
    let of_table = |text: &str| text.contains("the sum of");
    let documents = [
        article::make(&mut Random(SEED)),
        table::make(&mut Random(SEED)),
    ];
    for (pages, questions) in documents {
        for question in questions
            .iter()
            .filter(|q| of_article(&q.text) || of_table(&q.text))
        {
            let requests = ask(&pages, question, SMALL).await;
            figure!(
                "reading: a window of {SMALL}: {} calls: {}",
                requests.len(),
                question.text
            );
        }
    }
}
