//! Clusters and what manages them.

use super::grammar::{
    CommandRow, Grammar, NOTHING, READER, Reaches, VERBS, ValueType::*, Verbs, WORDS, always, attached, changes, flags,
    nested, output, runs_with, starts, steered, value, verb, verbs, writes_with,
};
use fore_shell::CommandKind;

const READ: Grammar = Grammar {
    options: &[
        flags(
            "-A -w -R -q --all-namespaces --watch --show-labels --no-headers --follow --previous --all-containers --timestamps --prefix --recursive --containers --namespaced --client --short --show-kind --ignore-not-found --show-managed-fields --watch-only --show-events --minify --flatten --merge --allow-missing-template-keys --quiet --list --insecure-skip-tls-verify-backend",
        ),
        attached(
            "--watch --show-labels --namespaced --client --follow --all-namespaces --ignore-not-found --show-events --recursive --minify --raw --all-containers --no-headers --previous --timestamps --containers --short",
            Text,
        ),
        value(
            "-f -l -L -o -c --filename --selector --field-selector --label-columns --output --sort-by --template --container --tail --since --since-time --limit-bytes --max-log-requests --api-group --api-version --verbs --categories --subresource --chunk-size --for --types --raw",
            Text,
        ),
        runs_with("-k --kustomize", "fetches and builds what its folder says"),
    ],
    operands: WORDS,
    ..READER
};

/// Here `-f` follows and takes no file.
const LOGS: Grammar = Grammar {
    options: &[
        flags("-f -p --follow --previous --all-containers --timestamps --prefix --ignore-errors --all-pods"),
        value("-c -l --container --selector --tail --since --since-time --limit-bytes --max-log-requests", Text),
    ],
    operands: WORDS,
    ..READER
};

/// Verbs of terraform with a form that only asks the backend.
const BACKEND: Verbs = Verbs {
    verbs: &[verb("list pull show", &Grammar { reach: Reaches::AnyHost, operands: WORDS, ..super::grammar::DASHED })],
    bare: CommandKind::Runs,
    otherwise: CommandKind::Writes,
    reach: Reaches::AnyHost,
    ..VERBS
};

pub(super) const ROWS: &[CommandRow] = &[
    verbs(
        "kubectl oc k3s-kubectl",
        &Verbs {
            options: &[
                value(
                    "-n -s --namespace --context --cluster --user --request-timeout --server -v --v --as --as-group --token",
                    Text,
                ),
                runs_with("--kubeconfig", "starts the programs its file names"),
                flags("--insecure-skip-tls-verify --warnings-as-errors"),
                writes_with("--cache-dir --profile-output --log-file --log-dir --profile", "writes files"),
            ],
            verbs: &[
                verb("logs", &LOGS),
                verb(
                    "version",
                    &Grammar {
                        reach: Reaches::Nobody,
                        check: Some(|seen, context| {
                            (!seen.has("--client"))
                                .then(|| super::catalogue::reaching(Reaches::AnyHost, seen.name, seen.program, context))
                        }),
                        ..READ
                    },
                ),
                verb("get describe top api-resources api-versions explain events", &READ),
                verb("cluster-info", &Grammar { operands: NOTHING, ..READER }),
                nested(
                    "config",
                    &Verbs {
                        verbs: &[verb(
                            "view get-contexts current-context get-clusters get-users",
                            &Grammar { reach: Reaches::Nobody, ..READ },
                        )],
                        bare: CommandKind::Reads,
                        otherwise: CommandKind::Writes,
                        reach: Reaches::Nobody,
                        ..VERBS
                    },
                ),
                nested(
                    "auth",
                    &Verbs {
                        verbs: &[verb("can-i whoami", &READ)],
                        bare: CommandKind::Unknown,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "rollout",
                    &Verbs {
                        verbs: &[verb(
                            "status history",
                            &Grammar {
                                options: &[
                                    value("--revision --timeout -o --output", Text),
                                    attached("-w --watch", Text),
                                ],
                                operands: WORDS,
                                ..READER
                            },
                        )],
                        bare: CommandKind::Unknown,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                verb(
                    "diff",
                    &Grammar {
                        options: &[value("-f -k --filename", Text)],
                        operands: NOTHING,
                        check: Some(|seen, _| {
                            Some(seen.verdict(CommandKind::Runs, "program", "starts a diff program"))
                        }),
                        ..READER
                    },
                ),
                starts(
                    "exec run debug port-forward proxy attach plugin kustomize",
                    "runs a program or opens a way into the cluster",
                ),
                changes(
                    "apply create delete edit patch replace scale set label annotate expose autoscale drain cordon uncordon taint cp rollout-restart certificate wait",
                    "changes the cluster",
                ),
            ],
            reach: Reaches::AnyHost,
            otherwise: CommandKind::Writes,
            help: super::grammar::Help::Every,
            ..VERBS
        },
        &[
            "kubectl get pods",
            "kubectl get pods -A -o wide",
            "kubectl describe pod x -n y",
            "kubectl logs -f x --tail=10",
            "kubectl config view",
            "kubectl version --client",
            "kubectl explain pod.spec",
            "kubectl -n x get svc -o json",
            "kubectl rollout status deploy/x",
            "kubectl top pods",
        ],
        &[
            "kubectl apply -f x",
            "kubectl delete pod x",
            "kubectl exec x -- ls",
            "kubectl config set-context x",
            "kubectl edit x",
            "kubectl scale x",
            "kubectl rollout restart x",
            "kubectl cp a b",
            "kubectl frob",
            "kubectl --cache-dir=x get pods",
            "kubectl cluster-info dump --output-directory=x",
            "kubectl diff -f x",
            "kubectl --kubeconfig ./x get pods",
            "kubectl get pods --kubeconfig=./x",
            "kubectl get -k ./x",
            "kubectl $x",
        ],
    ),
    verbs(
        "helm",
        &Verbs {
            options: &[
                value("-n --namespace --kube-context", Text),
                runs_with("--kubeconfig", "starts the programs its file names"),
                flags("--debug"),
            ],
            verbs: &[
                verb(
                    "version env",
                    &Grammar {
                        options: &[flags("--short --client"), value("--template", Text)],
                        operands: WORDS,
                        reach: Reaches::Nobody,
                        ..READER
                    },
                ),
                verb(
                    "list ls status history",
                    &Grammar {
                        options: &[
                            flags(
                                "-a -A -q --all --all-namespaces --short --failed --deployed --client --superseded --pending",
                            ),
                            value("-o -f -m --output --filter --max --revision --template --selector -l", Text),
                        ],
                        operands: WORDS,
                        ..READER
                    },
                ),
                nested(
                    "get",
                    &Verbs {
                        verbs: &[verb(
                            "values manifest all notes hooks metadata",
                            &Grammar {
                                options: &[flags("-a --all"), value("-o --output --revision --template", Text)],
                                operands: WORDS,
                                ..READER
                            },
                        )],
                        bare: CommandKind::Reads,
                        ..VERBS
                    },
                ),
                nested(
                    "search",
                    &Verbs {
                        verbs: &[verb(
                            "repo hub",
                            &Grammar {
                                options: &[
                                    flags("-l --versions --devel"),
                                    value("-o --output --version --max-col-width", Text),
                                ],
                                operands: WORDS,
                                ..READER
                            },
                        )],
                        bare: CommandKind::Reads,
                        ..VERBS
                    },
                ),
                nested(
                    "repo",
                    &Verbs {
                        verbs: &[verb(
                            "list",
                            &Grammar {
                                options: &[value("-o --output", Text)],
                                operands: NOTHING,
                                reach: Reaches::Nobody,
                                ..READER
                            },
                        )],
                        bare: CommandKind::Reads,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "show inspect",
                    &Verbs {
                        verbs: &[verb(
                            "values chart readme all crds",
                            &Grammar { options: &[value("--version --repo", Text)], operands: WORDS, ..READER },
                        )],
                        bare: CommandKind::Reads,
                        ..VERBS
                    },
                ),
                starts("template lint test plugin", "renders or runs what the chart says"),
                changes(
                    "install upgrade uninstall delete del rollback create package push pull fetch dependency dep registry",
                    "changes the cluster or files",
                ),
            ],
            reach: Reaches::AnyHost,
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["helm list -A", "helm status x", "helm get values x", "helm version", "helm history x"],
        &[
            "helm install x y",
            "helm upgrade x y",
            "helm uninstall x",
            "helm template x",
            "helm repo add a b",
            "helm list --post-renderer x",
            "helm list --kubeconfig ./x",
        ],
    ),
    steered(
        "`.terraform-version`, `.terraform` and the project's files",
        verbs(
            "terraform tofu",
            &Verbs {
                options: &[flags("-version -v"), value("-chdir", Text)],
                verbs: &[
                    // Which backend and which providers, the project's files say.
                    verb(
                        "output",
                        &Grammar {
                            options: &[flags("-json -no-color -raw"), value("-state", ReadPath)],
                            operands: WORDS,
                            reach: Reaches::AnyHost,
                            ..super::grammar::DASHED
                        },
                    ),
                    nested("state workspace", &BACKEND),
                    verb(
                        "fmt",
                        &Grammar {
                            options: &[flags("-check -diff -recursive -list -no-color"), output("-write")],
                            check: Some(|seen, _| {
                                // Behind a path it is one more path.
                                (!seen.has_early("-check"))
                                    .then(|| seen.verdict(CommandKind::Writes, "files", "rewrites files"))
                            }),
                            ..super::grammar::DASHED
                        },
                    ),
                    starts(
                        "version show plan validate console graph providers test metadata",
                        "runs providers of the project",
                    ),
                    changes(
                        "apply destroy init import taint untaint refresh get login logout force-unlock",
                        "changes infrastructure or files",
                    ),
                ],
                otherwise: CommandKind::Writes,
                help: super::grammar::Help::Never,
                ..VERBS
            },
            &[],
            &[
                "terraform version",
                "terraform --version",
                "terraform output",
                "terraform state list",
                "terraform fmt -check",
                "terraform apply",
                "terraform plan",
                "terraform init",
                "terraform state rm x",
                "terraform fmt",
                "terraform fmt -check=false",
                "terraform fmt . -check",
                "terraform destroy",
                "terraform workspace new x",
                "terraform show",
            ],
        ),
    ),
    steered(
        "the project's files",
        always(
            "terragrunt",
            CommandKind::Runs,
            "runs what the project's files say",
            &["terragrunt output", "terragrunt --version", "terragrunt --help"],
        ),
    ),
    verbs(
        "minikube kind k3d",
        &Verbs {
            verbs: &[
                verb(
                    "status version ip profile-list",
                    &Grammar {
                        options: &[flags("-A"), value("-p -o --profile --output", Text)],
                        operands: NOTHING,
                        ..READER
                    },
                ),
                nested(
                    "get cluster node image addons profile",
                    &Verbs {
                        verbs: &[verb(
                            "list ls clusters nodes kubeconfig",
                            &Grammar { options: &[value("--name -o --output -p", Text)], operands: WORDS, ..READER },
                        )],
                        bare: CommandKind::Unknown,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
            ],
            otherwise: CommandKind::Writes,
            reach: Reaches::Daemon("docker"),
            ..VERBS
        },
        &["minikube status", "kind get clusters"],
        &["minikube start", "kind create cluster", "minikube delete"],
    ),
];
