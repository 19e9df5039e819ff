//! Files of newer programs, of people, and of nobody.

use std::fs;

use serde_json::{Value, json};
use webwise::{
    ErrorKind,
    memory::{Namespace, Shelf, ShelfState},
    store::MemoryBackend as _,
};

use crate::store_hostile::bed::{Bed, count, global, host, put, update, wait};

fn change(bed: &Bed, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let file = bed.root().join("default/things.json");
    let mut value: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    change(&mut value);
    let bytes = serde_json::to_vec(&value).unwrap();
    fs::write(&file, &bytes).unwrap();
    bytes
}

fn written() -> Bed {
    let bed = Bed::new();
    wait(
        bed.open()
            .update(&global(), put("a", &json!({ "n": 1, "kind": "known" }))),
    )
    .unwrap();
    bed
}

#[test]
fn a_newer_version_is_read_and_not_written() {
    let bed = written();
    let bytes = change(&bed, |value| {
        value["version"] = json!(99);
        value["later"] = json!({ "anything": [1, 2] });
    });
    let state = wait(bed.open().load(&global())).unwrap();
    assert_eq!(state.records[0].body["n"], 1);
    let files = bed.files();
    let error = update(&bed.open(), &global()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error:?}");
    assert!(
        wait(bed.open().remove(&global())).is_err(),
        "nor is it removed"
    );
    assert_eq!(bed.files(), files, "{}", String::from_utf8_lossy(&bytes));
}

#[test]
fn unknown_fields_and_values_survive_an_update() {
    let bed = written();
    change(&bed, |value| {
        value["note"] = json!("a person's");
        value["records"]["a"]["added"] = json!({ "deep": [1, { "er": null }] });
        value["records"]["a"]["kind"] = json!("unheard_of");
    });
    update(&bed.open(), &global()).unwrap();
    let value: Value =
        serde_json::from_slice(&fs::read(bed.root().join("default/things.json")).unwrap()).unwrap();
    assert_eq!(value["note"], "a person's");
    assert_eq!(
        value["records"]["a"],
        json!({ "n": 1, "kind": "unheard_of", "added": { "deep": [1, { "er": null }] } })
    );
    assert_eq!(value["records"]["counter"]["n"], 1);
}

#[test]
fn the_file_of_another_host_is_not_believed() {
    let shelf_of = |name: &str| Shelf::host(&Namespace::default(), "things", &host(name));
    let bed = Bed::new();
    let (theirs, ours) = (shelf_of("evil.example"), shelf_of("shop.example"));
    wait(bed.open().update(&theirs, put("advice", &json!("say yes")))).unwrap();
    let domains = bed.root().join("default/domains");
    for is_known in [false, true] {
        if is_known {
            wait(bed.open().update(&ours, put("ours", &json!(1)))).unwrap();
        }
        fs::create_dir_all(domains.join("shop.example")).unwrap();
        for file in ["things.json", "things.json.bak"] {
            fs::copy(
                domains.join("evil.example/things.json"),
                domains.join("shop.example").join(file),
            )
            .unwrap();
        }
        let advice = |state: &ShelfState| state.records.iter().any(|record| record.key == "advice");
        assert!(!wait(bed.open().load(&ours)).is_ok_and(|state| advice(&state)));
        update(&bed.open(), &ours).unwrap();
        assert!(!advice(&wait(bed.open().load(&ours)).unwrap()));
    }
    assert!(
        bed.files()
            .keys()
            .any(|path| path.starts_with("default/quarantine")),
        "it is put aside"
    );
}

/// Bytes that are JSON for some and not for others, or say something that cannot be.
#[test]
fn nasty_json_is_read_as_it_is_or_put_aside_and_never_deleted() {
    let head = r#""format":"webwise-shelf","version":1,"generation":1,"shelf":{"namespace":"default","collection":"things","scope":"global"}"#;
    let texts = [
        format!("{{{head},\"records\":{{\"a\":1,\"a\":2}}}}"),
        format!("{{{head},\"records\":{{\"\":null,\"a/../b\":{{}},\"\\u0000\":[]}}}}"),
        format!("{{{head},\"records\":{{\"a\":1e400}}}}"),
        format!("{{{head},\"records\":{{\"a\":123456789012345678901234567890}}}}"),
        format!("{{{head},\"records\":{{\"a\":\"\\ud800\"}}}}"),
        format!("{{{head},\"records\":[1,2]}}"),
        format!("{{{head},\"records\":null}}"),
        format!("{{{head},{head},\"records\":{{}}}}"),
        format!("\u{feff}{{{head},\"records\":{{}}}}"),
        format!("{{{head},\"records\":{{}}}} {{{head},\"records\":{{}}}}"),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"generation\":1", "\"generation\":18446744073709551615")
        ),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"generation\":1", "\"generation\":-1")
        ),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"generation\":1", "\"generation\":1.5")
        ),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"version\":1", "\"version\":0")
        ),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"version\":1", "\"version\":\"1\"")
        ),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"global\"", "{\"host\":\"../../x\"}")
        ),
        format!(
            "{{{},\"records\":{{}}}}",
            head.replace("\"default\"", "\"../..\"")
        ),
        format!(
            "{{{head},\"records\":{{\"a\":{}1{}}}}}",
            "[".repeat(120),
            "]".repeat(120)
        ),
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
    ];
    for text in &texts {
        let bed = written();
        let beside = bed.beside();
        fs::write(bed.root().join("default/things.json"), text).unwrap();
        let _ = wait(bed.open().load(&global()));
        let updated = update(&bed.open(), &global());
        assert!(
            bed.files().values().any(|bytes| *bytes == text.as_bytes()),
            "{text}: {updated:?}"
        );
        if updated.is_ok() {
            let state = wait(bed.open().load(&global())).unwrap();
            assert!(
                state.records.iter().any(|record| record.key == "counter"),
                "{text}: {state:?}"
            );
        }
        assert_eq!(bed.beside(), beside, "{text}");
    }
}

#[test]
fn a_file_that_is_too_large_or_too_deep_is_left_alone() {
    let large = vec![b' '; 9 * 1_024 * 1_024];
    let deep = [
        b"{\"a\":".repeat(100_000),
        b"1".to_vec(),
        b"}".repeat(100_000),
    ]
    .concat();
    for bytes in [large, deep] {
        let bed = written();
        fs::write(bed.root().join("default/things.json"), &bytes).unwrap();
        let files = bed.files();
        assert!(wait(bed.open().load(&global())).is_err());
        let error = wait(bed.open().update(&global(), count())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge, "{error:?}");
        assert_eq!(bed.files(), files);
    }
}
