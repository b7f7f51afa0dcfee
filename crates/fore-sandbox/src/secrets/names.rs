//! Which names tell that a file holds a secret, at any depth of a disk, and which files have to be looked into to know.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of a file that are looked at; what is longer counts as secret.
const MAX_INSPECTED_BYTES: u64 = 1 << 20;

/// What a name says about its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    Plain,
    Secret,
    /// Only its content tells.
    Depends(SecretContent),
}

/// What makes a file of an open name a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretContent {
    PrivateKey,
    /// A value of its own, no reference to a variable, behind a key that names a token or a password.
    Token,
    /// The sections in which composer keeps what it logs in with.
    ComposerLogin,
    /// A server of maven with a password or a key.
    MavenLogin,
    /// A shell that is told a key or a password when it starts.
    ShellKey,
    /// An address with a password in it, a header, or a token.
    GitLogin,
    /// Settings of whatever tool with a key, a password or a token in them.
    AnyKey,
}

/// Files that shells read when they start. Providers tell people to put their keys there.
const SHELL_STARTS: [&[u8]; 13] = [
    b".bashrc",
    b".bash_profile",
    b".bash_login",
    b".bash_aliases",
    b".profile",
    b".zshrc",
    b".zshenv",
    b".zprofile",
    b".zlogin",
    b".kshrc",
    b".mkshrc",
    b".cshrc",
    b"config.fish",
];
/// Parts of a variable's name, between underscores, that tell what its value is.
const KEY_WORDS: [&str; 11] =
    ["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASS", "PAT", "CREDENTIAL", "CREDENTIALS", "PWD"];
/// What the tokens of well-known services begin with.
const TOKEN_STARTS: [&str; 10] =
    ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "npm_"];
/// Shorter values are switches.
const MIN_KEY_CHARS: usize = 8;

/// Key stores, and what terraform keeps of its secrets, by what follows the last dot.
const KEY_STORES: [&[u8]; 15] = [
    b"key",
    b"p12",
    b"pkcs12",
    b"pfx",
    b"p8",
    b"jks",
    b"jceks",
    b"bks",
    b"keystore",
    b"kdbx",
    b"kdb",
    b"ppk",
    b"keychain",
    b"ovpn",
    b"tfstate",
];
/// What people commit on purpose to show which variables there are, by what follows the last dot.
const SAMPLES: [&[u8]; 9] =
    [b"example", b"examples", b"sample", b"template", b"tmpl", b"tpl", b"dist", b"defaults", b"schema"];
/// Files of the home folder that some keep in projects or containers as well.
const ALWAYS: [&[u8]; 50] = [
    b".netrc",
    b"_netrc",
    b".pgpass",
    b".git-credentials",
    b".vault-token",
    b".dockercfg",
    b".history",
    b".histfile",
    b".zhistory",
    b".lesshst",
    b".viminfo",
    b".dbshell",
    b".htpasswd",
    b".vault_pass",
    b".vault-pass",
    b"vault_pass",
    b".flaskenv",
    b".dev.vars",
    b".terraformrc",
    b".databrickscfg",
    b".my.cnf",
    b".s3cfg",
    b".boto",
    b"credentials.json",
    b"deploy_key",
    b"secrets.yml",
    b"secrets.yaml",
    b"secrets.json",
    b"secrets.txt",
    b"secret.yml",
    b"secret.yaml",
    b"secret.json",
    b".secrets",
    b".vault_pass.txt",
    b"vault_pass.txt",
    b"application_default_credentials.json",
    b"credentials",
    b"credentials.toml",
    b"local.settings.json",
    b"keystore.properties",
    b"rclone.conf",
    b"secring.gpg",
    b"wallet.dat",
    b"key4.db",
    b"kaggle.json",
    b".mylogin.cnf",
    b".sentryclirc",
    b".erlang.cookie",
    b".smbcredentials",
    b".passwd-s3fs",
];
/// Words of a name that a key may stand behind, in files of text that people hand around.
const WORDS_FOR_KEYS: [&[u8]; 8] =
    [b"key", b"keys", b"privkey", b"private", b"secret", b"secrets", b"credentials", b"adminsdk"];
/// What an editor or a careful person appends to the name of a copy.
const COPIES: [&[u8]; 11] =
    [b"~", b".bak", b".backup", b".old", b".orig", b".save", b".copy", b".swp", b".swo", b".swn", b".swx"];
const SSH_KEYS: [&[u8]; 6] = [b"id_rsa", b"id_dsa", b"id_ecdsa_sk", b"id_ecdsa", b"id_ed25519_sk", b"id_ed25519"];
const KEY_MARKS: [&[u8]; 4] =
    [b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----", b"PuTTY-User-Key-File-", b"AGE-SECRET-KEY-1"];
/// Longer names than any disk has need not be compared.
const MAX_NAME_BYTES: usize = 255;

/// What the last part of a path says.
pub(crate) fn naming(name: &OsStr) -> Naming {
    let mut lower = [0; MAX_NAME_BYTES];
    let bytes = name.as_bytes();
    let Some(lower) = lower.get_mut(..bytes.len()) else { return Naming::Plain };
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    let name = without_marks_of_a_copy(lower);
    let ending = name.iter().rposition(|byte| *byte == b'.').and_then(|dot| name.get(dot + 1..)).unwrap_or_default();
    match name.first() {
        Some(b'.') if name.starts_with(b".env") => if_not_a_sample(name, ending),
        Some(b'.') if name.ends_with(b"_history") => Naming::Secret,
        Some(b'.') if matches!(name, b".npmrc" | b".pypirc" | b".yarnrc" | b".yarnrc.yml") => {
            Naming::Depends(SecretContent::Token)
        }
        _ if SHELL_STARTS.contains(&name) => Naming::Depends(SecretContent::ShellKey),
        Some(b'.') if name == b".gitconfig" => Naming::Depends(SecretContent::GitLogin),
        _ if ALWAYS.contains(&name) || KEY_STORES.contains(&ending) => Naming::Secret,
        _ if ending == b"env" => if_not_a_sample(name, ending),
        _ if ending == b"tfvars" || name.ends_with(b".tfvars.json") || name.ends_with(b"secrets.toml") => {
            if_not_a_sample(name, ending)
        }
        _ if name.starts_with(b".dev.vars") || name.starts_with(b"client_secret") && ending == b"json" => {
            if_not_a_sample(name, ending)
        }
        _ if ending == b"pem" || is_named_for_a_key(name, ending) || is_of_a_service_account(name, ending) => {
            Naming::Depends(SecretContent::PrivateKey)
        }
        _ if name == b"settings.xml" => Naming::Depends(SecretContent::MavenLogin),
        _ if name == b"auth.json" => Naming::Depends(SecretContent::ComposerLogin),
        Some(b'i') => of_an_ssh_key(name, ending),
        _ => Naming::Plain,
    }
}

/// The name of the file that `.env~`, `..env.swp`, `#.env#`, `.#.env` or `server.key.bak` is a copy of.
fn without_marks_of_a_copy(name: &[u8]) -> &[u8] {
    let mut rest = name;
    if let Some(locked) = rest.strip_prefix(b".#") {
        rest = locked;
    } else if let Some(saved) = rest.strip_prefix(b"#").and_then(|rest| rest.strip_suffix(b"#")) {
        rest = saved;
    }
    while let Some(shorter) = COPIES.iter().find_map(|mark| rest.strip_suffix(*mark)).filter(|rest| !rest.is_empty()) {
        let is_swap = matches!(rest.get(shorter.len()..), Some([b'.', b's', b'w', _]));
        // An editor's swap file has one more dot in front.
        rest = if is_swap && shorter.starts_with(b"..") { shorter.get(1..).unwrap_or(shorter) } else { shorter };
    }
    rest
}

/// The key file of a cloud account that belongs to a program.
fn is_of_a_service_account(name: &[u8], ending: &[u8]) -> bool {
    let starts = [&b"service-account"[..], b"service_account", b"serviceaccount"];
    ending == b"json" && starts.iter().any(|start| name.starts_with(start))
}

/// `privkey1.txt`, `gcp-key.json`, `private.asc`.
fn is_named_for_a_key(name: &[u8], ending: &[u8]) -> bool {
    let is_text = matches!(ending, b"json" | b"txt" | b"asc" | b"conf");
    let mut words = name.split(|byte| !byte.is_ascii_alphabetic());
    is_text && words.any(|word| WORDS_FOR_KEYS.contains(&word))
}

/// `.env.example`, `example.env`: only the place of the last or the first word can say so.
fn if_not_a_sample(name: &[u8], ending: &[u8]) -> Naming {
    let first = name.split(|byte| *byte == b'.').next().unwrap_or_default();
    if SAMPLES.contains(&ending) || SAMPLES.contains(&first) { Naming::Plain } else { Naming::Secret }
}

fn of_an_ssh_key(name: &[u8], ending: &[u8]) -> Naming {
    match SSH_KEYS.iter().find_map(|key| name.strip_prefix(*key)) {
        None => Naming::Plain,
        Some(_) if ending == b"pub" => Naming::Plain,
        Some([]) => Naming::Secret,
        // A copy of one, or the code that reads one.
        Some(_) => Naming::Depends(SecretContent::PrivateKey),
    }
}

/// Whether a folder of such a name is a secret with all that is in it. Python keeps whole environments in `.env`.
pub(crate) fn is_secret_folder(path: &Path) -> bool {
    let is_named = path.file_name().is_some_and(|name| {
        name.as_bytes().get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b".env"))
            && naming(name) == Naming::Secret
    });
    is_named && !path.join("pyvenv.cfg").is_file()
}

impl SecretContent {
    /// Looks into an open file without moving in it.
    pub(crate) fn is_in(self, file: &File) -> io::Result<bool> {
        let mut bytes = Vec::new();
        let mut reader = OffsetReader { file, at: 0 };
        (&mut reader).take(MAX_INSPECTED_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(bytes.len() as u64 > MAX_INSPECTED_BYTES || self.is_in_bytes(&bytes))
    }

    fn is_in_bytes(self, bytes: &[u8]) -> bool {
        match self {
            SecretContent::PrivateKey => KEY_MARKS.iter().any(|words| has(bytes, words)),
            SecretContent::ComposerLogin => {
                [&b"\"http-basic\""[..], b"-oauth\"", b"-token\"", b"\"bearer\""].iter().any(|words| has(bytes, words))
            }
            SecretContent::MavenLogin => {
                has(bytes, b"<server>") && [&b"<password>"[..], b"<privateKey>"].iter().any(|key| has(bytes, key))
            }
            SecretContent::ShellKey => lines(bytes).any(|line| tells_a_shell_a_key(&line)),
            SecretContent::GitLogin => lines(bytes).any(|line| tells_git_a_login(&line)),
            SecretContent::AnyKey => lines(bytes).any(|line| tells_a_key(&line)),
            SecretContent::Token => bytes.split(|byte| *byte == b'\n').any(tells_a_token),
        }
    }
}

/// Whether a file under whatever name is a private key from its first line on. Text that only quotes one somewhere is not.
pub(crate) fn is_a_private_key(file: &File) -> io::Result<bool> {
    const STARTS: [&[u8]; 3] = [b"-----BEGIN ", b"Bag Attributes", b"PuTTY-User-Key-File-"];
    let mut start = [0; 64];
    let count = file.read_at(&mut start, 0)?;
    let start = start.get(..count).unwrap_or_default();
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    // Room that was filled with blanks may hide anything.
    let is_one = start.is_empty() && count > 0 || STARTS.iter().any(|words| start.starts_with(words));
    if !is_one {
        return Ok(false);
    }
    let mut bytes = Vec::new();
    (&mut OffsetReader { file, at: 0 }).take(MAX_INSPECTED_BYTES).read_to_end(&mut bytes)?;
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
    Ok(STARTS.iter().any(|words| text.starts_with(words)) && SecretContent::PrivateKey.is_in_bytes(text))
}

/// What is not a comment.
fn lines(bytes: &[u8]) -> impl Iterator<Item = String> {
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line.trim_ascii()).into_owned());
    lines.filter(|line| !line.starts_with(['#', ';']))
}

/// `export OPENAI_API_KEY=sk-…`, `set -gx GITHUB_TOKEN …`; not `KEY_FILE=~/key`, `TOKEN=$(pass token)`, `KEYTIMEOUT=1`.
fn tells_a_shell_a_key(line: &str) -> bool {
    let words: Vec<&str> = line.split([' ', '\t', ';', '&', '|', '(', ')']).filter(|word| !word.is_empty()).collect();
    let sets = matches!(words.first(), Some(&("set" | "setenv")));
    let apart = words.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).filter(|_| sets);
    let joined = words.iter().filter_map(|word| word.split_once('='));
    let is_named = |name: &str| name.to_ascii_uppercase().split('_').any(|part| KEY_WORDS.contains(&part));
    apart.chain(joined).any(|(name, value)| is_named(name) && is_a_value(value))
        || words.iter().any(|word| is_a_token(word))
}

fn is_a_value(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    value.len() >= MIN_KEY_CHARS && !value.starts_with(['$', '`', '/', '~', '-'])
}

fn is_a_token(word: &str) -> bool {
    let found = TOKEN_STARTS.iter().filter_map(|start| word.find(start).and_then(|at| word.get(at + start.len()..)));
    found.into_iter().any(|rest| rest.chars().take_while(char::is_ascii_alphanumeric).count() >= MIN_KEY_CHARS)
}

/// `[url "https://me:token@github.com/"]`, `extraheader = …`, `token = …`.
fn tells_git_a_login(line: &str) -> bool {
    let has_password = |address: &str| {
        address.split(['/', '"']).next().is_some_and(|to| to.split_once('@').is_some_and(|(who, _)| who.contains(':')))
    };
    let lower = line.to_ascii_lowercase();
    let named = lower.split_once('=').filter(|(name, value)| {
        let is_login = |word: &str| name.trim().ends_with(word);
        ["extraheader", "token", "password", "secret", "pass"].into_iter().any(is_login) && is_a_value(value.trim())
    });
    named.is_some() || is_a_token(line) || line.split("://").skip(1).any(has_password)
}

/// As in a shell or in git's settings, `password: abc`, `SETUVAR API_KEY:abc`, `BUNDLE_HOST__COM: "me:abc"`, `Credentials(…)`.
fn tells_a_key(line: &str) -> bool {
    let trimmed = line.trim();
    if trimmed.starts_with(['#', ';']) || trimmed.starts_with("--") {
        return false;
    }
    let named = trimmed.split_once([':', '=']).filter(|(name, value)| {
        let name = name.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        let ends = ["token", "password", "passwd", "secret", "_key", "-key", "apikey", "_pass", "_auth"];
        ends.into_iter().any(|end| name.ends_with(end)) && is_a_value(value.trim().trim_end_matches(','))
    });
    let is_bundler = trimmed.starts_with("BUNDLE_")
        && trimmed.split_once(": ").is_some_and(|(name, value)| name.contains("__") && value.contains(':'));
    named.is_some()
        || is_bundler
        || trimmed.contains("Credentials(")
        || tells_a_shell_a_key(line)
        || tells_git_a_login(line)
        || trimmed.rsplit_once('=').is_some_and(|(name, value)| name.ends_with("_authToken") && is_a_value(value))
}

/// `//registry/:_authToken=abc`, `npmAuthToken: abc`, `password = abc`; not `=${NPM_TOKEN}`.
fn tells_a_token(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    if line.starts_with(b"#") || line.starts_with(b";") {
        return false;
    }
    let lower = line.to_ascii_lowercase();
    let Some(end) =
        [&b"_auth"[..], b"authtoken", b"authident", b"password", b"token"].iter().find_map(|word| after(&lower, word))
    else {
        return false;
    };
    let rest = line.get(end..).unwrap_or_default();
    let Some(value) = rest.iter().position(|byte| matches!(byte, b'=' | b':' | b' ')).and_then(|at| rest.get(at + 1..))
    else {
        return false;
    };
    let value = value.trim_ascii_start();
    let value = value.strip_prefix(b"=").unwrap_or(value).trim_ascii_start();
    let value = value.trim_ascii().strip_prefix(b"\"").unwrap_or(value.trim_ascii());
    !value.is_empty() && !value.starts_with(b"${") && !value.starts_with(b"$")
}

fn has(bytes: &[u8], word: &[u8]) -> bool {
    after(bytes, word).is_some()
}

/// Where a word ends that is somewhere in the bytes.
fn after(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|part| part == word).map(|at| at + word.len())
}

/// Reads from a place of its own: the descriptor may be in use by somebody else.
struct OffsetReader<'a> {
    file: &'a File,
    at: u64,
}

impl Read for OffsetReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one page of cases")]
    fn a_name_tells_a_secret_a_sample_or_that_one_has_to_look() {
        let (secret, plain) = (Naming::Secret, Naming::Plain);
        let (key, token) = (Naming::Depends(SecretContent::PrivateKey), Naming::Depends(SecretContent::Token));
        let page = [
            (".env", secret),
            (".ENV", secret),
            (".env.local", secret),
            (".env.prod", secret),
            (".env.test", secret),
            (".env-staging", secret),
            (".env.example.local", secret),
            (".envrc", secret),
            ("prod.env", secret),
            (".env.example", plain),
            (".env.local.sample", plain),
            (".env.template", plain),
            (".env.dist", plain),
            (".env.defaults", plain),
            ("example.env", plain),
            ("environment.ts", plain),
            ("env", plain),
            (".netrc", secret),
            (".pgpass", secret),
            (".npmrc", token),
            (".pypirc", token),
            (".yarnrc.yml", token),
            ("server.key", secret),
            ("Release.KEYSTORE", secret),
            ("vault.kdbx", secret),
            ("server.pem", key),
            ("key.rs", plain),
            ("key", plain),
            ("id_rsa", secret),
            ("id_ed25519_sk", secret),
            ("id_rsa.pub", plain),
            ("id_rsa.bak", secret),
            ("id_rsa_test.go", key),
            ("index.html", plain),
            (".bash_history", secret),
            (".node_repl_history", secret),
            (".lesshst", secret),
            ("shell_history.md", plain),
            (".env~", secret),
            (".env.bak", secret),
            ("..env.swp", secret),
            ("#.env#", secret),
            (".#.env", secret),
            ("server.key.orig", secret),
            (".env.example~", plain),
            ("notes.bak", plain),
            ("~", plain),
            ("terraform.tfstate", secret),
            ("terraform.tfstate.backup", secret),
            ("prod.auto.tfvars", secret),
            ("prod.tfvars.json", secret),
            ("example.tfvars", plain),
            ("terraform.tfvars.example", plain),
            (".vault_pass", secret),
            (".htpasswd", secret),
            (".flaskenv", secret),
            (".dev.vars", secret),
            ("secrets.toml", secret),
            ("secrets.yml", secret),
            ("secrets.rs", plain),
            (".secrets.toml", secret),
            (".zshrc", Naming::Depends(SecretContent::ShellKey)),
            (".gitconfig", Naming::Depends(SecretContent::GitLogin)),
            ("secrets.txt", secret),
            ("vault_pass.txt", secret),
            (".dev.vars.production", secret),
            (".dev.vars.example", plain),
            ("client_secret_1.apps.googleusercontent.com.json", secret),
            ("x.pkcs12", secret),
            ("shop-firebase-adminsdk-abc.json", key),
            ("gcp-key.json", key),
            ("privkey1.txt", key),
            ("keys.txt", key),
            ("private.asc", key),
            ("keyboard.json", plain),
            ("monkey.txt", plain),
            ("keys.rs", plain),
            ("credentials.json", secret),
            ("service-account-prod.json", key),
            ("deploy_key", secret),
            ("deploy_key.pub", plain),
            ("auth.json", Naming::Depends(SecretContent::ComposerLogin)),
            ("", plain),
        ];
        for (name, expected) in page {
            assert_eq!(naming(OsStr::new(name)), expected, "{name}");
        }
    }

    #[test]
    fn content_tells_keys_and_tokens_from_certificates_and_references() {
        let page = [
            (SecretContent::PrivateKey, "-----BEGIN CERTIFICATE-----\nMII", false),
            (SecretContent::PrivateKey, "-----BEGIN PUBLIC KEY-----\nMII", false),
            (SecretContent::PrivateKey, "-----BEGIN CERTIFICATE-----\n\n-----BEGIN RSA PRIVATE KEY-----\nMII", true),
            (SecretContent::PrivateKey, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3", true),
            (SecretContent::PrivateKey, "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", true),
            (SecretContent::PrivateKey, r#"{"private_key": "-----BEGIN PRIVATE KEY-----\nMII"}"#, true),
            (SecretContent::ComposerLogin, r#"{"http-basic": {"repo.example.com": {}}}"#, true),
            (SecretContent::ComposerLogin, r#"{"password": "Your password"}"#, false),
            (SecretContent::MavenLogin, "<server><id>x</id><password>swordfish</password></server>", true),
            (SecretContent::MavenLogin, "<settings><mirrors/></settings>", false),
            (SecretContent::Token, "registry=https://registry.example.com/\nsave-exact=true\n", false),
            (SecretContent::Token, "//registry.example.com/:_authToken=npm_abc", true),
            (SecretContent::Token, "//registry.example.com/:_authToken=${NPM_TOKEN}", false),
            (SecretContent::Token, "_auth=dXNlcjpwYXNz", true),
            (SecretContent::Token, "//r/:_password = \"cGFzcw==\"", true),
            (SecretContent::Token, "# //r/:_authToken=npm_abc", false),
            (SecretContent::Token, "npmAuthToken: \"abc\"", true),
            (SecretContent::Token, "always-auth=true", false),
            (SecretContent::Token, "[pypi]\nusername = __token__\npassword = pypi-abc", true),
            (SecretContent::Token, "[distutils]\nindex-servers = pypi", false),
            (SecretContent::Token, "[registry]\ntoken = \"abc\"", true),
            (SecretContent::Token, "password = ${PASSWORD}", false),
            (SecretContent::ShellKey, "export OPENAI_API_KEY=sk-proj-abcdefgh", true),
            (SecretContent::ShellKey, "export EDITOR=vim GITHUB_TOKEN=\"0123456789\"", true),
            (SecretContent::ShellKey, "set -gx STRIPE_SECRET abcdefghij", true),
            (SecretContent::ShellKey, "alias deploy='curl -H ghp_abcdefgh12 x'", true),
            (SecretContent::ShellKey, "# export OPENAI_API_KEY=sk-proj-abcdefgh", false),
            (
                SecretContent::ShellKey,
                "export KEYTIMEOUT=1 GPG_KEY_FILE=~/key.asc TOKEN=$(pass token)\nexport PATH=$HOME/bin:$PATH",
                false,
            ),
            (SecretContent::GitLogin, "[user]\n\tname = Ada\n\tsigningkey = ABCDEF0123", false),
            (SecretContent::GitLogin, "[url \"https://me:abc@github.com/\"]\n\tinsteadOf = gh:", true),
            (SecretContent::GitLogin, "[url \"git@github.com:\"]\n\tinsteadOf = https://github.com/", false),
            (SecretContent::GitLogin, "[http]\n\textraheader = Authorization: Bearer abc", true),
            (SecretContent::GitLogin, "[github]\n\ttoken = 0123456789abcdef", true),
        ];
        for (content, text, expected) in page {
            assert_eq!(content.is_in_bytes(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked into")]
    fn a_private_key_is_known_from_its_first_line_on_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        let blanks = "\n".repeat(100);
        let page = [
            ("-----BEGIN RSA PRIVATE KEY-----\nMII".to_owned(), true),
            (format!("{blanks}-----BEGIN OPENSSH PRIVATE KEY-----\nb3"), true),
            ("-----BEGIN CERTIFICATE-----\nMII\n-----BEGIN PRIVATE KEY-----\nMII".to_owned(), true),
            ("PuTTY-User-Key-File-3: ssh-ed25519\n".to_owned(), true),
            ("-----BEGIN CERTIFICATE-----\nMII".to_owned(), false),
            ("A key begins with `-----BEGIN RSA PRIVATE KEY-----`.".to_owned(), false),
            (blanks.clone(), false),
            (String::new(), false),
        ];
        for (text, expected) in page {
            std::fs::write(&path, &text).unwrap();
            assert_eq!(is_a_private_key(&File::open(&path).unwrap()).unwrap(), expected, "{text}");
        }
    }
}
