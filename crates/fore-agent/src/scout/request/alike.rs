//! Other ways in which programs spell a word: its usual short forms, and the two spellings of English.

/// Words and short forms that mean the same in code.
const ALIKE: &[&[&str]] = &[
    &["address", "addr"],
    &["application", "app"],
    &["argument", "arg", "argv", "args"],
    &["array", "list", "vec"],
    &["asynchronous", "async"],
    &["attribute", "attr"],
    &["authentication", "auth", "authenticate"],
    &["authorization", "auth", "authorize"],
    &["boolean", "bool"],
    &["buffer", "buf"],
    &["callback", "cb"],
    &["certificate", "cert"],
    &["character", "char", "chr"],
    &["command", "cmd"],
    &["concurrent", "parallel"],
    &["configuration", "config", "cfg", "conf", "configure"],
    &["connection", "conn"],
    &["context", "ctx"],
    &["current", "cur"],
    &["database", "db"],
    &["decompress", "inflate", "decode"],
    &["default", "fallback"],
    &["delete", "remove", "del"],
    &["destination", "dest", "dst"],
    &["difference", "diff"],
    &["directory", "dir", "folder"],
    &["folder", "dir", "directory"],
    &["document", "doc"],
    &["element", "elem", "el"],
    &["environment", "env"],
    &["error", "err", "exception"],
    &["exception", "error", "exc"],
    &["expression", "expr"],
    &["extension", "ext"],
    &["function", "func", "fn"],
    &["generator", "gen"],
    &["identifier", "id", "ident"],
    &["image", "img"],
    &["implementation", "impl"],
    &["index", "idx"],
    &["information", "info"],
    &["initialize", "init"],
    &["integer", "int"],
    &["interface", "iface"],
    &["iterator", "iter", "iterate"],
    &["javascript", "js"],
    &["length", "len", "size"],
    &["library", "lib"],
    &["maximum", "max"],
    &["message", "msg"],
    &["middleware", "mw"],
    &["minimum", "min"],
    &["modification", "mtime", "modified"],
    &["multiple", "multi"],
    &["negative", "neg"],
    &["normalize", "norm"],
    &["number", "num", "numeric"],
    &["object", "obj"],
    &["operator", "op"],
    &["option", "opt"],
    &["package", "pkg"],
    &["parameter", "param"],
    &["password", "passwd", "pwd"],
    &["pointer", "ptr"],
    &["position", "pos"],
    &["preference", "pref"],
    &["previous", "prev"],
    &["process", "proc"],
    &["property", "prop"],
    &["quote", "escape"],
    &["reference", "ref"],
    &["regex", "regexp", "re", "pattern"],
    &["repository", "repo"],
    &["request", "req"],
    &["response", "res", "resp"],
    &["result", "res"],
    &["second", "sec"],
    &["sequence", "seq"],
    &["serialize", "dump"],
    &["deserialize", "load"],
    &["source", "src"],
    &["specification", "spec"],
    &["stack", "trace"],
    &["standard", "std"],
    &["statement", "stmt"],
    &["string", "str"],
    &["synchronous", "sync"],
    &["synchronize", "sync"],
    &["template", "tmpl", "tpl"],
    &["temporary", "temp", "tmp"],
    &["typescript", "ts"],
    &["utility", "util"],
    &["validate", "check", "verify"],
    &["value", "val"],
    &["variable", "var"],
    &["version", "ver"],
    &["whitespace", "space", "blank"],
    &["window", "win"],
];

/// Other spellings of a lower-case word.
pub(super) fn spellings(word: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for base in [word, word.strip_suffix('s').unwrap_or(word), &american(word)] {
        let rows = ALIKE.iter().filter(|row| row.contains(&base));
        // A short form is read as its long one; other short forms of that are not meant.
        all.extend(rows.flat_map(|row| match row.first() {
            Some(first) if *first == base => row.iter().skip(1).map(|word| (*word).to_owned()).collect::<Vec<_>>(),
            Some(first) => vec![(*first).to_owned()],
            None => Vec::new(),
        }));
    }
    let other = american(word);
    if other != word {
        all.push(other);
    }
    // What is unencoded was to be encoded.
    let denied = ["un", "non"].iter().find_map(|before| word.strip_prefix(before)).filter(|rest| rest.len() > 5);
    all.extend(denied.map(str::to_owned));
    all.sort();
    all.dedup();
    all.retain(|other| other != word);
    all
}

/// `normalise` as `normalize`, `colour` as `color`, `behaviour` as `behavior`.
fn american(word: &str) -> String {
    let word = word.replace("colour", "color").replace("behaviour", "behavior").replace("serialis", "serializ");
    for (british, american) in
        [("ise", "ize"), ("ising", "izing"), ("ised", "ized"), ("isation", "ization"), ("yse", "yze")]
    {
        if let Some(stem) = word.strip_suffix(british).filter(|stem| stem.len() > 3) {
            return format!("{stem}{american}");
        }
    }
    word
}
