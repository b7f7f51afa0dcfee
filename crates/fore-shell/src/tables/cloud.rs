//! Command lines of cloud providers: a verb that lists or describes is a network read, everything else changes something.

use super::{
    grammar::{Row, ask},
    verdict::{because, network, unknown},
};
use crate::{
    context::Context,
    finding::{Finding, Kind, Reach},
    word::Word,
};

pub(super) const ROWS: &[Row] = &[
    ask(
        "aws",
        aws,
        &["aws --version", "aws s3 ls", "aws s3 ls s3://b/p --recursive", "aws ec2 describe-instances --region x", "aws iam list-users --output json", "aws sts get-caller-identity", "aws s3api get-bucket-policy --bucket b", "aws --profile p ec2 describe-vpcs"],
        &["aws s3 cp a s3://b", "aws s3 rm s3://b/x", "aws ec2 run-instances", "aws s3api get-object --bucket b --key k out", "aws s3api put-object --bucket b", "aws configure set a b", "aws lambda invoke out", "aws --endpoint-url http://x s3 ls", "aws $x", "aws ec2 $x", "aws ec2 describe-instances --cli-input-json file://x --generate-cli-skeleton $x"],
    ),
    ask(
        "gcloud",
        gcloud,
        &["gcloud --version", "gcloud config list", "gcloud compute instances list", "gcloud projects describe x", "gcloud auth list", "gcloud container clusters list --format=json"],
        &["gcloud compute instances delete x", "gcloud auth login", "gcloud config set a b", "gcloud compute ssh x", "gcloud compute instances list --log-http x", "gcloud builds submit"],
    ),
    ask(
        "az",
        az,
        &["az --version", "az account show", "az vm list -o table", "az boards query --wiql x", "az boards work-item show --id 1", "az repos pr list", "az pipelines runs list"],
        &["az vm create -n x", "az login", "az group delete -n x", "az boards work-item update --id 1", "az rest --method get --uri x", "az account set -s x", "az storage blob download -f x"],
    ),
    ask("heroku fly flyctl vercel netlify wrangler firebase doctl railway", hosted, &["heroku --version", "fly --version"], &["vercel deploy", "fly deploy", "heroku run ls", "wrangler publish"]),
];

fn prints_version(words: &[Word]) -> bool {
    matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "--help")))
}

/// The words that name what is done, options and their values left out; `None` when one of them is decided at run time.
fn path<'w>(words: &'w [Word], global_values: &str) -> Option<Vec<&'w str>> {
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.as_literal()?;
        if let Some(option) = text.strip_prefix('-') {
            if !names.is_empty() && names.len() > 1 {
                return Some(names);
            }
            if global_values.split(' ').any(|one| one == option.trim_start_matches('-')) && !text.contains('=') {
                words.next()?.as_literal()?;
            }
            continue;
        }
        names.push(text);
    }
    Some(names)
}

fn option_named(words: &[Word], names: &[&str]) -> bool {
    words.iter().any(|word| {
        let text = word.as_literal().unwrap_or("-");
        let name = text.split('=').next().unwrap_or(text);
        // Abbreviations are accepted by these programs.
        name.len() > 3 && name.starts_with("--") && names.iter().any(|one| one.starts_with(name))
    })
}

fn has_opaque(words: &[Word]) -> bool {
    words.iter().any(|word| word.as_literal().is_none())
}

fn aws(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else { return Finding::reads() };
    if prints_version(words) {
        return Finding::reads();
    }
    let names = path(words, "profile region output query color ca-bundle cli-read-timeout cli-connect-timeout");
    let elsewhere = option_named(words, &["--endpoint-url", "--ca-bundle", "--cli-input-json", "--cli-input-yaml", "--debug", "--no-verify-ssl"]);
    let reads = match names.as_deref() {
        Some(["s3", "ls", ..]) => true,
        Some(["s3api", "get-object" | "get-object-torrent", ..]) => false,
        Some(["configure", "list" | "list-profiles", ..]) => return Finding::reads(),
        Some(["sts", "get-caller-identity", ..]) => true,
        // These print or store fresh credentials or write their answer to a file.
        Some(["sts" | "lambda" | "polly" | "glacier" | "bedrock-runtime" | "sagemaker-runtime", ..]) => false,
        Some([_, verb, ..]) => {
            verb.starts_with("describe-") || verb.starts_with("list-") || (verb.starts_with("get-") && extra_operands(words, 2))
        }
        Some(_) | None => false,
    };
    verdict("aws", program, reads && !elsewhere && !has_opaque(words), names.is_some())
}

/// Whether there are no more words than `expected` outside of options and their values: one more could be an output file.
fn extra_operands(words: &[Word], expected: usize) -> bool {
    let mut count = 0;
    let mut after_option = false;
    for text in words.iter().filter_map(Word::as_literal) {
        if text.starts_with('-') {
            after_option = !text.contains('=');
        } else if after_option {
            after_option = false;
        } else {
            count += 1;
        }
    }
    count <= expected
}

fn gcloud(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else { return Finding::reads() };
    if prints_version(words) || matches!(words, [only] if matches!(only.as_literal(), Some("version" | "info"))) {
        return Finding::reads();
    }
    let names = path(words, "project account configuration format filter region zone verbosity");
    let steers = option_named(words, &["--flags-file", "--log-http", "--access-token-file", "--impersonate-service-account", "--user-output-enabled"]);
    let reads = names.as_ref().is_some_and(|names| {
        let verb = names.iter().position(|name| matches!(*name, "list" | "describe" | "get-value" | "get-iam-policy"));
        verb.is_some_and(|at| at > 0 && names.iter().take(at).all(|name| !matches!(*name, "ssh" | "run" | "submit" | "deploy" | "create" | "delete" | "update" | "set" | "add" | "remove" | "alpha" | "beta")))
    });
    verdict("gcloud", program, reads && !steers && !has_opaque(words), names.is_some())
}

fn az(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else { return Finding::reads() };
    if prints_version(words) || matches!(words, [only] if only.as_literal() == Some("version")) {
        return Finding::reads();
    }
    let names = path(words, "subscription output query o");
    let steers = option_named(words, &["--file", "--output-file", "--destination"]);
    let reads = names.as_ref().is_some_and(|names| {
        let verb = names.iter().position(|name| matches!(*name, "list" | "show" | "query"));
        let early = |at: usize| names.iter().take(at).any(|name| matches!(*name, "create" | "delete" | "update" | "set" | "add" | "remove" | "invoke" | "run-command" | "rest" | "ssh" | "login" | "extension" | "config"));
        verb.is_some_and(|at| at > 0 && !early(at))
    });
    verdict("az", program, reads && !steers && !has_opaque(words), names.is_some())
}

fn hosted(argv: &[Word], _: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else { return Finding::reads() };
    if prints_version(words) {
        return Finding::reads();
    }
    unknown("cloud".into(), program, format!("`{}` works on a service outside", program.source))
}

fn verdict(name: &str, program: &Word, reads: bool, known: bool) -> Finding {
    if reads {
        return network(Reach::AnyHost, name, program);
    }
    if !known {
        return unknown(format!("{name}.word"), program, format!("what `{name}` does is decided at run time"));
    }
    because(Kind::Writes, name.to_string(), program, format!("`{name}` is not told to list or describe, so it may change something"))
}
