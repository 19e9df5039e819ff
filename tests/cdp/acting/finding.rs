//! What locators find, and that a locator which an action told finds its element again.

use std::collections::BTreeSet;

use webwise::{
    action::{ErrorClass, Target},
    page::LocatorStep,
};

use crate::acting::bed::{BRIEF, Bed, PATIENT, click, failure, fill, located};

/// What every page notes: the id of the element that was pressed.
const NOTES: &str = "<script>window.got = []; addEventListener('click', event => {
    event.preventDefault(); got.push(event.composedPath().find(node => node.id)?.id ?? ''); }, true)</script>";

/// A page on which most things are there twice.
const SHOP: &str = "<nav aria-label=Top><a href=# id=home>Home</a></nav>
<ul><li id=i1><h3 id=h1>Kayak</h3> <p id=t1>for <b id=b1>two</b></p> <button id=k1>Buy</button></li>
    <li id=i2><h3 id=h2>Canoe</h3> <p id=t2>for <b id=b2>three</b></p> <button id=k2>Buy</button></li></ul>
<table><tr id=r1><td id=c1>Row one</td><td><a href=# id=e1>Edit</a></td></tr>
       <tr id=r2><td id=c2>Row two</td><td><a href=# id=e2>Edit</a></td></tr></table>
<dialog open aria-label=Settings style='position:static'><button id=d1>Save</button></dialog>
<section aria-label=Profile><button id=d2>Save</button></section>
<label id=l1>User name <input id=u></label> <input id=s placeholder='Search the shop' type=search>
<input id=a1 aria-label='Card  number'> <textarea id=n title='A note for us'></textarea>
<style>.star, .dot { display:inline-block; width:9px; height:9px }</style>
<img id=g alt='A picture of a boat' width=20 height=20><span id=x class=star></span>
<span id=y1 class=dot></span><span id=y2 class=dot></span>
<button id=q data-testid=the-one>Text that changes</button> <button id=w>Say &quot;hi&quot; \\ now</button>
<button id=long>Once upon a time there was a button
    whose name was so long that nobody could read all of it in one go</button>
<div><template shadowrootmode=open><button id=z>In the shade</button>
    <span class=deep><i id=z2>Deep</i></span></template></div>
<button id=hid aria-hidden=true>Buy</button>";

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_step_finds_what_it_says() {
    let bed = Bed::start(PATIENT).await;
    bed.show(&format!("{SHOP}{NOTES}")).await;
    let cases = [
        (r#"role=link[name="home"]"#, "home"),
        (r#"role=heading[name="Kayak" exact]"#, "h1"),
        (r#"role=button[name="say \"hi\" \\ now"]"#, "w"),
        (
            r#"role=listitem >> has-text="canoe" >> role=button[name="Buy"]"#,
            "k2",
        ),
        (r#"role=row >> has-text="row  two" >> role=link"#, "e2"),
        (r#"role=dialog[name="Settings"] >> role=button"#, "d1"),
        (r#"role=button[name="Buy"] >> nth=0"#, "k1"),
        (r#"role=button[name="Buy"] >> nth=-1"#, "k2"),
        (r#"role=button[name="in the shade"]"#, "z"),
        (r#"label="user name""#, "u"),
        (r#"label="card number""#, "a1"),
        (r#"placeholder="search""#, "s"),
        (r#"title="a note""#, "n"),
        (r#"alt="PICTURE""#, "g"),
        (r#"testid="the-one""#, "q"),
        (r#"text="for two""#, "t1"),
        (r#"text="three" exact"#, "b2"),
        (r#"text="once upon a time""#, "long"),
        (r#"css="span.star""#, "x"),
        (r#"css="li:nth-of-type(2) > button""#, "k2"),
        (r#"css="div .deep i""#, "z2"),
        (r#"css="ul" >> css="p" >> nth=1"#, "t2"),
    ];
    for (locator, found) in cases {
        let (told, detail) = failure(&bed.act(click(located(locator))).await);
        assert_eq!(told, None, "{locator}: {detail}");
        assert_eq!(
            bed.value("got.splice(0)").await,
            format!("[\"{found}\"]"),
            "{locator}"
        );
    }
    for (locator, class) in [
        (r#"role=button[name="buy"]"#, ErrorClass::NotUnique),
        (r#"text="edit""#, ErrorClass::NotUnique),
        (r#"role=button[name="Buy now"]"#, ErrorClass::NotFound),
        (r#"role=button[name="save" exact]"#, ErrorClass::NotFound),
        (r#"text="Kaya" exact"#, ErrorClass::NotFound),
        ("role=button >> nth=99", ErrorClass::NotFound),
        (r#"css="li:nth-of-type(""#, ErrorClass::BadArguments),
    ] {
        assert_eq!(
            failure(&bed.act(click(located(locator))).await).0,
            Some(class),
            "{locator}"
        );
    }
    figure!(
        "cdp: {} locators find the one element that they say",
        cases.len()
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_told_locator_finds_its_element_on_the_next_load() {
    let bed = Bed::start(PATIENT).await;
    let page = format!("{SHOP}{NOTES}");
    bed.show(&page).await;
    let ids: BTreeSet<String> = serde_json::from_str(
        &bed.value("[...document.querySelectorAll('[id]')].map(one => one.id).filter(id => !'hid'.includes(id))").await,
    )
    .expect("ids");
    let (mut durable, mut by_place) = (0, Vec::new());
    for id in &ids {
        let execution = bed.does(click(crate::acting::bed::id(id))).await;
        let pressed = bed.value("got.splice(0)").await;
        let locator = execution
            .locator
            .unwrap_or_else(|| panic!("no locator was told for {id}"));
        bed.show(&page).await;
        bed.does(click(Target::Locator(locator.clone()))).await;
        assert_eq!(bed.value("got.splice(0)").await, pressed, "{id}: {locator}");
        let by_ids = locator
            .steps()
            .iter()
            .any(|step| matches!(step, LocatorStep::Css(css) if css.starts_with('#')));
        if locator
            .steps()
            .iter()
            .any(|step| matches!(step, LocatorStep::Nth(_)))
        {
            by_place.push(id.clone());
        } else if !by_ids {
            durable += 1;
        }
    }
    assert!(
        by_place.is_empty(),
        "only their place tells them: {by_place:?}"
    );
    assert!(
        durable * 10 >= ids.len() * 8,
        "only {durable} of {} are told by what they are called",
        ids.len()
    );
    figure!(
        "cdp: {} locators told and found again, {durable} of them by what the element is called",
        ids.len()
    );
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_alike_is_told_by_what_stands_around_it() {
    let bed = Bed::start(PATIENT).await;
    // Without the ids, by which they would be known too.
    let page = format!("{}{NOTES}", SHOP.replace(" id=", " data-id="));
    bed.show(&page).await;
    for (css, expected) in [
        (
            "li:nth-of-type(2) > button",
            r#"role=listitem >> has-text="Canoe" >> role=button[name="Buy"]"#,
        ),
        (
            "tr:nth-of-type(2) a",
            r#"role=row >> has-text="Row two" >> role=link[name="Edit"]"#,
        ),
        (
            "dialog button",
            r#"role=dialog[name="Settings"] >> role=button[name="Save"]"#,
        ),
        (
            "section button",
            r#"role=region[name="Profile"] >> role=button[name="Save"]"#,
        ),
        ("button[data-testid='the-one']", r#"testid="the-one""#),
        ("h3:nth-of-type(1)", r#"role=heading[name="Kayak"]"#),
    ] {
        let css = if css.starts_with("h3") {
            "li:nth-of-type(1) > h3"
        } else {
            css
        };
        let execution = bed.does(click(located(&format!("css=\"{css}\"")))).await;
        assert_eq!(
            execution
                .locator
                .map(|locator| locator.to_string())
                .as_deref(),
            Some(expected),
            "{css}"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_full_of_alike_things_has_locators_for_them_too() {
    let bed = Bed::start(PATIENT).await;
    let script = "for (let i = 0; i < 400; i++)
        document.write('<div><span>Same</span><button id=b' + i + '>Go</button></div>')";
    bed.show(&format!("{NOTES}<script>{script}</script>")).await;
    for number in [0, 7, 399] {
        let execution = bed
            .does(click(crate::acting::bed::id(&format!("b{number}"))))
            .await;
        let locator = execution.locator.expect("a locator");
        bed.does(click(Target::Locator(locator.clone()))).await;
        assert_eq!(
            bed.value("got.splice(0)").await,
            format!("[\"b{number}\",\"b{number}\"]"),
            "{locator}"
        );
    }
    bed.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_a_page_makes_up_do_not_lead_elsewhere() {
    let bed = Bed::start(BRIEF).await;
    bed.show(&format!(
        "{NOTES}<form id=form><input name=parentNode><input name=querySelectorAll><input name=getAttribute>
         <input name=matches><input name=firstChild><input name=shadowRoot><label>Real <input id=real></label></form>
         <img name=querySelectorAll><img name=documentElement><form name=getElementById></form>
         <button id=a aria-label='\u{202e}evil'>x</button><button id=b aria-label='Line\none'>y</button>"
    ))
    .await;
    for locator in [
        r#"label="real""#,
        r#"css="form" >> role=textbox[name="Real"]"#,
    ] {
        bed.does(fill(located(locator), "found")).await;
        assert_eq!(bed.value("real.value").await, "\"found\"", "{locator}");
        bed.does(fill(located(locator), "")).await;
    }
    for id in ["a", "b"] {
        let execution = bed.does(click(crate::acting::bed::id(id))).await;
        let locator = execution.locator.expect("a locator").to_string();
        assert!(!locator.contains('\u{202e}'), "{locator}");
    }
    bed.close().await;
}
