//! Reads what a plan grants, against the workspace as it was when the plan was shown: what is approved is what was seen. Without
//! a session, against the workspace as it is.

use crate::{
    cancel::Cancel,
    disk::project_of,
    launch::Launch,
    proof::WorkspaceSnapshot,
    session::{call::judge, open, session_context::SessionContext},
};
use fore_plan::{
    contract::{Contract, ContractGround, ProjectTree},
    gate::Ground,
};
use fore_sandbox::{GitProbe, Opener};
use std::{path::Path, sync::Arc};

/// One workspace at one moment, for as many texts as come.
#[derive(Clone, Debug)]
pub(crate) struct PlanReader {
    tree: Arc<ProjectTree>,
}

impl PlanReader {
    /// Looks at the names of all files, once. Call it where blocking is allowed.
    pub(crate) fn here(context: &SessionContext, cancel: &Cancel) -> PlanReader {
        let opener = context.setup.opener(&context.ledger.state());
        PlanReader { tree: Arc::new(tree(&opener, &context.setup.project, cancel)) }
    }

    /// The same beside the loop.
    pub(crate) async fn beside(context: &Arc<SessionContext>, cancel: &Cancel) -> PlanReader {
        let (there, stop) = (Arc::clone(context), cancel.clone());
        let looked = context.setup.runtime.spawn_blocking(move || PlanReader::here(&there, &stop)).await;
        looked.unwrap_or_else(|_| PlanReader { tree: Arc::default() })
    }

    /// What this text grants.
    pub(crate) fn read(&self, context: &SessionContext, text: &str) -> Contract {
        judge::on_ground(&context.setup, |ground| {
            Contract::read(text, &ContractGround { gate: ground, tree: &self.tree })
        })
    }
}

fn tree(opener: &Opener, project: &Path, cancel: &Cancel) -> ProjectTree {
    let snapshot = WorkspaceSnapshot::take(opener, project, cancel);
    ProjectTree::new(snapshot.paths().filter_map(Path::to_str).map(str::to_owned))
}

/// What a plan would grant in a session that begins like this. It starts none. Call it where blocking is allowed.
pub fn contract_of(launch: &Launch, plan: &str) -> Contract {
    let project = project_of(&launch.folder);
    let (cages, held) = (open::cages(launch), open::held(launch));
    let (kernel, probe, live) = (cages.kernel(&project), GitProbe::new(Arc::clone(&cages)), held.now());
    let (rules, table) = (&live.rules, &live.settings.table);
    let ground = Ground {
        kernel: &kernel,
        home: launch.user_home.as_deref(),
        vouched: &live.settings.vouched,
        servers: &live.settings.servers,
        ..Ground::new(rules, table, &project, &probe, launch.catalogue)
    };
    let tree = tree(&open::opener(&cages, &held, &project), &project, &Cancel::default());
    Contract::read(plan, &ContractGround { gate: &ground, tree: &tree })
}
