//! Which names exist, which are refused and why, and that a file name is read back as it was written.

use std::collections::{BTreeSet, HashSet};

use proptest::prelude::*;

use super::*;

#[test]
fn b2_a_seed_always_gives_the_same_name() {
    insta::assert_snapshot!(
        "names_from_seeds",
        [0, 1, 2, u64::MAX].map(|seed| Slug::from_seed(seed).to_string()).join(" ")
    );
}

#[test]
fn b2_there_are_more_than_a_million_names_of_plain_words() {
    let words: Vec<&str> = MOODS.iter().chain(&QUALITIES).chain(&THINGS).copied().collect();
    assert_eq!(words.iter().collect::<BTreeSet<_>>().len(), words.len(), "a word stands in two lists");
    assert!(
        words.iter().all(|word| (3..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()))
    );
    let names = MOODS.len() * QUALITIES.len() * THINGS.len();
    assert!(names >= 1_000_000, "{names}");
}

#[test]
fn b2_neighbouring_seeds_reach_all_words() {
    let slugs: HashSet<Slug> = (0..20_000).map(Slug::from_seed).collect();
    assert!(slugs.len() > 19_500, "{} of 20000 names differ", slugs.len());
    let seen: HashSet<&str> = slugs.iter().flat_map(|slug| slug.as_str().split('-')).collect();
    assert_eq!(seen.len(), MOODS.len() + QUALITIES.len() + THINGS.len());
}

#[test]
fn b2_names_are_read_with_reasons() {
    for good in ["brave-quiet-fox", "a-b", "login-speed-owl"] {
        assert_eq!(good.parse::<Slug>().map(String::from), Ok(good.to_owned()));
    }
    for (bad, reason) in [
        ("", SlugError::EmptyWord),
        ("fox", SlugError::WordCount(1)),
        ("a-b-c-d", SlugError::WordCount(4)),
        ("a--b", SlugError::EmptyWord),
        ("-a-b", SlugError::EmptyWord),
        ("Brave-fox", SlugError::Character('B')),
        ("../a-b", SlugError::Character('.')),
        ("a-b/c", SlugError::Character('/')),
        ("a-b\\c", SlugError::Character('\\')),
        ("a-b\0", SlugError::Character('\0')),
        ("a-ß", SlugError::Character('ß')),
        ("a-b.md", SlugError::Character('.')),
        ("a-agent", SlugError::AgentWord),
    ] {
        assert_eq!(bad.parse::<Slug>(), Err(reason), "{bad:?}");
    }
    assert_eq!(format!("a-{}", "b".repeat(60)).parse::<Slug>(), Err(SlugError::TooLong));
    assert!(serde_json::from_str::<Slug>("\"../../etc\"").is_err());
}

#[test]
fn b3_agent_ids_are_safe_in_file_names() {
    for good in ["a1", "7f3a-B_2", &"x".repeat(64)] {
        assert!(good.parse::<AgentFileId>().is_ok());
    }
    for (bad, reason) in [
        ("", AgentIdError::Empty),
        ("a/b", AgentIdError::Character('/')),
        ("..", AgentIdError::Character('.')),
        ("a b", AgentIdError::Character(' ')),
        ("é", AgentIdError::Character('é')),
        (&"x".repeat(65), AgentIdError::TooLong),
    ] {
        assert_eq!(bad.parse::<AgentFileId>(), Err(reason));
    }
}

#[test]
fn b3_file_names_are_read_back() {
    let slug: Slug = "brave-quiet-fox".parse().unwrap();
    let agent: AgentFileId = "7f-agent-3a".parse().unwrap();
    for (name, text) in [
        (PlanFileName::Main(slug.clone()), "brave-quiet-fox.md"),
        (PlanFileName::Agent(slug, agent), "brave-quiet-fox-agent-7f-agent-3a.md"),
    ] {
        assert_eq!(name.to_string(), text);
        assert_eq!(text.parse(), Ok(name));
    }
    for (text, error) in [
        ("brave-fox", FileNameError::Extension),
        ("brave-fox.md.bak", FileNameError::Extension),
        ("x.md", FileNameError::Slug(SlugError::WordCount(1))),
        ("a-b-agent-.md", FileNameError::Agent(AgentIdError::Empty)),
        ("a-b-agent-c.d.md", FileNameError::Agent(AgentIdError::Character('.'))),
        ("../a-b.md", FileNameError::Slug(SlugError::Character('.'))),
    ] {
        assert_eq!(text.parse::<PlanFileName>(), Err(error));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn b2_every_made_name_is_a_valid_one(seed in any::<u64>()) {
        let slug = Slug::from_seed(seed);
        prop_assert_eq!(slug.as_str().parse::<Slug>(), Ok(slug.clone()));
    }

    #[test]
    fn b3_every_file_name_is_read_back(seed in any::<u64>(), agent in "[a-zA-Z0-9_-]{1,64}") {
        let name = PlanFileName::Agent(Slug::from_seed(seed), agent.parse().unwrap());
        prop_assert_eq!(name.to_string().parse::<PlanFileName>(), Ok(name));
    }
}
