//! A long article: sixteen sections of a newspaper's history of a waterworks, with links, figures, and what stands beside it.

use webwise::page::Role;

use crate::reading::{
    Question,
    random::Random,
    site::{Document, Page, document},
};

const SECTIONS: [&str; 16] = [
    "Before the works",
    "The first survey",
    "The act of Parliament",
    "Digging the tunnel",
    "The winter of the canal",
    "A second engineer",
    "Pipes under the town",
    "The long drought",
    "Wells on the hill",
    "Coal and steam",
    "What it cost",
    "The great repair",
    "Women at the valves",
    "Electric pumps",
    "Flood and mud",
    "The works today",
];

/// Sentences that say nothing that a question asks for. The place and the person differ each time.
const FILLING: [&str; 20] = [
    "The town of {place} had asked for clean water since anyone could remember.",
    "{person} kept a diary of those months, and most of what we know comes from it.",
    "A committee met at {place} every second Tuesday and seldom agreed on anything.",
    "The brick came by barge from {place} and was stacked along the towpath.",
    "Nobody at {place} believed that the pressure would reach the upper streets.",
    "{person} wrote to the board that the old pipes had been laid too shallow.",
    "The minutes of the meeting run to forty pages and were signed by {person}.",
    "For a while the water of {place} was sold from carts at a penny a bucket.",
    "An inspector came from {place}, looked into the shaft and went home again.",
    "The gauge at {place} was read twice a day, also on Sundays.",
    "{person} drew the plans by lamplight in a shed behind the engine house.",
    "Most of the men lodged at {place} and walked an hour to the site.",
    "The clay of {place} was so heavy that two pumps had to run at night.",
    "A photograph shows {person} beside the valve with a hat in his hand.",
    "The reservoir above {place} was lined with stone from the old abbey.",
    "{person} resigned soon after, for reasons that the records do not give.",
    "The parish of {place} refused to pay and was cut off for a week.",
    "Children from {place} were let out of school to see the first fountain.",
    "The iron was cast at {place}, and one piece in ten had to be sent back.",
    "{person} later said that the works had taught the county patience.",
];

const PLACES: [&str; 12] = [
    "Marlow Green",
    "Upper Hay",
    "Stanbrook",
    "Coldwell",
    "Eastcote",
    "Penhill",
    "Rushford",
    "Oakley Vale",
    "Saint Agnes",
    "Larkfield",
    "Holm Cross",
    "Wickham",
];

const PEOPLE: [&str; 10] = [
    "Edith Farrow",
    "Samuel Pike",
    "Clara Winslow",
    "Josiah Hale",
    "Martin Dray",
    "Ruth Ellery",
    "Thomas Bright",
    "Anna Lowe",
    "Henry Stokes",
    "Margaret Vane",
];

/// The sentences that questions ask for, and others that could be mistaken for them: the number of the section and of the
/// paragraph, and the sentence.
const PLANTED: [(usize, usize, &str); 27] = [
    (
        1,
        2,
        "Corrigan rode out with a chain and a level to measure the hill.",
    ),
    (
        3,
        1,
        "At Thornton the tunnel met a vein of water, and the work stood still until spring.",
    ),
    (
        3,
        4,
        "The bill for timber alone was £310, which Corrigan paid himself.",
    ),
    (
        4,
        2,
        "That January the filter beds froze over, and carts brought water from the canal.",
    ),
    (4, 5, "In Thornton and in Bramley people melted snow."),
    (
        5,
        0,
        "Corrigan left in May, and it took a year to find another engineer.",
    ),
    (
        5,
        1,
        "A barge with a hydraulic ram aboard sank at the lock.",
    ),
    (6, 3, "The first pipe to Bramley burst in its third week."),
    (
        7,
        0,
        "No rain fell from the second of March to the end of September.",
    ),
    (
        7,
        4,
        "The beds of the canal were dry, and the filter house was shut.",
    ),
    (
        8,
        1,
        "The Dunmore well gave 18,900 gallons a day in its second summer.",
    ),
    (
        8,
        3,
        "In its first summer the Ashby well gave 41,300 gallons a day, more than all the springs of the hill together.",
    ),
    (
        8,
        4,
        "A hydraulic ram at its foot lifted a part of that to the farms.",
    ),
    (
        8,
        5,
        "The Ashby well was lined with brick and had a roof of slate.",
    ),
    (
        9,
        3,
        "Corrigan's boilers, as they were still called, burned nine tons of coal a day.",
    ),
    (10, 0, "The land for the reservoir was bought for £4,200."),
    (10, 1, "The tunnel took £17,650 and two lives."),
    (
        10,
        3,
        "Pipes and valves came to £8,940, and the engine house to £6,075.",
    ),
    (10, 4, "Lawyers were paid £1,385."),
    (
        11,
        2,
        "A diver from Valparaiso mended the intake by touch alone.",
    ),
    (
        11,
        5,
        "The repair cost £2,760, and Corrigan's son sent the bill.",
    ),
    (13, 1, "The last hydraulic ram was sold for scrap."),
    (
        13,
        3,
        "The new pumps gave 96,000 gallons a day in their first summer.",
    ),
    (14, 4, "In that flood the beds at Ashby were buried in mud."),
    (
        15,
        2,
        "A plaque at the gate names Corrigan and the two men who died.",
    ),
    (
        15,
        3,
        "Bramley has a supply of its own now, and Thornton has none.",
    ),
    (
        15,
        5,
        "So the works outlived their makers, and the county still drinks from a hill that it had meant to leave alone.",
    ),
];

/// The sections, each with its paragraphs, each with its sentences.
struct Article(Vec<Vec<Vec<String>>>);

impl Article {
    fn new(random: &mut Random) -> Self {
        let mut filling = || {
            let pick = |random: &mut Random, from: &[&'static str]| from[random.index(from.len())];
            let sentence = pick(random, &FILLING);
            sentence
                .replace("{place}", pick(random, &PLACES))
                .replace("{person}", pick(random, &PEOPLE))
        };
        let mut sections: Vec<Vec<Vec<String>>> = SECTIONS
            .iter()
            .map(|_| {
                (0..6)
                    .map(|_| (0..4).map(|_| filling()).collect())
                    .collect()
            })
            .collect();
        for (section, paragraph, sentence) in PLANTED {
            let sentences: &mut Vec<String> = &mut sections[section][paragraph];
            // The first sentence of a section, and the last of the article, stand where a question looks for them.
            let at = match (section, paragraph) {
                (7, 0) => 0,
                (15, 5) => sentences.len(),
                _ => 1 + sentence.len() % 3,
            };
            sentences.insert(at, sentence.to_owned());
        }
        Self(sections)
    }

    fn sentences(&self) -> impl Iterator<Item = (usize, &str)> {
        let sections = self.0.iter().enumerate();
        sections.flat_map(|(at, paragraphs)| {
            paragraphs
                .iter()
                .flatten()
                .map(move |sentence| (at, sentence.as_str()))
        })
    }

    fn with(&self, words: &str) -> impl Iterator<Item = (usize, &str)> {
        self.sentences()
            .filter(move |(_, sentence)| sentence.contains(words))
    }

    fn questions(&self) -> Vec<Question> {
        let only = |words: &str| {
            let mut all = self.with(words);
            let one = all.next().expect("it is planted");
            assert_eq!(all.next(), None, "{words}");
            one
        };
        let times = self
            .sentences()
            .map(|(_, sentence)| sentence.matches("Corrigan").count());
        let pounds = self.0[10].iter().flatten().flat_map(|sentence| {
            let amounts = sentence.split('£').skip(1);
            amounts.map(|rest| {
                let digits = rest.split(|c: char| !c.is_ascii_digit() && c != ',').next();
                digits
                    .and_then(|amount| amount.replace(',', "").parse::<u32>().ok())
                    .expect("an amount")
            })
        });
        let mut rams: Vec<&str> = self
            .with("hydraulic ram")
            .map(|(at, _)| SECTIONS[at])
            .collect();
        rams.dedup();
        let mut end: Vec<&str> = self.0[15][5].iter().map(String::as_str).collect();
        let end = end.pop().expect("a sentence");
        let is_first = |one: &str, other: &str| {
            let first = |words: &str| {
                self.sentences()
                    .position(|(_, sentence)| sentence.contains(words))
            };
            first(one) < first(other)
        };
        let first = if is_first("Bramley", "Thornton") {
            "Bramley"
        } else {
            "Thornton"
        };
        assert_eq!(self.with("Rotterdam").count(), 0);
        vec![
            Question::new(
                "How many gallons a day did the Ashby well give in its first summer, according to the article?",
                only("first summer the Ashby").1,
            ),
            Question::new(
                "Which section of the article says that the filter beds froze over?",
                SECTIONS[only("froze").0],
            ),
            Question::new("How many times does the article name \"Corrigan\"?", times.sum::<usize>()).computed(),
            Question::new("What does the article say in its last sentence?", end),
            Question::new("Does the article mention \"Rotterdam\"?", "no").whole(),
            Question::new("Does the article mention \"Valparaiso\"?", "yes"),
            Question::new(
                "How does the section \"The long drought\" of the article begin?",
                &self.0[7][0][0],
            ),
            Question::new(
                "What do all amounts in pounds in the section \"What it cost\" of the article come to?",
                pounds.sum::<u32>(),
            )
            .computed(),
            Question::new(
                "Which does the article name first, \"Bramley\" or \"Thornton\"?",
                first,
            ),
            Question::new(
                "Which sections of the article mention \"hydraulic ram\"?",
                rams.join("; "),
            ),
        ]
    }
}

fn content(page: &mut Page, article: &Article) {
    page.open(Role::Main, "", |page| {
        page.open(Role::Article, "", |page| {
            page.heading(1, "The hill that gave a county its water");
            page.paragraph("By our correspondent, 40 minutes to read");
            page.open(Role::Navigation, "Contents", |page| {
                let links = SECTIONS
                    .map(|title| (title.to_owned(), format!("#{}", title.replace(' ', "-"))));
                page.links(&links);
            });
            for (at, (title, paragraphs)) in SECTIONS.iter().zip(&article.0).enumerate() {
                page.heading(2, title);
                for (nth, sentences) in paragraphs.iter().enumerate() {
                    page.open(Role::Paragraph, "", |page| {
                        // Every third paragraph has a link in its text.
                        let (before, after) = sentences.split_at(2);
                        if nth % 3 == 2 {
                            page.text(&before.join(" "));
                            page.link("See the map.", "/map");
                            page.text(&after.join(" "));
                        } else {
                            page.text(&sentences.join(" "));
                        }
                    });
                }
                if at % 3 == 1 {
                    page.open(Role::Figure, "", |page| {
                        page.leaf(Role::Img, &format!("Drawing {}", at / 3 + 1));
                        page.text("A drawing from the archive of the county.");
                    });
                }
            }
        });
        page.open(Role::Complementary, "Most read", |page| {
            let most = [
                "Storm closes the pier",
                "A new bridge for the ferry",
                "Council votes on rents",
                "The last cinema",
            ];
            page.links(&most.map(|title| (title.to_owned(), "/story".to_owned())));
        });
        page.open(Role::Form, "Newsletter", |page| {
            page.leaf(Role::TextBox, "Your email");
            page.leaf(Role::Button, "Subscribe");
        });
    });
}

/// Makes the article and its questions.
pub(crate) fn make(random: &mut Random) -> (Vec<Document>, Vec<Question>) {
    let article = Article::new(random);
    let page = document(
        "https://gazette.example/water".to_owned(),
        "The hill that gave a county its water",
        ["The Harrow Gazette", "News Opinion Culture Sport Archive"],
        |page| content(page, &article),
    );
    (vec![page], article.questions())
}
