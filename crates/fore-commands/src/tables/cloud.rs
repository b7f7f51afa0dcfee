//! Command lines of cloud providers: a known kind of thing that is listed or described is a network read, everything
//! else may change something.

use super::grammar::{CommandRow, ask, steered};
use fore_shell::{CommandKind, Finding, JudgeContext, Reach, Word};

pub(super) const ROWS: &[CommandRow] = &[
    ask(
        "aws",
        aws,
        &[
            "aws --version",
            "aws s3 ls",
            "aws s3 ls s3://b/p --recursive",
            "aws ec2 describe-instances --region x",
            "aws iam list-users --output json",
            "aws sts get-caller-identity",
            "aws s3api get-bucket-policy --bucket b",
            "aws --profile p ec2 describe-vpcs",
            "aws logs get-log-events --log-group-name x",
        ],
        &[
            "aws s3 cp a s3://b",
            "aws s3 rm s3://b/x",
            "aws ec2 run-instances",
            "aws s3api get-object --bucket b --key k out",
            "aws s3api put-object --bucket b",
            "aws configure set a b",
            "aws lambda invoke out",
            "aws --endpoint-url http://x s3 ls",
            "aws $x",
            "aws ec2 $x",
            "aws apigateway get-export --no-paginate out",
            "aws --output s3 ls rm x",
            "aws --foo ec2 describe-x",
        ],
    ),
    ask(
        "gcloud",
        gcloud,
        &[
            "gcloud --version",
            "gcloud config list",
            "gcloud compute instances list",
            "gcloud projects describe x",
            "gcloud auth list",
            "gcloud container clusters list --format=json",
        ],
        &[
            "gcloud compute instances delete x",
            "gcloud auth login",
            "gcloud config set a b",
            "gcloud compute ssh x",
            "gcloud compute instances list --log-http x",
            "gcloud builds submit",
            "gcloud compute scp list x",
            "gcloud compute scp a list",
            "gcloud compute instances list --flags-file=x",
            "gcloud --project list compute ssh x",
        ],
    ),
    ask(
        "az",
        az,
        &[
            "az --version",
            "az account show",
            "az vm list -o table",
            "az boards query --wiql x",
            "az boards work-item show --id 1",
            "az repos pr list",
            "az pipelines runs list",
        ],
        &[
            "az vm create -n x",
            "az login",
            "az group delete -n x",
            "az boards work-item update --id 1",
            "az rest --method get --uri x",
            "az account set -s x",
            "az storage blob download -f x",
            "az vm run-command list",
            "az extension list-x",
            "az vm -o list create",
        ],
    ),
    ask("fly flyctl doctl railway", hosted, &["fly --version"], &["fly deploy", "railway up"]),
    steered(
        "`package.json` and version files",
        ask(
            "heroku vercel netlify wrangler firebase",
            hosted,
            &[],
            &["vercel deploy", "heroku run ls", "wrangler publish", "wrangler --version"],
        ),
    ),
];

/// Services whose `get-…` commands print their answer and never store it.
const AWS_GETTERS: &str = "iam ec2 ssm secretsmanager logs cloudwatch budgets ce route53 sns sqs kms ecr organizations glue athena dynamodb cognito-idp events wafv2 acm lambda autoscaling cloudtrail cloudformation config elbv2 guardduty backup eks ecs rds";

const GCLOUD_GROUPS: &str = "config auth projects compute instances disks images networks subnets zones regions firewall-rules addresses snapshots machine-types container clusters node-pools run services revisions jobs sql databases functions iam roles service-accounts storage buckets pubsub topics subscriptions builds artifacts repositories secrets versions dns managed-zones record-sets app organizations billing accounts configurations instance-groups instance-templates operations";

const AZ_GROUPS: &str = "account vm vmss group boards work-item repos pr policy pipelines runs build release storage aks acr webapp functionapp network vnet nsg disk image sql db server ad sp user role assignment definition iteration area project devops team wiki page variable-group monitor resource deployment feature cosmosdb redis servicebus queue topic eventhubs public-ip nic lb dns zone plan appservice container containerapp env identity provider location";

fn prints_version(words: &[Word]) -> bool {
    matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "--help")))
}

/// The words before the first option behind them; options in front must be known and are skipped with their value.
fn names<'w>(words: &'w [Word], valued: &str) -> Option<Vec<&'w str>> {
    let mut names = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.as_literal()?;
        if !text.starts_with('-') {
            names.push(text);
        } else if !names.is_empty() {
            break;
        } else {
            let (name, attached) = text.split_once('=').map_or((text, false), |(name, _)| (name, true));
            if !valued.split(' ').any(|one| one == name) {
                return None;
            }
            if !attached {
                words.next()?.as_literal()?;
            }
        }
    }
    Some(names)
}

/// Whether one of these long options is given, abbreviated or not.
fn has_option(words: &[Word], names: &str) -> bool {
    words.iter().filter_map(Word::as_literal).any(|text| {
        let name = text.split('=').next().unwrap_or(text);
        name.len() > 3 && name.starts_with("--") && names.split(' ').any(|one| one.starts_with(name))
    })
}

fn has_opaque(words: &[Word]) -> bool {
    words.iter().any(|word| word.as_literal().is_none())
}

/// Whether the words are groups of this list followed by a reading verb.
fn lists(names: &[&str], groups: &str, verbs: &str) -> bool {
    let is = |list: &str, name: &str| list.split(' ').any(|one| one == name);
    let depth = names.iter().take_while(|name| is(groups, name) && !is(verbs, name)).count();
    depth > 0 && names.get(depth).is_some_and(|verb| is(verbs, verb))
}

fn aws(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if prints_version(words) {
        return Finding::reads();
    }
    let names = names(words, "--profile --region --output --query --color --cli-read-timeout --cli-connect-timeout");
    let steered = has_option(
        words,
        "--endpoint-url --ca-bundle --cli-input-json --cli-input-yaml --cli-auto-prompt --debug --no-verify-ssl",
    );
    let reads = match names.as_deref() {
        Some(["s3", "ls", ..] | ["sts", "get-caller-identity", ..]) => true,
        Some(["logs", "tail" | "filter-log-events", ..] | ["dynamodb", "query" | "scan"]) => true,
        Some(["configure", "list" | "list-profiles"]) => true,
        Some(["s3api", verb]) => {
            verb.starts_with("list-") || verb.starts_with("get-bucket-") || verb.starts_with("head-")
        }
        // More words would be files for the answer.
        Some([service, verb]) => {
            verb.starts_with("describe-")
                || verb.starts_with("lookup-")
                || verb.starts_with("list-")
                || (verb.starts_with("get-") && AWS_GETTERS.split(' ').any(|one| one == *service))
        }
        Some(_) | None => false,
    };
    verdict("aws", program, reads && !steered && !has_opaque(words), names.is_some())
}

fn gcloud(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if prints_version(words) || matches!(words, [only] if matches!(only.as_literal(), Some("version" | "info"))) {
        return Finding::reads();
    }
    let names = names(words, "--project --account --configuration --format --verbosity");
    let steered = has_option(
        words,
        "--flags-file --log-http --access-token-file --impersonate-service-account --out-file --output-file --destination --log-file",
    );
    let reads =
        names.as_ref().is_some_and(|names| lists(names, GCLOUD_GROUPS, "list describe get-value get-iam-policy"));
    verdict("gcloud", program, reads && !steered && !has_opaque(words), names.is_some())
}

fn az(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if prints_version(words) || matches!(words, [only] if only.as_literal() == Some("version")) {
        return Finding::reads();
    }
    let names = names(words, "--subscription --output --query -o");
    let steered = has_option(words, "--file --output-file --destination --open");
    // `az pipelines build` is a group, but `az acr build` builds what it is given.
    let builds = names
        .as_ref()
        .is_some_and(|names| names.first() != Some(&"pipelines") && names.iter().take(3).any(|name| *name == "build"));
    let reads = names.as_ref().is_some_and(|names| {
        (lists(names, AZ_GROUPS, "list show") && !builds) || matches!(names.as_slice(), ["boards", "query"])
    });
    verdict("az", program, reads && !steered && !has_opaque(words), names.is_some())
}

fn hosted(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if prints_version(words) {
        return Finding::reads();
    }
    Finding::unknown("cloud", program, format!("`{}` works on a service outside", program.source))
}

fn verdict(name: &str, program: &Word, reads: bool, known: bool) -> Finding {
    if reads {
        return Finding::network(Reach::AnyHost, name, program);
    }
    if !known {
        return Finding::unknown(
            format!("{name}.word"),
            program,
            format!("what `{name}` does is not known before it runs"),
        );
    }
    Finding::shown(
        CommandKind::Writes,
        name.to_string(),
        program,
        format!("`{name}` is not told to list or describe, so it may change something"),
    )
}
