//! Files and variables go in, hosts come out.
#![expect(clippy::disallowed_methods, reason = "makes the files that are read")]

use super::*;

/// A home and a project in it, with these files, asked for one registry.
fn hosts(registry: Registry, files: &[(&str, &str)], variables: &[(&str, &str)]) -> String {
    let root = tempfile::tempdir().unwrap();
    let (home, project) = (root.path().join("home"), root.path().join("home/project/inner"));
    std::fs::create_dir_all(&project).unwrap();
    for (name, text) in files {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let variable =
        |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let person = PersonConfig { home: Some(&home), variable: &variable };
    words(person.registry(registry, Some(&project)))
}

fn words(hosts: Option<Vec<Reach>>) -> String {
    let word = |reach: &Reach| match reach {
        Reach::Host(host) => host.clone(),
        Reach::AnyHost | Reach::Daemon(_) => "?".to_owned(),
    };
    hosts.map_or("unknown".to_owned(), |hosts| hosts.iter().map(word).collect::<Vec<_>>().join(" "))
}

#[test]
fn npm_asks_whom_the_npmrc_of_project_or_person_names() {
    let npm = |files: &[(&str, &str)], variables: &[(&str, &str)]| hosts(Registry::Npm, files, variables);
    assert_eq!(npm(&[], &[]), "registry.npmjs.org registry.yarnpkg.com");
    let package = ("project/package.json", "{}");
    let own = ("project/.npmrc", "# mine\nregistry = https://evil.example:8443/npm/\n");
    assert_eq!(npm(&[package, own], &[]), "evil.example:8443");
    let user = (".npmrc", "registry=https://mirror.corp.example/\n@corp:registry=https://npm.corp.example\n");
    assert_eq!(npm(&[user], &[]), "mirror.corp.example npm.corp.example");
    assert_eq!(npm(&[package, own, user], &[]), "evil.example:8443 npm.corp.example");
    assert_eq!(npm(&[own], &[("npm_config_registry", "http://localhost:4873/")]), "localhost:4873");
    assert_eq!(npm(&[("project/.npmrc", "registry=${EVIL}\n")], &[]), "unknown");
    assert_eq!(npm(&[("project/.npmrc", "registry=https://0x7f.1/\n")], &[]), "unknown");
}

#[test]
fn cargo_follows_replaced_sources_from_the_folder_up() {
    let cargo = |files: &[(&str, &str)]| hosts(Registry::Cargo, files, &[]);
    let usual = "crates.io index.crates.io static.crates.io";
    assert_eq!(cargo(&[]), usual);
    let mirror = "[source.crates-io]\nreplace-with = 'mirror'\n[source.mirror]\nregistry = \"sparse+https://mirror.example/index/\"\n";
    assert_eq!(cargo(&[(".cargo/config.toml", mirror)]), "mirror.example");
    let nearer = "source.crates-io.replace-with = \"evil\"\n[source.\"evil\"]\nregistry = \"https://evil.example/\"\n";
    assert_eq!(cargo(&[(".cargo/config.toml", mirror), ("project/.cargo/config.toml", nearer)]), "evil.example");
    let more = "[registries.corp]\nindex = \"https://corp.example/index\"\n";
    assert_eq!(cargo(&[("project/.cargo/config", more)]), format!("corp.example {usual}"));
    let vendored = "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"vendor\"\n";
    assert_eq!(cargo(&[("project/.cargo/config.toml", vendored)]), "unknown");
    let round = "[source.crates-io]\nreplace-with = \"a\"\n[source.a]\nreplace-with = \"crates-io\"\n";
    assert_eq!(cargo(&[(".cargo/config.toml", round)]), "unknown");
}

#[test]
fn pip_and_go_ask_their_files_and_variables() {
    let pip = |files: &[(&str, &str)], variables: &[(&str, &str)]| hosts(Registry::Pip, files, variables);
    assert!(pip(&[], &[]).contains("files.pythonhosted.org"));
    let conf = "[global]\nindex-url = https://ada:word@pypi.corp.example/simple\nextra-index-url =\n    https://two.example/simple\n";
    assert_eq!(pip(&[(".config/pip/pip.conf", conf)], &[]), "pypi.corp.example two.example");
    let variable = [("PIP_INDEX_URL", "https://other.example/simple"), ("PIP_FIND_LINKS", "/opt/wheels")];
    assert_eq!(pip(&[(".config/pip/pip.conf", conf)], &variable), "other.example two.example");
    let go = |variables: &[(&str, &str)]| hosts(Registry::Go, &[], variables);
    assert_eq!(go(&[]), "proxy.golang.org sum.golang.org");
    assert_eq!(go(&[("GOPROXY", "https://goproxy.example|direct")]), "goproxy.example sum.golang.org");
    assert_eq!(go(&[("GOPROXY", "https://goproxy.example"), ("GOSUMDB", "off")]), "goproxy.example");
    assert_eq!(go(&[("GOPROXY", "direct")]), "unknown");
    assert_eq!(go(&[("GOPRIVATE", "corp.example/*")]), "unknown");
    let kept = hosts(Registry::Go, &[(".config/go/env", "GOPROXY=https://kept.example\nGOSUMDB=off\n")], &[]);
    assert_eq!(kept, "kept.example");
}

#[test]
fn gh_talks_to_the_server_of_its_settings_and_of_the_remote() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join(".config/gh")).unwrap();
    std::fs::write(
        root.path().join(".config/gh/hosts.yml"),
        "github.com:\n    user: ada\nghe.example:\n    user: ada\n",
    )
    .unwrap();
    let forge = |variables: &[(&str, &str)], remote: &str| {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let person = PersonConfig { home: Some(root.path()), variable: &variable };
        words(person.forge(&of_address(remote).into_iter().collect::<Vec<_>>()))
    };
    assert_eq!(forge(&[], ""), "api.github.com");
    assert_eq!(forge(&[], "git@github.com:a/b.git"), "api.github.com");
    assert_eq!(forge(&[], "https://gitlab.example/a/b"), "api.github.com");
    assert_eq!(forge(&[], "git@ghe.example:a/b.git"), "ghe.example");
    assert_eq!(forge(&[("GH_HOST", "corp.ghe.com")], "git@github.com:a/b.git"), "api.corp.ghe.com");
    assert_eq!(forge(&[("GH_REPO", "ghe.example/a/b")], ""), "ghe.example");
    assert_eq!(forge(&[("GH_HOST", "0x7f.1")], ""), "unknown");
}

#[test]
fn the_persons_registry_is_told_to_npm_unless_the_project_names_one() {
    let root = tempfile::tempdir().unwrap();
    let project = root.path().join("project");
    std::fs::create_dir_all(&project).unwrap();
    let variable = |_: &str| None;
    let told = || PersonConfig { home: Some(root.path()), variable: &variable }.npm_registry(&project);
    std::fs::write(project.join("package.json"), "{}").unwrap();
    std::fs::write(root.path().join(".npmrc"), "registry=https://mirror.example/\n//mirror.example/:_authToken=x\n")
        .unwrap();
    assert_eq!(told().as_deref(), Some("https://mirror.example/"));
    std::fs::write(project.join(".npmrc"), "registry=https://own.example/\n").unwrap();
    assert_eq!(told(), None);
    std::fs::write(project.join(".npmrc"), "fund=false\n").unwrap();
    std::fs::write(root.path().join(".npmrc"), "registry=https://ada:word@mirror.example/\n").unwrap();
    assert_eq!(told(), None);
}
