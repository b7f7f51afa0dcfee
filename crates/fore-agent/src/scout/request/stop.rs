//! Words that say nothing about where to look, and the words that tell the kind of work.

use super::WorkKind;

/// Whether a lower-case word is not worth a search.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_whitespace().any(|stop| stop == word) || verb(word).is_some()
}

/// The kind of work, by the first word that tells it.
pub(super) fn work(task: &str) -> WorkKind {
    let task = task.to_lowercase();
    let mut words = task.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.find_map(verb).unwrap_or(WorkKind::Other)
}

fn verb(word: &str) -> Option<WorkKind> {
    Some(match word {
        "add" | "adds" | "adding" | "implement" | "introduce" | "integrate" | "create" | "support" | "supports"
        | "allow" | "enable" | "build" | "provide" | "extend" => WorkKind::Add,
        "fix" | "fixes" | "fixing" | "repair" | "solve" | "bug" | "bugs" | "broken" | "crash" | "crashes" | "wrong"
        | "fails" | "failing" | "debug" | "correct" | "prevent" => WorkKind::Fix,
        "rename" | "renaming" => WorkKind::Rename,
        "remove" | "removes" | "removing" | "delete" | "drop" | "deprecate" => WorkKind::Remove,
        "speed" | "faster" | "slow" | "optimize" | "optimise" | "performance" => WorkKind::Speed,
        "test" | "tests" | "testing" | "cover" | "coverage" => WorkKind::Test,
        "document" | "documentation" | "docs" | "explain" | "describe" => WorkKind::Document,
        "refactor" | "restructure" | "split" | "extract" | "move" | "simplify" | "clean" | "merge" => {
            WorkKind::Restructure
        }
        "upgrade" | "bump" | "migrate" | "port" => WorkKind::Upgrade,
        _ => return None,
    })
}

const STOP_WORDS: &str = "
    a about above after again against all also always am an and another any anything are aren't around as at away back be
    because been before behind being below best better between both but by can can't cannot change changed changes changing
    class code could couldn't currently did didn't different do does doesn't doing don't done down each easily either else
    ensure etc even every everything existing far feature features few file files find first folder for from function
    functions further gets getting give given go goes good got had has have having hello help helper her here hi high him
    his how however i i'd i'll i'm i've if improve improved improves in instead into is isn't issue issues it it's its
    itself just keep know last later least less let let's like likely look looks lot low made make makes making many may
    maybe me means method methods might missing module more most much must my need needed needs never new next no not
    nothing now of off often ok old on once one only onto or other others our out over own per perhaps please possible
    project properly put quite rather really repo repository right same say says see seems set several shall she should shouldn't
    show shows since small so some somehow something somewhere soon still such sure take tell than thank thanks that that's
    the their them then there these they thing things this those through to together too try two under until up update
    updated updates us use used useful user users uses using usually very via want wanted wants was wasn't way we well were
    what when where whether which while who whole whose why will wish with within without won't work works would wouldn't
    write yes yet you your";
