//! Words that say nothing about where to look.

/// Whether a lower-case word is not worth a search.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split_whitespace().any(|stop| stop == word)
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
    write yes yet you your although already among anymore anyway became become becomes breaks cause causes comes contains
    correctly did during ends enough entire especially example exactly happen happens hence incorrectly inside instance
    like longer making named nor ought place places previously re should simply thus today together took twice unless upon
    usual versus whatever whenever wherever working works example expected actually always anything else ends gives ought
    rejects reported reports seem though thereby trouble turn turns says said mean means meant mere merely";

/// Whether a lower-case word is one of everyday life, which code seldom means when it has it.
pub(super) fn is_everyday(word: &str) -> bool {
    let is_adverb = word.len() > 5
        && word.ends_with("ly")
        && !matches!(word, "apply" | "reply" | "assembly" | "supply" | "multiply" | "readonly");
    is_adverb || EVERYDAY.split_whitespace().any(|held| held == word)
}

const EVERYDAY: &str = "
    anybody arrive arrives asking begin begins being believe belong belongs beneath beside big bigger blow carries carry came
    careful chosen claim claims clear close closely come comes concern consider contradicts cuts dies differ doubt
    effect enter everybody exist exists falls fewer fine forget forgets forgot gave goes gone great half hand handed happened hard harm
    held hold holds honour instance keep keeps kind know knows known larger lead leads leave leaves left lies live lose loses loss lost
    matter mention mentions merely mix mixes myself nobody notice obtain odd offer offers ones otherwise ours people person pick picks plain
    possibly produce produces purpose quick reach reaches reason rejected remain remains right run runs says seen sees sense shape
    shorter side simple smaller somebody someone sort soon stay stays stops story strange throws tiny told treat treats true understand
    understood unexpected unlike walk wants weird went whole wish words wrong yesterday";
