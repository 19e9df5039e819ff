//! Closed-class words: words of a language that modify a statement instead of naming something, such as "not" or "all".
//!
//! The guards refuse values that contain such words, but never because of a single capital letter, as in "Vitamin E".
//! All words are in folded form.

use std::{collections::HashSet, sync::LazyLock};

use super::{fold::is_letter, scripts::Script};

/// Words that no value may contain: conjunctions, negations, quantities, comparisons, times, repetitions and words that
/// point to something else. There is one string for each language.
const STRICT: [&str; 13] = [
    // English
    "and or nor not no never none nothing nobody without except excepting excluding excludes exclude including but plus \
     minus versus vs all every everything everyone everybody everywhere each any anything anyone anybody anywhere some \
     something someone both either neither only just merely until till to from since before after during within between \
     under over above below beneath beyond outside inside than more less most least fewer greater at-least last first \
     next previous prior latest newest oldest recent earliest cheapest lowest highest best worst biggest largest \
     smallest longest shortest nearest closest fastest slowest hottest coldest lightest heaviest easiest \
     highest-rated top-rated youngest final together today tonight tomorrow yesterday now later soon again already \
     always once twice thrice instead too also else other another others same one ones this that these those there here \
     it its i me my mine you your yours he him his she her hers we us our ours they them their theirs who whose which \
     what when where while unless if then so because do don't does doesn't did is isn't are aren't be can't cannot won't \
     shouldn't will would should could must may-not daily weekly monthly yearly hourly quarterly annually permanently \
     temporarily immediately automatically anonymously urgent urgently silently directly asap forever recurring everyday \
     using via sorted sort ordered filtered filter excluded included limited starting ending back off up per half double \
     two three four five six seven eight nine ten eleven twelve dozen hundred thousand million several many few \
     multiple much please per-month per-week everyone's exactly approximately about around maybe",
    // German
    "und oder nicht kein keine keinen keinem keiner keines ohne ausser ausgenommen bis von vom ab seit alle alles allen \
     aller allem jede jeden jedes jeder jedem nur bloss lediglich dies diese dieser dieses diesen diesem jene jener jenen \
     heute morgen gestern jetzt dann danach davor vorher letzte letzten letzter letztes letztem neueste neuesten neuester \
     neuestes älteste ältesten nächste nächsten nächster nächstes vorige vorigen vorherige vorherigen erste ersten \
     erster erstes sowie aber sondern wenn falls auch noch wieder zurück monatlich wöchentlich täglich jährlich sofort \
     mehr weniger mindestens höchstens maximal zwischen vor nach während unter über sonst niemand niemanden nichts etwas \
     jemand weder nie niemals immer statt anstatt dauerhaft endgültig beide beiden mir mich mein meine meinen meiner \
     dein deine sein seine ihr ihre unser unsere günstigste günstigsten billigste billigsten beste besten zwei drei vier \
     fünf sechs sieben acht neun zehn viele mehrere einige andere anderen bitte doppelt zweimal",
    // French
    "et ou ni ne pas non sans sauf excepté hors hormis tout toute tous toutes chaque seulement uniquement jusque jusqu'à \
     jusqu'au jusqu'en depuis dès ce cet cette ces celui celle ceux aujourd'hui demain hier maintenant puis ensuite \
     dernier dernière derniers dernières prochain prochaine suivant suivante précédent précédente premier première plus \
     moins entre mais si quand aussi avant après pendant mensuel mensuellement hebdomadaire quotidien toujours jamais \
     personne rien aucun aucune quelque quelques plusieurs autre autres même récent récente mon ma mes ton ta tes sa ses \
     notre nos votre vos leur leurs moi deux trois quatre cinq sept huit neuf dix encore mieux cher",
    // Spanish
    "y e o u ni no sin excepto salvo menos todo toda todos todas cada solo sólo solamente únicamente hasta desde este \
     esta esto estos estas ese esa eso esos esas aquel aquella hoy mañana ayer ahora luego después antes último última \
     últimos últimas próximo próxima siguiente anterior primero primera primer más mínimo máximo entre pero si cuando \
     también además reciente recientes mensual mensualmente semanal semanalmente diario diariamente siempre nunca jamás \
     nadie nada ninguno ninguna ningún algún alguna algunos algunas ambos ambas cualquier bajo mayor menor barato barata \
     mi mis tu tus su sus dos tres cuatro cinco seis siete ocho nueve diez otro otra otros otras mismo misma inmediatamente",
    // Italian
    "e ed o od non senza tranne eccetto salvo tutto tutta tutti tutte ogni ciascuno solo soltanto solamente fino da dal \
     dalla questo questa questi queste quello quella oggi domani ieri ora adesso poi dopo prima ultimo ultima ultimi \
     prossimo prossima precedente primo più meno tra fra ma se quando anche mai sempre nessuno nessuna niente nulla \
     qualche alcuni entrambi altro altra stesso mensilmente mio mia due tre quattro cinque sei sette otto nove dieci",
    // Portuguese
    "e ou não sem exceto salvo menos todo toda todos todas cada apenas só somente até desde este esta isto esse essa isso \
     aquele hoje amanhã ontem agora depois antes último última próximo próxima anterior seguinte primeiro primeira mais \
     entre mas se quando também mensal mensalmente sempre nunca ninguém nada nenhum nenhuma algum alguma ambos qualquer \
     outro outra mesmo meu minha seu sua dois duas três quatro cinco sete oito nove dez",
    // Dutch
    "en of niet geen zonder behalve uitgezonderd alle alles iedereen elk elke ieder iedere alleen slechts tot van vanaf \
     sinds deze dit die dat vandaag morgen gisteren nu dan daarna laatste nieuwste oudste volgende vorige eerste meer \
     minder tussen maar als ook nog weer terug maandelijks wekelijks dagelijks jaarlijks nooit altijd niemand niets iets \
     iemand beide ander andere zelfde mijn twee drie vier vijf zes zeven acht negen tien voor na",
    // Russian
    "и или не ни без кроме исключая помимо все всех всем всеми всю весь вся каждый каждую каждого каждое каждые любой \
     любую любого только лишь до от из с со по это этот эта эту эти этого этой тот та те того сегодня завтра вчера сейчас \
     потом затем последний последнюю последнего последние последняя самый самую самое самые самого самый следующий \
     следующую следующие прошлый прошлую прошлом первый первую первые предыдущий предыдущую перед после между но а если \
     чтобы также тоже еще снова обратно ежемесячно еженедельно ежедневно ежегодно больше меньше более менее никого ничего \
     никто нет оба обе обоих вместо сразу навсегда мой мою мои моего моей наш свой свою его ее их два две три четыре пять \
     шесть семь восемь девять десять несколько много другой другую другие новейший раз дважды через",
    // Turkish
    "ve veya veyahut ya da değil olmayan hariç dışında olmadan haricinde tüm bütün hepsi her herkes yalnızca sadece kadar \
     itibaren bu şu bugün yarın dün şimdi son sonra önce ilk sonraki önceki gelecek geçen ama fakat eğer ise hem ne hiç \
     hiçbir kimse aylık haftalık günlük yıllık asla daima arasında altında üstünde üzerinde fazla daha az tekrar geri iki \
     üç dört beş altı yedi sekiz dokuz birkaç diğer başka aynı benim",
    // Arabic
    "أو او لا ليس غير بدون دون عدا إلا سوى كل جميع كافة فقط حتى من إلى الى هذا هذه ذلك تلك اليوم غدا أمس الان الآن أحدث \
     الأحدث آخر الأخير الأخيرة أول الأول الأولى التالي التالية السابق السابقة القادم القادمة الماضي الماضية قبل بعد بين \
     ثم لكن إذا أي بعض معظم أكثر أقل الأكثر الأقل أرخص الأرخص أغلى الأغلى لم لن ولا ألا أيضا شهريا يوميا أسبوعيا سنويا \
     دائما أبدا كلا ضد مرتين تحت فوق ما عدة",
    // Hindi
    "और या नहीं न ना मत बिना सिवाय छोड़कर अलावा सभी सब सारे हर प्रत्येक केवल सिर्फ तक से यह वह ये वे इस उस इन उन आज कल \
     परसों अभी अगला अगले अगली पिछला पिछले पिछली नवीनतम सबसे पहला पहले पहली बाद आखिरी अंतिम लेकिन परंतु अगर यदि फिर भी ही \
     कोई कुछ दोनों अधिक ज्यादा कम रोज हमेशा कभी मासिक साप्ताहिक दैनिक तथा एवं मेरा मेरी मेरे दो तीन चार पांच पाँच छह सात \
     आठ नौ दस दूसरा दूसरे ऊपर नीचे बीच",
    // Hebrew
    "או לא בלי ללא חוץ מלבד למעט כל כולם רק עד מן אל זה זו זאת אלה אלו היום מחר אתמול עכשיו האחרון האחרונה האחרונים הבא \
     הבאה הקודם הקודמת החדש החדשה הישן הישנה הכי ביותר לפני אחרי בין אבל אם גם וגם אין ולא חודשי שבועי יומי תמיד לעולם \
     הראשון הראשונה יותר פחות אף אחד שוב פעמיים שני שתי שלוש שלי מעל מתחת",
    // Polish and Ukrainian
    "i lub albo nie bez oprócz wszystkie wszystkich każdy każdą tylko do od dziś jutro wczoraj ostatni ostatnią następny \
     pierwszy ale jeśli też ще або ні крім усі всі кожен тільки від сьогодні завтра вчора останній наступний та й",
];

/// Prepositions. A value may contain a preposition in two cases: the recorded value has one at the same place, or both
/// values are names.
const SOFT: [&str; 9] = [
    "in on at by for of with as into onto near against toward towards through across along like regarding",
    "im am an auf bei mit für zu zum zur aus um gegen durch ins beim",
    "de du des d à au aux en dans chez pour par avec sur sous",
    "del al con para por a sobre",
    "di del della dei delle nel nella per su sul sulla",
    "do da dos das no na nos nas em com pelo pela ao",
    "te op bij met naar uit om",
    "в во на для у о об к ко при под над за про w we z ze na dla",
    "ile için gibi göre في على عن مع عند لدى को में पर के की का ने את של על עם",
];

/// Articles and similar words. A value may contain such a word in two cases: the recorded value has one at the same place,
/// or the word is not English and both values are names.
const DETERMINERS: [&str; 8] = [
    "the a an",
    "der die das den dem des ein eine einen einem einer eines",
    "le la les l un une des",
    "el los las un una unos unas lo",
    "il lo gli i uno",
    "os as um uma uns umas",
    "het een",
    "bir एक",
];

/// Words that only make a request polite. Each entry is a sequence of tokens in folded form.
const POLITE: [&[&str]; 17] = [
    &["please"],
    &["pls"],
    &["kindly"],
    &["bitte"],
    &["s'il", "te", "plaît"],
    &["s'il", "vous", "plaît"],
    &["svp"],
    &["por", "favor"],
    &["per", "favore"],
    &["alsjeblieft"],
    &["пожалуйста"],
    &["lütfen"],
    &["من", "فضلك"],
    &["कृपया"],
    &["בבקשה"],
    &["请"],
    &["請"],
];

/// Texts that a value must not contain if it is written in a script (a writing system) without spaces. There is one string
/// for each language.
const UNSPACED: [&str; 4] = [
    // Chinese
    "和 与 與 跟 及 或 不 没 沒 别 勿 未 除 以外 之外 以内 以內 以前 以后 以後 之前 之后 之後 所有 全部 一切 每 各个 各個 任何 \
     只 仅 僅 最 今天 今日 明天 明日 昨天 后天 后日 現在 现在 上个 下个 上個 下個 上周 下周 上月 下月 本月 本周 今年 明年 去年 这 \
     這 那 此 从 從 到 至 但 如果 若 然后 然後 并 並 且 而 也 还 還 再 又 都 的 了 吗 嗎 请 請 把 被 两 兩 几个 多个 第一 第二 首 \
     免费 永久 立即 马上 重复 同时 其他 其它 另 谁",
    // Japanese
    "と や も 以外 以内 以上 以下 以前 以降 ない なし 無し 無く ずに すべて 全て 全部 全員 全件 毎 最 今日 明日 昨日 今週 来週 先週 \
     今月 来月 先月 今年 来年 去年 次の 前の この その あの だけ のみ まで から より および 及び または 又は もしくは しか 除 不要 \
     再び また 各 同じ 別の 他の 第一 複数 二つ 即時 今すぐ",
    // Korean
    "그리고 또는 혹은 이나 하고 제외 빼고 없이 없는 말고 모든 모두 전체 전부 매일 매주 매월 매달 매년 오늘 내일 어제 지난 다음 이번 \
     최신 최근 최저 최고 가장 까지 부터 에서 에게 한테 보다 이하 이상 이전 이후 않 아닌 아니 마지막 같은 다른 또한 다시 항상 두개",
    // Thai
    "และ หรือ ไม่ ยกเว้น นอกจาก ปราศจาก ทั้งหมด ทุก เฉพาะ เท่านั้น จนถึง จาก ถึง วันนี้ พรุ่งนี้ เมื่อวาน ล่าสุด ถัดไป ตาม ค้นหา ก่อน หลัง \
     นี้ นั้น ที่สุด แต่ กับ ด้วย แล้ว ถ้า ห้าม อย่า อื่น เดือนหน้า เดือนนี้ สัปดาห์ อีก แรก สุดท้าย",
];

/// Korean closed-class words that are looked for only as whole words, because they are so short that they occur inside other
/// words.
const HANGUL_WORDS: &str = "및 안 못 각 매 두 세 네 이 그 저 더 또 다";

/// Function words that show that a goal in a script without spaces is in a language for which this file has lists.
const UNSPACED_FUNCTION: &str = "的 了 在 和 把 并 并 并且 到 为 為 从 给 請 请 は を に の で と が へ 을 은 에 의 로 이 ใน ของ และ \
     ที่ ให้ ไป ตาม ค้นหา สําหรับ เป็น";

/// Words in field labels that name a part of a date.
const DATE_LABELS: &str = "day month year date tag monat jahr datum jour mois année date día mes año fecha giorno mese anno data \
     dia mês ano dag maand jaar день месяц год дата gün ay yıl tarih 日 月 年 يوم شهر سنة दिन महीना वर्ष";

/// English nouns that end in "ly" like an adverb.
const NO_ADVERBS: &str = "family assembly supply butterfly reply monopoly anomaly";

const CONJUNCTIONS: &str = "and then or but und dann oder et puis ou y luego e poi en dan и затем потом ve sonra و ثم और फिर \
     i potem";

/// Words that only Turkish has, among the languages for which this file has lists.
const TURKISH: &str = "ve için ile tüm bütün göre olarak sil ekle ara bul";

/// Words for a time that is relative to today, such as "tomorrow". A word with an apostrophe is listed without the apostrophe
/// and what follows it.
const RELATIVE: &str = "today tonight tomorrow yesterday now current currently this next last upcoming latest recent ago heute \
     morgen gestern jetzt aktuell aktuelle aktuellen dieser diese diesen dieses nächste nächsten nächster nächstes letzte \
     letzten letzter letztes aujourd demain hier ce cette prochain prochaine dernier dernière actuel actuelle hoy mañana \
     ayer este esta próximo próxima último última actual oggi domani ieri questo questa prossimo prossima hoje amanhã ontem \
     vandaag gisteren deze volgende vorige сегодня завтра вчера этот эту этой этого следующий следующую прошлый прошлую \
     прошлой текущий bugün yarın dün bu gelecek geçen اليوم غدا أمس هذا هذه القادم القادمة الماضي الماضية आज कल इस अगले पिछले \
     היום מחר אתמול הזה הבא הבאה שעבר dziś jutro wczoraj сьогодні";
const RELATIVE_UNSPACED: &str = "今天 明天 昨天 后天 今日 明日 昨日 本月 本周 下周 上周 上个 下个 今年 明年 去年 今週 来週 先週 今月 来月 先月 来年 \
     오늘 내일 어제 이번 다음 지난 วันนี้ พรุ่งนี้ เมื่อวาน หน้า ที่แล้ว";

type Words = LazyLock<HashSet<&'static str>>;

fn set(lists: &[&'static str]) -> HashSet<&'static str> {
    lists
        .iter()
        .flat_map(|list| list.split_whitespace())
        .collect()
}

static STRICT_WORDS: Words = LazyLock::new(|| set(&STRICT));
static SOFT_WORDS: Words = LazyLock::new(|| set(&SOFT));
static DETERMINER_WORDS: Words = LazyLock::new(|| set(&DETERMINERS));
static UNSPACED_PARTS: Words = LazyLock::new(|| set(&UNSPACED));

fn holds(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|entry| entry == word)
}

pub(super) fn is_strict(word: &str) -> bool {
    STRICT_WORDS.contains(word)
        || is_adverb(word)
        || ["n'", "qu'", "jusqu'"]
            .iter()
            .any(|elided| word.starts_with(elided))
}

/// Reports whether a word looks like an English, Spanish, Italian or Portuguese adverb formed from an adjective:
/// `recursively`, `completamente`.
fn is_adverb(word: &str) -> bool {
    let is_long = |least: usize| word.chars().count() >= least;
    (word.ends_with("ly") && is_long(6) && !holds(NO_ADVERBS, word))
        || (word.ends_with("mente") && is_long(8))
}

pub(super) fn is_soft(word: &str) -> bool {
    SOFT_WORDS.contains(word) || word.starts_with("d'")
}

pub(super) fn is_determiner(word: &str) -> bool {
    DETERMINER_WORDS.contains(word) || word.starts_with("l'")
}

pub(super) fn is_function_word(word: &str) -> bool {
    is_strict(word) || is_soft(word) || is_determiner(word)
}

/// Reports whether a folded word shows that the goal is in a language for which this file has lists. Words in Hebrew
/// letters do not count.
pub(super) fn shows_language(word: &str) -> bool {
    let is_hebrew = word.chars().all(|c| matches!(c, '\u{5D0}'..='\u{5EA}'));
    !is_hebrew && is_function_word(word)
}

/// Reports whether a folded text in a script without spaces shows that the goal is in a language for which this file
/// has lists.
pub(super) fn shows_unspaced_language(text: &str) -> bool {
    UNSPACED_FUNCTION
        .split_whitespace()
        .any(|part| text.contains(part))
        || contains_unspaced(text)
}

/// Reports whether a folded text in a script without spaces contains a closed-class word.
pub(super) fn contains_unspaced(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    UNSPACED_PARTS.iter().any(|entry| text.contains(entry))
}

pub(super) fn is_hangul_word(word: &str) -> bool {
    holds(HANGUL_WORDS, word)
}

pub(super) fn is_date_label(word: &str) -> bool {
    holds(DATE_LABELS, word)
}

pub(super) fn is_conjunction(word: &str) -> bool {
    holds(CONJUNCTIONS, word)
}

/// Reports whether a folded word is Turkish. In Turkish, the verb comes last.
pub(super) fn is_turkish(word: &str) -> bool {
    word.contains(['ğ', 'ı', 'ş']) || holds(TURKISH, word)
}

/// Reports whether a folded text contains a word for a time that is relative to today.
pub(super) fn is_relative_time(text: &str) -> bool {
    let mut words = text.split_whitespace().map(|word| {
        let word = word.trim_matches(|c| !is_letter(c));
        word.split(['\'', '’']).next().unwrap_or_default()
    });
    words.any(|word| holds(RELATIVE, word))
        || RELATIVE_UNSPACED
            .split_whitespace()
            .any(|part| text.contains(part))
}

/// Reports whether the first two tokens form a Chinese word that begins with the character for "please" but does not mean
/// "please", such as the words for "ask for leave" and "invitation card".
fn is_request(folds: &[&str]) -> bool {
    ["请", "請"].contains(&folds[0]) && "求假帖柬愿願教示客安罪負负願".contains(folds[1])
}

fn is_kana(fold: &str) -> bool {
    fold.chars()
        .any(|c| matches!(Script::of(c), Script::Hiragana | Script::Katakana))
}

/// Returns the number of tokens at the beginning of `folds` that only make the request polite.
pub(super) fn polite_prefix(folds: &[&str]) -> usize {
    let is_word = folds
        .get(..2)
        .is_some_and(|folds| is_request(folds) || folds.iter().any(|fold| is_kana(fold)));
    POLITE
        .iter()
        .find(|words| folds.starts_with(words) && !(is_word && ["请", "請"].contains(&words[0])))
        .map_or(0, |words| words.len())
}

/// Returns the number of tokens at the end of `folds` that only make the request polite.
pub(super) fn polite_suffix(folds: &[&str]) -> usize {
    POLITE
        .iter()
        .find(|words| folds.ends_with(words))
        .map_or(0, |words| words.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::fold::fold;

    #[test]
    fn every_listed_word_is_in_folded_form() {
        let lists = STRICT
            .iter()
            .chain(&SOFT)
            .chain(&DETERMINERS)
            .chain(&UNSPACED);
        let words = lists
            .flat_map(|list| list.split_whitespace())
            .chain(UNSPACED_FUNCTION.split_whitespace())
            .chain(DATE_LABELS.split_whitespace())
            .chain(POLITE.iter().flat_map(|words| words.iter().copied()));
        let unfolded: Vec<&str> = words.filter(|word| fold(word) != *word).collect();
        assert!(unfolded.is_empty(), "{unfolded:?}");
    }

    #[test]
    fn words_are_classified() {
        assert!(
            is_strict("without")
                && is_strict("außer".replace('ß', "ss").as_str())
                && is_strict("кроме")
        );
        assert!(
            is_soft("in") && !is_strict("in") && is_determiner("the") && is_determiner("l'hôtel")
        );
        assert!(!is_function_word("tennis") && !is_function_word("new"));
        assert!(is_strict("recursively") && is_strict("completamente") && !is_strict("family"));
        assert!(contains_unspaced("网球拍 以外") && !contains_unspaced("跑步鞋"));
        assert!(shows_language("the") && !shows_language("בלי"));
        assert!(shows_unspaced_language("ค้นหารองเท้า") && !shows_unspaced_language("登山靴"));
    }

    #[test]
    fn a_relative_time_is_seen_beside_punctuation() {
        for text in [
            "book a desk for tomorrow.",
            "(tomorrow)",
            "open today's list",
            "aujourd'hui, ouvre",
        ] {
            assert!(is_relative_time(text), "{text}");
        }
        for text in [
            "a nowhere-man",
            "the lasting",
            "open next.js",
            "a last.fm slot",
        ] {
            assert!(!is_relative_time(text), "{text}");
        }
    }

    #[test]
    fn polite_words_are_counted_at_both_ends() {
        assert_eq!(polite_prefix(&["please", "search"]), 1);
        assert_eq!(polite_prefix(&["por", "favor", "abre"]), 2);
        assert_eq!(polite_suffix(&["abre", "por", "favor"]), 2);
        assert_eq!(polite_prefix(&["search", "please"]), 0);
        assert_eq!(polite_prefix(&["请", "搜", "索"]), 1);
        assert_eq!(polite_prefix(&["請", "求", "書"]), 0);
    }
}
