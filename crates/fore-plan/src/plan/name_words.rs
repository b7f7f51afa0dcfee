//! The plain words that plan names are made of. No word stands in two lists.

/// First words.
#[rustfmt::skip]
pub(super) const MOODS: [&str; 147] = [
    "able", "agile", "airy", "alert", "amber", "ample", "apt", "aware", "azure", "balmy", "basic", "bold", "brave",
    "brief", "bright", "brisk", "broad", "calm", "candid", "careful", "cheery", "civil", "clean", "clear", "clever",
    "close", "cosy", "crisp", "curious", "daring", "deft", "direct", "eager", "early", "earnest", "easy", "even",
    "exact", "fair", "faithful", "famous", "fine", "firm", "fluent", "fond", "frank", "free", "fresh", "friendly",
    "full", "funny", "gentle", "glad", "golden", "good", "graceful", "grand", "great", "handy", "happy", "hardy",
    "hearty", "honest", "hopeful", "humble", "ideal", "jolly", "jovial", "joyful", "keen", "kind", "large", "lasting",
    "lively", "local", "logical", "loyal", "lucid", "lucky", "major", "mellow", "merry", "mighty", "mild", "modern",
    "modest", "neat", "new", "noble", "open", "patient", "perky", "plain", "pleasant", "plucky", "polite", "prime",
    "proud", "pure", "quick", "rapid", "rare", "ready", "real", "rich", "robust", "rosy", "round", "safe", "sensible",
    "sharp", "shiny", "simple", "sincere", "smart", "smooth", "snug", "sober", "solid", "sound", "spry", "stable",
    "steady", "stellar", "stout", "strong", "subtle", "sunny", "super", "sure", "swift", "tender", "thrifty", "tidy",
    "true", "trusty", "upbeat", "useful", "valid", "vast", "vivid", "warm", "wise", "witty", "worthy", "young", "zesty",
];

/// Second words.
#[rustfmt::skip]
pub(super) const QUALITIES: [&str; 134] = [
    "alpine", "ancient", "arctic", "autumn", "bamboo", "birch", "blue", "bronze", "brown", "cedar", "cherry", "citrus",
    "coastal", "cobalt", "copper", "coral", "cotton", "crimson", "crystal", "desert", "distant", "double", "dusky",
    "eastern", "ebony", "emerald", "evening", "fading", "floating", "foggy", "forest", "frosty", "garden", "ginger",
    "glassy", "glowing", "granite", "green", "grey", "hazel", "hidden", "hilly", "indigo", "inland", "iron", "ivory",
    "jade", "lemon", "lilac", "linen", "little", "lofty", "lunar", "mango", "maple", "marble", "meadow", "midnight",
    "milky", "mint", "misty", "morning", "mossy", "mountain", "narrow", "nimble", "noon", "northern", "oaken", "ocean",
    "olive", "orange", "outer", "oval", "paper", "pastel", "peach", "pearl", "pebble", "pine", "pink", "plum", "polar",
    "purple", "quiet", "rainy", "red", "restful", "river", "rocky", "royal", "ruby", "rural", "rustic", "saffron",
    "sandy", "scarlet", "secret", "shady", "short", "silent", "silken", "silver", "sleepy", "slender", "slow", "snowy",
    "soft", "solar", "southern", "spare", "spring", "starry", "still", "striped", "summer", "teal", "tiny", "topaz",
    "tropic", "turquoise", "upper", "velvet", "verdant", "violet", "walnut", "wandering", "western", "white", "wild",
    "windy", "winter", "wooden", "yellow",
];

/// Last words.
#[rustfmt::skip]
pub(super) const THINGS: [&str; 165] = [
    "acorn", "anchor", "apple", "arrow", "badger", "bagel", "barley", "basil", "basket", "beacon", "bear", "beaver",
    "bell", "bison", "boat", "bottle", "bridge", "brook", "brush", "bucket", "butter", "button", "cabin", "camel",
    "candle", "canoe", "canyon", "carrot", "castle", "cat", "cello", "chair", "chalk", "clock", "cloud", "clover",
    "comet", "compass", "condor", "cookie", "crane", "creek", "cricket", "dolphin", "donkey", "dove", "dragon", "drum",
    "duck", "eagle", "easel", "elk", "ember", "falcon", "feather", "fern", "ferry", "fiddle", "field", "finch", "fir",
    "flame", "flower", "flute", "fox", "gecko", "goose", "grape", "grove", "gull", "hammer", "harbor", "harp", "hawk",
    "hedge", "heron", "hill", "honey", "horse", "island", "ivy", "jacket", "jaguar", "jar", "kettle", "kite", "koala",
    "lake", "lamp", "lantern", "lark", "leaf", "ledge", "lighthouse", "lily", "lion", "lizard", "llama", "lobster",
    "lotus", "lynx", "magnet", "melon", "mole", "moose", "moth", "muffin", "nectar", "nest", "newt", "oak", "oasis",
    "onion", "orchid", "otter", "owl", "oyster", "panda", "parrot", "pelican", "pencil", "penguin", "pepper", "piano",
    "pigeon", "planet", "pond", "pony", "poppy", "puffin", "quail", "quartz", "rabbit", "radish", "raven", "reef",
    "ribbon", "robin", "rocket", "rose", "sail", "salmon", "sparrow", "spoon", "squirrel", "star", "stone", "swan",
    "table", "teapot", "tiger", "toucan", "tower", "trail", "tulip", "turtle", "valley", "violin", "wagon", "walrus",
    "whale", "willow", "wolf", "wren", "zebra",
];
