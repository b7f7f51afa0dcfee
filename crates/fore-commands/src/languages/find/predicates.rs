//! What each word of a find expression takes and does, for GNU and BSD find.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    /// Takes nothing and changes nothing.
    Plain,
    /// Takes one value that is only compared or printed.
    Value,
    /// Takes the name of a file that is looked at.
    ReadsFile,
    /// BSD takes a number here, GNU nothing.
    MaybeNumber,
    Deletes,
    /// Takes a file it writes, and this many values after that.
    WritesFile(usize),
    Executes(Execution),
    /// The start points come from a file.
    StartsFromFile,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Execution {
    /// The command runs in the folder of the file.
    pub(super) inside: bool,
    /// Asks first, and knows no `+` in GNU find.
    pub(super) asks: bool,
}

const PLAIN: [&str; 38] = [
    "(",
    ")",
    "!",
    ",",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "-d",
    "-daystart",
    "-empty",
    "-executable",
    "-false",
    "-follow",
    "-help",
    "--help",
    "-ignore_readdir_race",
    "-ls",
    "-mount",
    "-nogroup",
    "-noignore_readdir_race",
    "-noleaf",
    "-nouser",
    "-nowarn",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-readable",
    "-true",
    "-version",
    "--version",
    "-warn",
    "-writable",
    "-xdev",
    "-acl",
    "-sparse",
];

const VALUE: [&str; 37] = [
    "-amin",
    "-atime",
    "-cmin",
    "-ctime",
    "-context",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
    "-Bmin",
    "-Btime",
    "-flags",
    "-xattrname",
];

pub(super) fn predicate(word: &str) -> Option<Predicate> {
    let executes = |inside, asks| Predicate::Executes(Execution { inside, asks });
    Some(match word {
        "-depth" => Predicate::MaybeNumber,
        "-delete" => Predicate::Deletes,
        "-fprint" | "-fprint0" | "-fls" => Predicate::WritesFile(0),
        "-fprintf" => Predicate::WritesFile(1),
        "-exec" => executes(false, false),
        "-execdir" => executes(true, false),
        "-ok" => executes(false, true),
        "-okdir" => executes(true, true),
        "-files0-from" => Predicate::StartsFromFile,
        "-newer" | "-anewer" | "-cnewer" | "-mnewer" | "-Bnewer" | "-samefile" => Predicate::ReadsFile,
        _ if PLAIN.contains(&word) => Predicate::Plain,
        _ if VALUE.contains(&word) => Predicate::Value,
        _ if is_newer_than(word) && word.ends_with('t') => Predicate::Value,
        _ if is_newer_than(word) => Predicate::ReadsFile,
        _ => return None,
    })
}

/// `-newerXY`: one of four times of the file against a time of another file, or (`t`) a time as text.
fn is_newer_than(word: &str) -> bool {
    let times = word.strip_prefix("-newer").map(str::as_bytes);
    matches!(times, Some([b'a' | b'B' | b'c' | b'm', b'a' | b'B' | b'c' | b'm' | b't']))
}
