//! Commands as data: which options and operands each one has and what they do.
//!
//! One question stands before every row: can a file in the working folder or above it, or a variable that the cage keeps,
//! pick another program under this name or make it load code? A toolchain proxy reads `rust-toolchain.toml`, a shim reads
//! `.tool-versions`, a wrapper downloads what its properties say, a linter loads plugins. Then the row is `steered`: not even
//! `--version` is a read, because the answer may come from the repository's own program. It runs in rehearsal, quietly. Where
//! a shim stands on the search path for any other program, the facts say so ([`fore_shell::Repositories::is_shim`]).

mod archives;
mod bytes;
mod cargo;
mod changers;
mod cloud;
mod compare;
mod databases;
mod docker;
mod fetch;
mod files;
mod formats;
mod gems;
mod github;
mod go;
mod interfaces;
mod interpreters;
mod kubernetes;
mod languages;
mod linters;
mod network;
mod node;
mod packages;
mod processes;
mod python;
mod registry_option;
mod search;
mod services;
mod system;
mod text;
mod viewers;
mod wrappers;
mod xargs;

// What rows are written with.
use crate::grammar;
use fore_shell::catalogue;

/// All rows, by what the programs are for.
pub(crate) const FAMILIES: &[&[grammar::CommandRow]] = &[
    archives::ROWS,
    cargo::ROWS,
    changers::ROWS,
    cloud::ROWS,
    docker::ROWS,
    files::ROWS,
    github::ROWS,
    go::ROWS,
    interpreters::ROWS,
    kubernetes::ROWS,
    linters::ROWS,
    network::ROWS,
    node::ROWS,
    packages::ROWS,
    python::ROWS,
    search::ROWS,
    services::ROWS,
    system::ROWS,
    text::ROWS,
    viewers::ROWS,
    wrappers::ROWS,
    xargs::ROWS,
    gems::ROWS,
    fetch::ROWS,
    languages::ROWS,
    formats::ROWS,
    databases::ROWS,
    processes::ROWS,
    interfaces::ROWS,
    compare::ROWS,
    bytes::ROWS,
];
