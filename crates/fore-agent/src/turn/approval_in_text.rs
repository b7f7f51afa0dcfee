//! Whether an answer asks for approval of a plan in its own words, where none can be given (F2). It looks at the last words alone and
//! may be wrong: all that follows is one reminder.

mod phrases;

use fore_text::cut;
use phrases::{ApprovalPhrases, LANGUAGES};

/// How much of an answer's end is looked at.
const MAX_BYTES: usize = 1200;
/// Sentences at the end that are looked at; before them a text talks about other things.
const SENTENCES: usize = 4;
/// From here on are the scripts that put no blanks between words, or grow endings on them: Chinese, Japanese, Korean.
const FIRST_UNSPACED: char = '\u{1100}';

/// Reads the end of an answer. Punctuation, capitals and marks of Markdown count for nothing.
pub(crate) fn asks_for_approval(answer: &str) -> bool {
    let end = cut::last_bytes(answer.trim_end(), MAX_BYTES);
    let sentences = end.split(['.', '!', '?', '\n', ';', '。', '？', '！']).map(plain).filter(|words| words.len() > 2);
    sentences.collect::<Vec<_>>().iter().rev().take(SENTENCES).any(|words| asks(words))
}

fn asks(words: &str) -> bool {
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| contains(words, phrase));
    let in_language = |of: &ApprovalPhrases| has(of.approve) || (has(of.may_i) && has(of.work));
    LANGUAGES.iter().any(in_language)
}

/// Whether a phrase is in a sentence, by the rules of [`phrases`].
fn contains(words: &str, phrase: &str) -> bool {
    match (phrase.starts_with(|letter| letter >= FIRST_UNSPACED), phrase.strip_suffix('-')) {
        (true, _) => words.contains(phrase),
        (false, Some(beginning)) => words.contains(&format!(" {beginning}")),
        (false, None) => words.contains(&format!(" {phrase} ")),
    }
}

/// The words alone, in small letters, one space around each.
fn plain(sentence: &str) -> String {
    let letters = sentence.to_lowercase();
    let words: Vec<&str> =
        letters.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f2_a_request_for_approval_is_known_whatever_its_words_and_punctuation() {
        for asking in [
            "The plan is written. Shall I go ahead?",
            "Shall I go ahead",
            "shall I go ahead…",
            "**Shall I go ahead?** 🚀",
            "The plan is ready!\n\nShould I proceed with the implementation",
            "Let me know if I should start.",
            "Let me know when you're ready to begin — I'll wait.",
            "Would you like me to implement this?",
            "Do you want me to proceed?",
            "Ready to implement. Just say the word!",
            "Please approve the plan so that work can begin.",
            "I am waiting for your approval",
            "Does this plan look good to you?",
            "Sound good?",
            "If you agree, I will start with step 1.",
            "Are you OK with this?",
            "Awaiting your go-ahead.",
            "Shall I get started?",
            "Does this work for you?",
            "Is that okay?",
            "What do you think of the plan?",
            "Any objections?",
        ] {
            assert!(asks_for_approval(asking), "{asking}");
        }
    }

    #[test]
    fn f2_a_request_for_approval_is_known_in_the_languages_people_write_most() {
        for asking in [
            "Der Plan steht. Soll ich loslegen?",
            "Wenn du einverstanden bist, beginne ich mit der Umsetzung.",
            "Ich warte auf Ihre Freigabe.",
            "Passt der Plan so für dich?",
            "Passt das?",
            "Dann lege ich los?",
            "Le plan est prêt. Dois-je commencer l'implémentation ?",
            "Voulez-vous que je procède ?",
            "On y va ?",
            "J'attends votre feu vert.",
            "Êtes-vous d’accord avec ce plan ?",
            "El plan está listo. ¿Puedo empezar?",
            "¿Quieres que implemente el plan?",
            "¿Procedo?",
            "Quedo a la espera de tu aprobación",
            "O plano está escrito. Posso começar?",
            "Quer que eu prossiga com a implementação?",
            "Prossigo?",
            "Aguardo a sua aprovação.",
            "Il piano è pronto. Posso procedere?",
            "Procedo?",
            "Vuoi che inizi con l'implementazione?",
            "Sei d'accordo?",
            "План готов. Мне приступить к реализации?",
            "Жду вашего одобрения.",
            "计划已写好。我可以开始吗？",
            "可以开始了吗？",
            "如果您同意，我将开始实施。",
            "请批准这个计划",
            "計画を書きました。実装を始めてもよろしいでしょうか？",
            "承認をお願いします。",
            "계획을 작성했습니다. 진행할까요?",
            "승인해 주시면 시작하겠습니다.",
        ] {
            assert!(asks_for_approval(asking), "{asking}");
        }
    }

    #[test]
    fn f2_other_words_are_not_taken_for_a_request() {
        for other in [
            "",
            "The plan is written.",
            "Which database do you use?",
            "Should the cache hold an hour or a day?",
            "Should we apply the limit to failed logins only?",
            "Login is slow because it reads every user; the plan starts with an index.",
            "I will look at the tests next.",
            "The server can proceed without a lock.",
            "Can it start without the database?",
            "Welche Datenbank soll der Dienst benutzen?",
            "Der Dienst kann ohne die Datenbank starten.",
            "Quelle base de données utilisez-vous ?",
            "¿Qué base de datos usa el servicio?",
            "Qual banco de dados o serviço usa?",
            "Quale database usa il servizio?",
            "Какую базу данных использует сервис? План начинается с индекса.",
            "服务使用哪个数据库？缓存是否已经实现？",
            "どのデータベースを使っていますか？認証はどう実装しますか？",
            "어떤 데이터베이스를 사용합니까? 캐시는 어떤 방식으로 구현할까요?",
            "Shall I go ahead? That was the question of the old wizard.\n\nIt asks.\nThen it waits.\nThen it stops.\nThat is all.",
        ] {
            assert!(!asks_for_approval(other), "{other}");
        }
    }
}
