//! Files that are broken or meant to harm: an error or a note that is bounded, never a panic, and memory within its bounds.

use serde_json::{Value, json};
use webwise::{
    ErrorKind,
    memory::{MAX_RECORD_BYTES, archive, kinds, lesson::v1},
};

use crate::import_export::{
    memory::{Memory, fixture},
    profile::pick,
};

/// Longest problem. Unit: bytes.
const MAX_TOLD: usize = 400;

/// Reads and imports whatever it is; says whether it was read at all.
fn swallow(bytes: &[u8], memory: &mut Memory) -> bool {
    if let Ok(archive) = archive::parse(bytes) {
        archive::import(&archive, &kinds(), None, true);
        return true;
    }
    let document = match v1::parse(bytes) {
        Ok(document) => document,
        Err(error) => {
            assert!(format!("{error:?}").len() < 1_000, "{error:?}");
            return false;
        }
    };
    let (done, _) = memory.import(&document, true);
    assert!(
        done.problems.len() <= 2 * (v1::MAX_PROBLEMS + 1),
        "{}",
        done.problems.len()
    );
    for problem in &done.problems {
        let told = problem.to_string();
        assert!(
            told.len() < MAX_TOLD && !told.chars().any(webwise::base::text::is_deceptive),
            "{told:?}"
        );
    }
    for record in memory.0.values().flatten() {
        assert!(
            record.size() <= MAX_RECORD_BYTES,
            "{} has {} bytes",
            record.key,
            record.size()
        );
    }
    true
}

/// Numbers that look like chance and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % n as u64).unwrap()
    }
}

#[test]
fn a_broken_file_is_an_error_or_a_note_and_never_a_panic() {
    let mut files = 0;
    let mut read = 0;
    let mut try_it = |bytes: &[u8]| {
        files += 1;
        read += usize::from(swallow(bytes, &mut Memory::default()));
    };
    for name in ["version_1_documented.json", "version_1.json"] {
        let golden = fixture(name);
        let step = pick(13, 1);
        (0..golden.len())
            .step_by(step)
            .for_each(|end| try_it(&golden[..end]));
        let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        for _ in 0..pick(400, 40_000) {
            let mut broken = golden.clone();
            for _ in 0..=numbers.below(3) {
                let at = numbers.below(broken.len());
                match numbers.below(4) {
                    0 => broken[at] ^= 1 << numbers.below(8),
                    1 => _ = broken.remove(at),
                    2 => broken.insert(at, b"\"{}[],:0-e.\\\x00\xff"[numbers.below(14)]),
                    _ => {
                        let from = numbers.below(broken.len());
                        let to = (from + numbers.below(40)).min(broken.len());
                        let piece = broken[from..to].to_vec();
                        broken.splice(at..at, piece);
                    }
                }
            }
            try_it(&broken);
        }
    }
    assert!(read > 0 && read < files, "{read} of {files}");
    figure!("import_export: {files} broken files, {read} of them read in part, 0 panics");
}

#[test]
fn numbers_names_and_sizes_that_nobody_means_are_told_and_left_out() {
    let base = json!({
        "lesson": "x", "category": "best_practice", "failed_command": null, "error_pattern": null, "domain": null,
        "use_count": 1, "created_at": "2026-01-01", "last_used": "2026-01-01", "source": "learned", "triggered_domains": []
    });
    let with = |field: &str, value: Value| {
        let mut lesson = base.clone();
        lesson[field] = value;
        lesson
    };
    let long = "y".repeat(300_000);
    let hostile = vec![
        with("use_count", json!(-9_223_372_036_854_775_808_i64)),
        with("use_count", serde_json::from_str("1e308").unwrap()),
        with("use_count", json!("3")),
        with("use_count", json!(true)),
        with("lesson", json!(long)),
        with("failed_command", json!(long)),
        with("domain", json!(long)),
        with("domain", json!("../../etc/passwd")),
        with("domain", json!("a.example\u{0}.evil")),
        with("domain", json!("com")),
        with("created_at", json!("999999-01-01")),
        with("last_used", json!("2026-01-01T00:00:00Z")),
        with("triggered_domains", json!(vec![long.clone(); 3])),
        with("category", json!(long)),
        json!([]),
        json!(null),
    ];
    let count = hostile.len();
    let document = json!({ "version": 1, "lessons": hostile });
    let parsed = v1::parse(document.to_string().as_bytes()).unwrap();
    let mut memory = Memory::default();
    let (done, changed) = memory.import(&parsed, true);
    assert_eq!(
        (done.taken, changed, done.problems.len()),
        (0, 0, count),
        "{:#?}",
        done.problems
    );
    assert!(swallow(document.to_string().as_bytes(), &mut memory));
}

#[test]
fn the_largest_count_stays_the_largest() {
    let lesson = |uses: u64| {
        let lesson = json!({ "lesson": "If fill fails, click(ref) to focus the input, then type(text).", "source": "seed",
            "category": "tool_fallback", "use_count": uses });
        v1::parse(
            json!({ "version": 1, "lessons": [lesson] })
                .to_string()
                .as_bytes(),
        )
        .unwrap()
    };
    let mut memory = Memory::default();
    for uses in [1, u64::MAX, u64::MAX - 1, u64::MAX] {
        memory.import(&lesson(uses), false);
    }
    assert_eq!(memory.lessons()[0]["use_count"], u64::MAX);
}

#[test]
fn more_than_a_shelf_holds_is_told_and_left_out() {
    let lesson =
        |n: usize| json!({ "lesson": format!("Lesson {n}."), "category": "best_practice" });
    let lessons: Vec<Value> = (0..20_000).map(lesson).collect();
    let document = v1::parse(
        json!({ "version": 1, "lessons": lessons })
            .to_string()
            .as_bytes(),
    )
    .unwrap();
    assert_eq!(document.lessons.len(), v1::MAX_LESSONS);
    let mut memory = Memory::default();
    let (done, changed) = memory.import(&document, false);
    assert_eq!(
        (done.taken, changed),
        (v1::MAX_ON_A_SHELF, v1::MAX_ON_A_SHELF)
    );
    assert!(
        done.problems.len() <= v1::MAX_PROBLEMS + 2,
        "{}",
        done.problems.len()
    );
    assert!(
        done.problems.last().unwrap().what.contains("more problems"),
        "{:?}",
        done.problems.last()
    );
    // Nor do several files.
    let others: Vec<Value> = (20_000..20_100).map(lesson).collect();
    let others = v1::parse(
        json!({ "version": 1, "lessons": others })
            .to_string()
            .as_bytes(),
    )
    .unwrap();
    assert_eq!(memory.import(&others, false).1, 0);
}

#[test]
fn a_file_that_is_too_large_or_too_deep_is_an_error() {
    let large = vec![b' '; 100 * 1_024 * 1_024];
    assert_eq!(v1::parse(&large).unwrap_err().kind(), ErrorKind::TooLarge);
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = |n: usize| open.repeat(n) + "1" + &close.repeat(n);
        let file = |n: usize| {
            format!(
                "{{\"version\":1,\"lessons\":[{{\"lesson\":\"x\",\"category\":\"best_practice\",\"note\":{}}}]}}",
                deep(n)
            )
        };
        assert_eq!(
            v1::parse(file(100_000).as_bytes()).unwrap_err().kind(),
            ErrorKind::InvalidInput
        );
        // As deep as the reader goes.
        let mut memory = Memory::default();
        memory.import(&v1::parse(file(100).as_bytes()).unwrap(), false);
        assert_eq!(memory.lessons().len(), 1);
    }
}
