//! Small pages with one obstacle each.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::lessons_story::web::{Answer, Asked, Web};

/// A page where a message is written and sent. What looks like its field is none for the browser, takes keys
/// alone, and shows what it holds below it, as editors with a preview do.
pub(crate) fn messages() -> Web {
    Web::start(|_| {
        Answer::page(
            "<!doctype html><title>Messages</title><main><h1>Messages</h1>\
             <div role=textbox aria-label=Message tabindex=0 style='border:1px solid;min-height:2em'></div>\
             <p id=preview></p><button>Send</button><p role=status></p></main><script>\
             const box = document.querySelector('[role=textbox]'), said = document.querySelector('[role=status]');\
             box.addEventListener('keydown', e => { if (e.key.length === 1) { box.textContent += e.key;\
               document.getElementById('preview').textContent = box.textContent; } });\
             document.querySelector('button').onclick = () => {\
               said.textContent = box.textContent ? 'Receipt: R-' + box.textContent.length : 'There is no message yet'; };\
             </script>",
        )
    })
}

/// The words of a page with a notice: each site has its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    pub(crate) host: &'static str,
    pub(crate) title: &'static str,
    pub(crate) notice: &'static str,
    pub(crate) agree: &'static str,
    pub(crate) show: &'static str,
    pub(crate) price: &'static str,
}

const fn words(
    host: &'static str,
    title: &'static str,
    notice: &'static str,
    agree: &'static str,
    show: &'static str,
    price: &'static str,
) -> Words {
    Words {
        host,
        title,
        notice,
        agree,
        show,
        price,
    }
}

/// Six sites. Their names are of those that lead to this machine, and each is a site of its own.
pub(crate) const SITES: [Words; 6] = [
    words(
        "a.localhost",
        "Tarpon Rowing",
        "Biscuits ahead",
        "Agree",
        "Show offers",
        "Price: 17 crowns",
    ),
    words(
        "b.localhost",
        "Quince Orchard",
        "We bake crumbs",
        "Accept everything",
        "Reveal tariffs",
        "Price: 23 crowns",
    ),
    words(
        "c.localhost",
        "Velvet Garage",
        "Tracking parrots",
        "OK then",
        "Unfold rates",
        "Price: 31 crowns",
    ),
    words(
        "d.localhost",
        "Nimbus Bakery",
        "Partners galore",
        "Allow gladly",
        "Uncover fees",
        "Price: 42 crowns",
    ),
    words(
        "e.localhost",
        "Hollow Kayaks",
        "Storing pebbles",
        "Continue onward",
        "Expose charges",
        "Price: 58 crowns",
    ),
    words(
        "f.localhost",
        "Copper Lantern",
        "Counting sheep",
        "Close notice",
        "Display quotes",
        "Price: 64 crowns",
    ),
];

impl Words {
    /// What is wanted there.
    pub(crate) fn goal(&self) -> String {
        format!("Click \"{}\" and report the price.", self.show)
    }

    /// Every word of a page that is not of the goal, in pieces as they stand there.
    pub(crate) const fn said(&self) -> [&'static str; 4] {
        [self.title, self.notice, self.agree, self.price]
    }

    fn page(&self, stubborn: bool) -> String {
        let Self {
            title,
            notice,
            agree,
            show,
            price,
            ..
        } = self;
        // The notice is there on every visit. A stubborn one only thanks for the click, and goes by Escape.
        let agreed = if stubborn {
            "heading.textContent += ' (noted)'"
        } else {
            "cover.remove()"
        };
        let escape = if stubborn {
            "document.onkeydown = e => { if (e.key === 'Escape') cover.remove(); };"
        } else {
            ""
        };
        format!(
            "<!doctype html><title>{title}</title><main><h1>{title}</h1><button id=show>{show}</button><p id=price></p></main>\
             <div id=cover role=dialog aria-label='{notice}' style='position:fixed;inset:0;background:#fffc'>\
             <h2 id=heading>{notice}</h2><button id=more>Details</button> <button id=agree>{agree}</button></div><script>\
             const cover = document.getElementById('cover'), heading = document.getElementById('heading');\
             document.getElementById('agree').onclick = () => {{ {agreed}; }}; {escape}\
             document.getElementById('show').onclick = () => {{ document.getElementById('price').textContent = '{price}'; }};\
             </script>"
        )
    }
}

/// Sites with a notice over a button. They can be rebuilt, so that what took the notice away does no longer.
pub(crate) struct Notices {
    web: Web,
    rebuilt: Arc<AtomicBool>,
}

impl Notices {
    pub(crate) fn start() -> Self {
        let rebuilt = Arc::<AtomicBool>::default();
        let stubborn = Arc::clone(&rebuilt);
        let answer = move |asked: &Asked| match SITES.iter().find(|words| words.host == asked.host)
        {
            Some(words) => Answer::page(words.page(stubborn.load(Ordering::Relaxed))),
            None => Answer {
                status: 404,
                headers: Vec::new(),
                body: String::new(),
            },
        };
        Self {
            web: Web::start(answer),
            rebuilt,
        }
    }

    pub(crate) fn url(&self, words: &Words) -> String {
        self.web.url(words.host, "/")
    }

    pub(crate) fn rebuild(&self) {
        self.rebuilt.store(true, Ordering::Relaxed);
    }
}
