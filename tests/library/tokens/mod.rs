//! What the estimate of tokens is worth: its mean error against a tokenizer in use, by kind of text.
//!
//! The files in `corpus/` hold samples, separated by lines of `%%`. The prices of the estimate were fitted to the samples whose SHA-256
//! begins with an even byte. Only the others count here. The tokenizer is `o200k`. Costs three seconds, most of them for reading its
//! vocabulary.

use std::{fs, path::Path};

use sha2::{Digest as _, Sha256};
use webwise::base::tokens::estimate;

/// The largest mean error of a kind of text. Unit: parts of the real number. Source: measured.
const LARGEST: f64 = 0.12;

/// The share by which the estimate of a text is wrong.
#[expect(
    clippy::cast_precision_loss,
    reason = "a sample has some hundred tokens"
)]
fn error(sample: &str) -> f64 {
    let real = tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(sample)
        .len() as f64;
    (estimate(sample).0 as f64 - real).abs() / real
}

fn was_fitted(sample: &str) -> bool {
    Sha256::digest(sample)[0].is_multiple_of(2)
}

#[expect(clippy::cast_precision_loss, reason = "some dozen samples")]
fn mean(errors: &[f64]) -> f64 {
    errors.iter().sum::<f64>() / errors.len() as f64
}

#[test]
fn of_every_kind_of_text_the_mean_error_is_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library/tokens/corpus");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut too_large = Vec::new();
    for file in &files {
        let kind = file.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(file).unwrap();
        let (fitted, held_out): (Vec<_>, Vec<_>) = text
            .trim_end_matches('\n')
            .split("\n%%\n")
            .partition(|sample| was_fitted(sample));
        assert!(
            fitted.len() >= 3 && held_out.len() >= 4,
            "{kind}: {} and {}",
            fitted.len(),
            held_out.len()
        );
        let of =
            |samples: &[&str]| mean(&samples.iter().map(|text| error(text)).collect::<Vec<_>>());
        figure!(
            "tokens: {kind}: mean error {:.1} % of {} samples held out, {:.1} % of {} fitted",
            100.0 * of(&held_out),
            held_out.len(),
            100.0 * of(&fitted),
            fitted.len()
        );
        if of(&held_out) > LARGEST {
            too_large.push(kind);
        }
    }
    assert_eq!(files.len(), 10, "{files:?}");
    assert!(too_large.is_empty(), "{too_large:?}");
}
