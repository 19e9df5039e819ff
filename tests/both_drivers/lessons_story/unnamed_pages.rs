//! Ten pages, each with one obstacle, whose elements have icons, attributes and places, but no names of their own.

/// The script of every page: what it says when all is done.
const DONE: &str = "const at = q => document.querySelector(q), all = q => [...document.querySelectorAll(q)], \
                    done = text => { at('[role=status]').textContent = 'Receipt: ' + text; };";

fn page(title: &str, body: &str, script: &str) -> String {
    format!(
        "<!doctype html><title>{title}</title><style>i::before {{ content: '\\f005'; }}</style><main><h1>{title}</h1>{body}\
         <p role=status></p></main><script>{DONE}{script}</script>"
    )
}

/// A button that shows nothing but an icon.
fn icon(name: &str) -> String {
    format!("<button class='btn btn-{name}'><i class='fa fa-{name}'></i></button>")
}

/// Rows with a star that nothing listens to and a trash can.
pub(crate) fn icons(names: &[&str]) -> String {
    let row = |name: &&str| {
        format!(
            "<li><span>{name}</span> {} {}</li>",
            icon("star"),
            icon("trash")
        )
    };
    let rows: String = names.iter().map(row).collect();
    page(
        "Harbour",
        &format!("<ul>{rows}</ul>"),
        "all('.btn-trash').forEach(b => b.onclick = () => { const row = b.closest('li'); row.remove();\
         done('removed ' + row.querySelector('span').textContent); });",
    )
}

/// A date that only its calendar sets.
pub(crate) fn calendar(month: &str) -> String {
    let day = |day: u32| format!("<button class=day>{day}</button>");
    let days: String = (1..=28).map(day).collect();
    page(
        "Booking",
        &format!(
            "<p>Pick the day of your visit, and we write to you.</p><form onsubmit='return false'><input name=due readonly>{}\
             <div class=days hidden>{days}</div></form>",
            icon("calendar")
        ),
        &format!(
            "at('.btn-calendar').onclick = () => {{ at('.days').hidden = false; }};\
             all('.day').forEach(b => b.onclick = () => {{ at('input').value = '{month}-' + b.textContent.padStart(2, '0');\
             at('.days').hidden = true; done('booked ' + at('input').value); }});"
        ),
    )
}

/// A notice over the button, with a cross to close it.
pub(crate) fn overlay(notice: &str) -> String {
    page(
        "Letters",
        &format!(
            "<p>Your letter is ready.</p><button class=send>Send</button>\
             <div class=cover style='position:fixed;inset:0;background:#fffd'><p>{notice}</p>{}</div>",
            icon("times")
        ),
        &format!(
            "at('.btn-times').onclick = () => at('.cover').remove(); at('.send').onclick = () => done('sent despite {notice}');"
        ),
    )
}

/// A button that waits for a box without a label.
pub(crate) fn terms(plan: &str) -> String {
    page(
        "Plans",
        &format!(
            "<h2>{plan}</h2><p>You find our terms at the desk.</p><div><input type=checkbox name=agree></div><button class=next disabled>Next</button>"
        ),
        &format!(
            "at('input').onchange = () => {{ at('.next').disabled = !at('input').checked; }};\
             at('.next').onclick = () => done('ordered {plan}');"
        ),
    )
}

/// A field with a list that only typing opens.
pub(crate) fn typed(cities: &[&str]) -> String {
    let cities = serde_json::to_string(cities).expect("texts are JSON");
    page(
        "Journeys",
        "<p>We go everywhere by boat, all through the year.</p><div><input role=combobox aria-expanded=false name=city autocomplete=off></div>\
         <p class=help hidden>Begin to type</p><ul role=listbox hidden></ul>",
        &format!(
            "const cities = {cities}, field = at('input'), list = at('ul');\
             field.onclick = () => {{ at('.help').hidden = false; }}; field.onkeyup = () => {{\
             list.replaceChildren(...cities.filter(c => c.startsWith(field.value)).map(c => {{\
               const li = document.createElement('li'); li.role = 'option'; li.textContent = c;\
               li.onclick = () => {{ field.value = c; list.hidden = true; done('to ' + c); }}; return li; }})); list.hidden = false; }};"
        ),
    )
}

/// A field for a number behind as many full ones as there are counts; only its keyboard tells it from them.
pub(crate) fn digits(counts: &[u32]) -> String {
    let count = |count: &u32| format!("<div><input type=number value={count}></div>");
    let counts: String = counts.iter().map(count).collect();
    page(
        "Stores",
        &format!(
            "<p>Everything is counted here.</p>{counts}<div><input type=number inputmode=numeric class=count></div>"
        ),
        "at('.count').oninput = () => { if (at('.count').value) done('counted ' + at('.count').value); };",
    )
}

/// The same button in two regions, of which one is a sample.
pub(crate) fn regions(what: &str) -> String {
    let region = |name: &str, class: &str| {
        format!(
            "<section aria-label='{name}' class={class}><h2>{name}</h2><p>{what}</p>{}</section>",
            icon("save")
        )
    };
    page(
        "Desk",
        &format!("{}{}", region("Sample", "sample"), region("Yours", "yours")),
        &format!("at('.yours button').onclick = () => done('saved {what}');"),
    )
}

/// An entry of a menu that is not open.
pub(crate) fn menu(report: &str) -> String {
    page(
        "Reports",
        &format!(
            "<h2>{report}</h2>{}<div role=menu hidden><div role=menuitem tabindex=0>Export</div><div role=menuitem tabindex=0>Rename</div></div>",
            icon("bars")
        ),
        &format!(
            "at('.btn-bars').onclick = () => {{ at('[role=menu]').hidden = false; }};\
             at('[role=menuitem]').onclick = () => done('exported {report}');"
        ),
    )
}

/// A time that takes its own form alone.
pub(crate) fn time(room: &str) -> String {
    page(
        "Rooms",
        &format!(
            "<h2>{room}</h2><p>Doors open on the hour.</p><div><input type=time name=at></div>"
        ),
        &format!(
            "at('input').onchange = () => {{ if (at('input').value) done('{room} at ' + at('input').value); }};"
        ),
    )
}

/// A step that goes on only when its field is full, and says nothing of it.
pub(crate) fn wizard(firm: &str) -> String {
    page(
        "Account",
        &format!(
            "<h2>{firm}</h2><p>Step one of two.</p><div><input data-testid=vat-number></div><button class=next>Next</button>"
        ),
        &format!(
            "at('.next').onclick = () => {{ if (at('input').value) done('{firm} with ' + at('input').value); }};"
        ),
    )
}
