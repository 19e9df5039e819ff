use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::*;
use crate::store::json_file::format::{Document, Parsed, parse};

const VERSION_1: &[u8] = include_bytes!("../../../../tests/fixtures/store/version_1.json");

/// An invented version 2 of the format, in which the field for a record's body is called `value`.
const NEXT: Schema = Schema {
    oldest: 1,
    steps: &[wrap],
};

fn wrap(mut file: Map<String, Value>) -> Option<Map<String, Value>> {
    let records = file.get("records")?.as_object()?;
    let wrapped: Map<_, _> = records
        .iter()
        .map(|(key, body)| (key.clone(), json!({ "value": body })))
        .collect();
    file.insert("records".to_owned(), Value::Object(wrapped));
    Some(file)
}

fn good(bytes: &[u8], schema: Schema) -> Document {
    match parse(bytes, None, schema) {
        Parsed::Good(document) => document,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_of_version_1_is_read_and_written_byte_for_byte() {
    let document = good(VERSION_1, SCHEMA);
    assert_eq!((document.generation, document.records.len()), (12, 3));
    assert_eq!(document.records[2].body["big"], json!(u64::MAX));
    assert_eq!(document.extra.len(), 1, "a field that is not known is kept");
    assert_eq!(
        String::from_utf8(document.to_bytes(SCHEMA).unwrap()).unwrap(),
        String::from_utf8_lossy(VERSION_1)
    );
}

#[test]
fn the_order_of_a_file_does_not_depend_on_who_wrote_it() {
    let shuffled = json!({
        "records": { "b": { "z": 1, "w": { "y": 1, "x": 2 } }, "a": 1 },
        "zz": 1, "aa": { "d": 1, "c": 2 },
        "shelf": lessons(), "generation": 1, "version": 1, "format": "webwise-shelf",
    });
    let text = String::from_utf8(
        good(shuffled.to_string().as_bytes(), SCHEMA)
            .to_bytes(SCHEMA)
            .unwrap(),
    )
    .unwrap();
    let names = [
        "format",
        "version",
        "generation",
        "shelf",
        "records",
        "a",
        "b",
        "x",
        "y",
        "z",
        "aa",
        "c",
        "d",
        "zz",
    ];
    let places: Vec<usize> = names
        .iter()
        .map(|name| text.find(&format!("\"{name}\": ")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn fields_that_are_not_known_survive_an_update() {
    let scene = Scene::new();
    let shelf = of_host("http://127.0.0.1:8080");
    scene.write(
        "default/domains/http_3a_2f_2f127.0.0.1_3a8080/lessons.json",
        VERSION_1,
    );
    scene.put(&shelf, "new", 1).unwrap();
    let after: Value = serde_json::from_slice(
        &scene.read("default/domains/http_3a_2f_2f127.0.0.1_3a8080/lessons.json"),
    )
    .unwrap();
    assert_eq!(
        after["a field of a later version"],
        json!({ "kept": [true] })
    );
    assert_eq!(
        after["records"]["fill-textbox"]["later"],
        json!({ "a field of a later version": true })
    );
    assert_eq!(
        (&after["generation"], &after["records"]["new"]),
        (&json!(13), &json!({ "n": 1 }))
    );
}

#[test]
fn fields_inside_the_shelf_that_are_not_known_survive_an_update() {
    let scene = Scene::new();
    let file = json!({ "format": "webwise-shelf", "version": 1, "generation": 4,
        "shelf": { "namespace": "default", "collection": "lessons", "scope": "global",
            "owner": { "team": ["a", "b"] } },
        "records": { "a": { "n": 1 } } });
    scene.write("default/lessons.json", file.to_string());
    scene.put(&lessons(), "b", 2).unwrap();
    let after: Value = serde_json::from_slice(&scene.read("default/lessons.json")).unwrap();
    assert_eq!(after["shelf"], file["shelf"]);
    assert_eq!(
        (&after["generation"], &after["records"]["b"]),
        (&json!(5), &json!({ "n": 2 }))
    );
}

#[test]
fn a_newer_version_is_read_as_far_as_it_is_known_and_never_written() {
    let scene = Scene::new();
    let newer = json!({ "format": "webwise-shelf", "version": 9, "generation": 4, "shelf": lessons(),
        "records": { "a": { "n": 1 } }, "new": "thing" });
    scene.write("default/lessons.json", newer.to_string());
    let before = scene.tree();
    let state = scene.files.load(&lessons()).unwrap();
    assert_eq!((state.generation, keys(&state)), (4, vec!["a".to_owned()]));
    let error = scene
        .put(&lessons(), "b", 1)
        .unwrap_err()
        .into_error("store.update", None);
    assert_eq!(error.kind(), crate::ErrorKind::Unsupported, "{error}");
    let error = scene
        .files
        .remove(&lessons())
        .unwrap_err()
        .into_error("store.remove", None);
    assert_eq!(error.kind(), crate::ErrorKind::Unsupported, "{error}");
    assert_eq!(scene.tree(), before);
    let read_only = StoreNoticeKind::ReadOnly {
        why: crate::memory::ReadOnly::NewerVersion,
    };
    assert_eq!(
        scene
            .told()
            .into_iter()
            .filter(|kind| *kind == read_only)
            .count(),
        1,
        "told once"
    );
}

#[test]
fn an_older_version_is_migrated_in_memory_and_kept_before_the_first_write() {
    let scene = Scene::new();
    scene.put(&lessons(), "a", 1).unwrap();
    let old = scene.read("default/lessons.json");
    let newer = files_of(
        Arc::new(StdFs::new(scene.dir.path())),
        NEXT,
        JsonFilesOptions::default(),
    );
    let migrated = || newer.load(&lessons()).unwrap().records;
    assert_eq!(
        migrated(),
        [Record::new("a", &json!({ "value": { "n": 1 } }))]
    );
    assert_eq!(migrated(), migrated(), "each time the same");
    assert_eq!(
        scene.read("default/lessons.json"),
        old,
        "reading writes nothing"
    );

    newer.update(&lessons(), &put("b", 2)).unwrap();
    assert_eq!(scene.read("default/lessons.json.v1.bak"), old);
    assert_eq!(
        migrated()[0].body,
        json!({ "value": { "n": 1 } }),
        "it is migrated once"
    );
    newer.update(&lessons(), &put("c", 3)).unwrap();
    assert_eq!(
        scene.read("default/lessons.json.v1.bak"),
        old,
        "and the first one stays"
    );

    // The older program does not write a version that it does not know.
    let error = scene
        .put(&lessons(), "d", 4)
        .unwrap_err()
        .into_error("store.update", None);
    assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
}

#[test]
fn a_version_that_never_was_is_broken() {
    for version in [json!(0), json!(-1), json!("1"), json!(1.5), Value::Null] {
        let file = json!({ "format": "webwise-shelf", "version": version, "generation": 1, "shelf": lessons(),
            "records": {} });
        assert!(
            matches!(
                parse(file.to_string().as_bytes(), None, SCHEMA),
                Parsed::Broken(_)
            ),
            "{version}"
        );
    }
}

#[test]
fn numbers_do_not_drift() {
    let numbers = json!([
        0.1 + 0.2,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        -0.0,
        u64::MAX,
        i64::MIN,
        1e21,
        123_456_789.123_456_79
    ]);
    let mut document = Document::empty(&lessons(), SCHEMA);
    document.records = vec![Record::new("n", &numbers)];
    let bytes = document.to_bytes(SCHEMA).unwrap();
    assert_eq!(good(&bytes, SCHEMA).records[0].body, numbers);
    assert_eq!(good(&bytes, SCHEMA).to_bytes(SCHEMA).unwrap(), bytes);
}
