//! Words by which a goal leaves a decision to the run, because they express a condition or a choice that only the page can
//! settle.

use crate::base::text;

/// Words that express a condition, in the languages used most on the web.
const CONDITIONS: &str = "if unless except only until whether otherwise provided wenn falls sofern ausser nur sonst si sauf seulement \
    uniquement sinon salvo excepto solo sino se tranne soltanto altrimenti exceto apenas somente senão tenzij behalve alleen indien anders \
    если кроме только иначе eğer ise hariç yalnızca sadece إذا إلا فقط अगर यदि केवल सिर्फ אם רק אלא jeśli oprócz tylko якщо тільки";
/// Words that express a condition, in scripts without spaces. They are searched for anywhere in the goal.
const CONDITIONS_WITHOUT_SPACES: [&str; 14] = [
    "もし",
    "なら",
    "場合",
    "だけ",
    "以外",
    "如果",
    "除非",
    "只要",
    "仅",
    "僅",
    "만약",
    "경우",
    "만일",
    "ถ้า",
];
/// Words that choose an item by a property that only the page shows, such as the newest or the cheapest one.
const CHOICES: &str = "first last next previous newest latest oldest recent earliest cheapest lowest highest best worst most least nearest \
    largest smallest biggest longest shortest top any erste ersten erster letzte letzten neueste neuesten älteste ältesten günstigste \
    günstigsten billigste billigsten beste besten nächste nächsten dernier dernière premier première prochain prochaine récent récente \
    meilleur meilleure plus último última primero primera primer próximo próxima reciente mejor más ultimo ultima primo prima prossimo \
    migliore più primeiro primeira recente melhor mais laatste eerste nieuwste oudste volgende beste последний последнюю первый первую \
    самый самую следующий son ilk sonraki en أحدث آخر أول أرخص नवीनतम पहला सबसे आखिरी האחרון הראשון ostatni pierwszy останній";
/// Words that choose an item, in scripts without spaces. They are searched for anywhere in the goal.
const CHOICES_WITHOUT_SPACES: [&str; 12] = [
    "最新",
    "最後",
    "最初",
    "最も",
    "一番",
    "最安",
    "最便宜",
    "第一",
    "最近",
    "가장",
    "최신",
    "ล่าสุด",
];

/// Returns true if a goal contains a condition, such as "only if there is none yet". Words inside quotes do not count.
pub(super) fn has_condition(goal: &str) -> bool {
    says(goal, CONDITIONS, &CONDITIONS_WITHOUT_SPACES)
}

/// Returns true if a goal chooses an item by a property that only the page shows, such as the newest. Words inside quotes do
/// not count.
pub(super) fn chooses(goal: &str) -> bool {
    says(goal, CHOICES, &CHOICES_WITHOUT_SPACES)
}

fn says(goal: &str, words: &str, parts: &[&str]) -> bool {
    let goal = without_quotes(goal);
    let own = text::words(&goal);
    let mut known = words.split_whitespace();
    parts.iter().any(|part| goal.contains(part))
        || known.any(|word| own.iter().any(|own| own == word))
}

fn without_quotes(goal: &str) -> String {
    let mut out = String::with_capacity(goal.len());
    let mut is_quoted = false;
    for c in goal.chars() {
        let was_quoted = is_quoted;
        is_quoted = quoted_after(is_quoted, c);
        if !was_quoted && !is_quoted {
            out.push(c);
        }
    }
    out
}

/// Returns true if the text after `c` is inside quotes. `is_quoted` says the same of the text before `c`.
const fn quoted_after(is_quoted: bool, c: char) -> bool {
    match c {
        // The second of these marks ends a German quotation and begins an English one, so it toggles.
        '"' | '“' => !is_quoted,
        '„' | '«' | '「' | '『' => true,
        '”' | '»' | '」' | '』' => false,
        _ => is_quoted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_found_outside_of_quotes_in_every_script() {
        for goal in [
            "File it. Only do so if there is none yet.",
            "Lösche den Eintrag, falls er leer ist",
            "もし空なら削除する",
            "احذفه إذا كان فارغا",
        ] {
            assert!(has_condition(goal), "{goal}");
        }
        for goal in [
            "File the issue \"It happens only with thick paper\" and assign it",
            "Trage „nur heute“ ein und speichere",
            "Set the note to «si» and save",
            "Buy an iffy thing",
        ] {
            assert!(!has_condition(goal), "{goal}");
        }
    }

    #[test]
    fn a_choice_is_found_outside_of_quotes() {
        assert!(chooses("Open the newest message"));
        assert!(chooses("最新のメッセージを開く"));
        assert!(!chooses("Open \"The newest news\" and close it"));
    }
}
