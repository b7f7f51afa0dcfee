//! The one gate: an action and the state go in; a permit, a question or a refusal comes out.
//!
//! Order: deny rules, then the table for the mode that holds, then ask and allow rules. Allow rules never speak while
//! planning, so nothing a settings file says can widen it.

mod action;
mod commands;
mod covered;
mod drift;
mod effects;
mod explain;
mod messages;
mod parts;
mod pattern;
mod permit;
mod rule;
mod scope;
pub mod table;
mod wider;

pub use action::{Action, FileTarget, MCP_RESOURCES, McpClaims, McpPlace, Paths, ToolKind};
pub use drift::Drift;
pub use explain::{ExplainedOutcome, ExplainedPart, Explanation, explain};
pub use fore_shell::{Evidence, Span};
pub use permit::{Answerer, Granted, Permit, PermitSource, Presented, Question, Reply, Verdict};
pub use rule::{BadRule, PatternRoots, Rule, RuleEffect, Rules, ShellContents};
pub use scope::AllowScope;

use crate::{
    cage::{Cage, Contacts, Outside},
    host::{Host, HostPattern},
    mode::{Level, Mode},
    orders::gives_orders_in,
    plan::Hash,
    refusal::{Refusal, RefusalCode},
    state::State,
};
use fore_shell::{Catalogue, CommandKind, Finding, Reach, Repositories, ShellFacts};
use messages::{blocked, denied, question_text};
use std::path::{Component, Path};
use table::{CageSupport, GateCell, GateRow, TableSettings};

/// What the gate knows besides the state: rules, settings, folders, and what the kernel can do.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// What the person allows, asks and denies.
    pub rules: &'a Rules,
    /// What the table depends on.
    pub settings: &'a TableSettings,
    /// Which cages can be built.
    pub kernel: &'a CageSupport,
    /// The project folder, as a real path.
    pub project: &'a Path,
    /// The person's home folder, where it is known.
    pub home: Option<&'a Path>,
    /// Argv prefixes that the user vouches for as read-only.
    pub vouched: &'a [Vec<String>],
    /// What is known of git's repositories.
    pub repositories: &'a dyn Repositories,
    /// The programs that the shell judge knows.
    pub catalogue: &'a Catalogue,
    /// MCP servers whose word the user takes, when not planning, that a tool only reads.
    pub servers: &'a [String],
    /// Whether the person vouched for this definition of a tool, by its server and name.
    pub vouched_tool: &'a dyn Fn(&str, &str, &Hash) -> bool,
    /// What becomes of work that the approved plan does not cover, where it would only be asked about.
    pub drift: Drift,
    /// Which files are kept from the model. Only drift asks; where nobody knows, all of them are.
    pub is_secret: &'a dyn Fn(&Path) -> bool,
}

impl<'a> Ground<'a> {
    /// The least there is to know: no home, nobody vouched for or trusted, and a kernel that holds no cage.
    pub fn new(
        rules: &'a Rules,
        settings: &'a TableSettings,
        project: &'a Path,
        repositories: &'a dyn Repositories,
        catalogue: &'a Catalogue,
    ) -> Ground<'a> {
        static UNKNOWN: CageSupport = CageSupport::NONE;
        Ground {
            rules,
            settings,
            kernel: &UNKNOWN,
            project,
            home: None,
            vouched: &[],
            repositories,
            catalogue,
            servers: &[],
            vouched_tool: &|_, _, _| false,
            drift: Drift::Asked,
            is_secret: &|_| true,
        }
    }
}

impl std::fmt::Debug for Ground<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ground")
            .field("project", &self.project)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The gate's answer, with what the shell judge found if the action is a command.
#[derive(Debug)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// The row of the table that it comes from.
    pub row: GateRow,
    /// What the shell judge found.
    pub finding: Option<Finding>,
}

/// What the shell judge says of a command; none for other actions.
fn finding(state: &State, ground: &Ground<'_>, action: &Action) -> Option<Finding> {
    let Action::Run { command, cwd, .. } = action else { return None };
    let facts = ShellFacts {
        catalogue: ground.catalogue,
        cwd: Path::new(cwd),
        home: ground.home,
        plan_file: writable_plan(state).map(Path::new),
        vouched: ground.vouched,
        repositories: ground.repositories,
    };
    Some(fore_shell::judge(command, &facts))
}

/// The plan file, as long as it is being planned.
fn writable_plan(state: &State) -> Option<&str> {
    let is_planned = state.mode() == Mode::Plan && state.fallback().is_none();
    let plan = state.plan().filter(|plan| is_planned && plan.stage.is_unfinished_planning());
    plan.map(|plan| plan.path.as_str())
}

/// The plan file, if this command was judged to write it and to do nothing else. What only might be harmless never gets it.
fn plan_file(state: &State, action: &Action, cage: &Cage, finding: Option<&Finding>) -> Option<String> {
    let is_proved = finding.is_some_and(|finding| finding.writes_plan && finding.kind <= CommandKind::Network);
    let is_run = matches!(action, Action::Run { rehearse: false, .. });
    let is_caged = matches!(cage, Cage::ReadOnly { .. });
    writable_plan(state).filter(|_| is_proved && is_run && is_caged).map(str::to_owned)
}

/// Judges one action.
pub fn judge(state: &State, ground: &Ground<'_>, action: Action) -> Judgement {
    let finding = finding(state, ground, &action);
    let row = row(state, ground, &action, finding.as_ref());
    let verdict = decide(state, ground, action, row, finding.as_ref());
    Judgement { verdict, row, finding }
}

/// A permit for a command that the person typed: not the agent's doing, so no plan gate. Deny rules still hold.
pub fn typed(state: &State, ground: &Ground<'_>, action: Action, cage: Cage) -> Result<Permit, Refusal> {
    let finding = finding(state, ground, &action);
    let inside = ShellContents::of(finding.as_ref());
    match ground.rules.find(RuleEffect::Deny, &action, &inside) {
        Some(rule) => Err(denied(state, rule)),
        None => Ok(Permit::new(action, cage, None, state, PermitSource::Typed)),
    }
}

/// A permit to put a file back as it was before the agent changed it, which the person wants. Deny rules hold, and so does planning:
/// whoever plans was promised that no file changes, whoever would change it.
pub fn taken_back(state: &State, ground: &Ground<'_>, action: Action) -> Result<Permit, Refusal> {
    may_take_back(state)?;
    if !matches!(action, Action::Edit { .. } | Action::Delete { .. }) {
        return Err(Refusal {
            code: RefusalCode::UnknownTool,
            mode: state.mode(),
            rule: "undo".into(),
            reason: "only files are put back".into(),
            way_out: "Do it yourself.".into(),
        });
    }
    typed(state, ground, action, Cage::Free)
}

/// Whether files may be put back at all in this state.
pub fn may_take_back(state: &State) -> Result<(), Refusal> {
    if state.mode() != Mode::Plan {
        return Ok(());
    }
    Err(Refusal {
        code: RefusalCode::PlanEdit,
        mode: Mode::Plan,
        rule: "undo".into(),
        reason: "no file changes while planning, also not by undo".into(),
        way_out: "Leave plan mode first (Shift+Tab), then undo.".into(),
    })
}

fn decide(state: &State, ground: &Ground<'_>, action: Action, row: GateRow, finding: Option<&Finding>) -> Verdict {
    let inside = ShellContents::of(finding);
    if let Some(rule) = ground.rules.find(RuleEffect::Deny, &action, &inside) {
        return Verdict::Block(denied(state, rule));
    }
    let mode = state.mode();
    let planning = mode == Mode::Plan;
    if planning && let (Some(why), GateRow::EditPlanFile) = (state.fallback(), row) {
        return Verdict::Block(only_reads(mode, row, why));
    }
    let asks = ground.rules.find(RuleEffect::Ask, &action, &inside);
    let bypasses = state.level_beneath() == Level::BypassPermissions;
    // The plan file is what planning is for: no ask rule stands before it.
    let asks_here = !bypasses && (!planning || row != GateRow::EditPlanFile);
    let permit = |action: Action, cage: Cage, from: PermitSource| {
        let plan_file = plan_file(state, &action, &cage, finding);
        Permit::new(action, cage, plan_file, state, from)
    };
    let question = |action: Action, cage: Cage, rule: Option<&Rule>| {
        let scopes = if planning || rule.is_none() { scopes(&action, finding, planning) } else { Vec::new() };
        let is_granted = |scope: &AllowScope| state.is_allowed(&scope.key()) || is_allowed_host(scope, ground.settings);
        let kinds = if planning || rule.is_some() { Vec::new() } else { wider::kinds(ground, &action, row, finding) };
        let is_kind_granted = wider::covers(&kinds, |scope| state.is_allowed(&scope.key()));
        if rule.is_none() && (is_kind_granted || !scopes.is_empty() && scopes.iter().all(is_granted)) {
            return Verdict::Allow(permit(action, cage, PermitSource::Person));
        }
        let is_always = |scope: &AllowScope| wider::is_always_allowed(scope, ground, state);
        if wider::covers(&kinds, |scope| state.is_allowed(&scope.key()) || is_always(scope)) {
            return Verdict::Allow(permit(action, cage, PermitSource::Rule));
        }
        let always = wider::always_offered(&kinds, ground, state);
        let wider = wider::offered(kinds, ground, state);
        let effects = finding.map(effects::effects).unwrap_or_default();
        let addition = if planning { None } else { covered::addition(state, ground, &action, row) };
        let text = question_text(&action, finding, &cage);
        let text = if addition.is_some() { format!("Not in the plan. {text}") } else { text };
        let rule = rule.map(Rule::name);
        let plan_file = plan_file(state, &action, &cage, finding);
        Verdict::Ask(Question::new(permit::QuestionParts {
            action,
            cage,
            plan_file,
            state,
            row,
            rule,
            text,
            scopes,
            wider,
            addition,
            always,
            effects,
        }))
    };
    if action == Action::AmendPlan && state.contract().is_some() {
        return question(action, table::IN_PROCESS, None);
    }
    match table::cell(mode, row, &reach(&action, finding), ground.settings, ground.kernel) {
        GateCell::Block(code) => Verdict::Block(blocked(state, ground.kernel, (code, row), &action, finding)),
        GateCell::Allow(cage) => match asks {
            Some(rule) if asks_here => question(action, cage, Some(rule)),
            Some(_) | None => Verdict::Allow(permit(action, cage, PermitSource::Gate)),
        },
        GateCell::Ask(cage) if planning => match asks {
            // Bypass never widens planning: it only answers what a person could have answered yes.
            None if bypasses => Verdict::Allow(permit(action, cage, PermitSource::Gate)),
            asks => question(action, cage, asks),
        },
        GateCell::Ask(cage) => {
            let stripped = state.auto_decides().then(|| ground.rules.without_broad_allows());
            let rules = stripped.as_ref().unwrap_or(ground.rules);
            match (asks, rules.find(RuleEffect::Allow, &action, &inside)) {
                (None, Some(_)) => Verdict::Allow(permit(action, cage, PermitSource::Rule)),
                (None, None) => {
                    let covered = covered::permitted(state, ground, &action, (row, finding), &cage);
                    match covered.or_else(|| drift::permitted(state, ground, &action, (row, finding), &cage)) {
                        Some((cage, source)) => Verdict::Allow(permit(action, cage, source)),
                        None => question(action, cage, None),
                    }
                }
                (asks, _) => question(action, cage, asks),
            }
        }
    }
}

/// Reminders fail, so the plan is not written either.
fn only_reads(mode: Mode, row: GateRow, why: &str) -> Refusal {
    Refusal {
        code: RefusalCode::ReadOnlyFallback,
        mode,
        rule: row.name().into(),
        reason: format!("only reads are allowed for now, because a reminder could not be made: {why}"),
        way_out: "Read what you need; the person was told.".into(),
    }
}

fn row(state: &State, ground: &Ground<'_>, action: &Action, finding: Option<&Finding>) -> GateRow {
    match action {
        Action::Read { .. } | Action::Skill { .. } => GateRow::Read,
        Action::Search { .. } => GateRow::Search,
        Action::Fetch { .. } => GateRow::Fetch,
        Action::Think { .. } => GateRow::Think,
        Action::Edit { target, .. } if is_plan_file(state, target) => GateRow::EditPlanFile,
        Action::Edit { target, .. } if is_in_project(ground, target) => GateRow::EditProject,
        Action::Edit { .. } => GateRow::EditElsewhere,
        Action::EditNotebook { target } if is_in_project(ground, target) => GateRow::EditNotebook,
        Action::EditNotebook { .. } if state.mode() == Mode::Plan => GateRow::EditNotebook,
        Action::EditNotebook { .. } => GateRow::EditElsewhere,
        Action::Delete { .. } | Action::Move { .. } => GateRow::DeleteOrMove,
        Action::Run { rehearse: true, .. } => GateRow::ShellRehearsal,
        Action::Run { rehearse: false, .. } => GateRow::of_command(finding),
        Action::Hook { .. } => GateRow::Hook,
        Action::Agent { is_read_only: true, .. } | Action::Message { is_harmless: true, .. } => GateRow::AgentReadOnly,
        Action::Agent { is_read_only: false, .. } | Action::Message { is_harmless: false, .. } => GateRow::AgentOther,
        Action::Mcp { server, tool, claims } => match &claims.place {
            _ if !is_read_only_tool(state, ground, (server, tool), claims) => GateRow::McpOther,
            McpPlace::Process(_) => GateRow::McpReadOnly,
            McpPlace::Remote => GateRow::McpRemote,
        },
        Action::McpServer { place: McpPlace::Process(_), .. } => GateRow::McpServer,
        Action::McpServer { place: McpPlace::Remote, .. } => GateRow::McpRemote,
        Action::Todo => GateRow::Todo,
        Action::EnterPlanMode | Action::ExitPlanMode => GateRow::PlanTool,
        Action::AmendPlan => GateRow::AmendPlan,
        Action::Other { .. } => GateRow::UnknownTool,
    }
}

/// Whether a tool counts as one that only reads: its server says so, and somebody takes that word. While planning that is only the
/// person's vouch for the very definition; a server that is trusted as a whole could define its tools anew.
fn is_read_only_tool(state: &State, ground: &Ground<'_>, (server, tool): (&String, &str), claims: &McpClaims) -> bool {
    let is_vouched = claims.definition.is_some_and(|definition| (ground.vouched_tool)(server, tool, &definition));
    let is_trusted = state.mode() != Mode::Plan && ground.servers.contains(server);
    claims.says_it_only_reads() && (is_vouched || is_trusted)
}

/// The one file that may be written while planning: its real path, under its only name, asked for without detours.
fn is_plan_file(state: &State, target: &FileTarget) -> bool {
    let plan = state.plan().filter(|plan| plan.stage.is_unfinished_planning() || state.mode() != Mode::Plan);
    plan.is_some_and(|plan| {
        let has_detour = Path::new(&target.asked).components().any(|part| part == Component::ParentDir);
        let is_clear = Path::new(&plan.path).is_absolute() && !plan.path.contains(char::REPLACEMENT_CHARACTER);
        target.real == plan.path && target.is_plain() && !has_detour && is_clear
    })
}

/// A plain file of the project that is only content: to edit what others take orders from is more than an edit, and is asked for.
fn is_in_project(ground: &Ground<'_>, target: &FileTarget) -> bool {
    let Ok(inside) = Path::new(&target.real).strip_prefix(ground.project) else { return false };
    let is_straight = inside.components().all(|part| match part {
        Component::Normal(_) | Component::CurDir => true,
        Component::ParentDir | Component::RootDir | Component::Prefix(_) => false,
    });
    is_straight && !gives_orders_in(Path::new(ground.project), inside) && target.is_plain()
}

/// Whom an action wants to talk to. A host that is not known opens all public ones, for the one run that was asked about.
fn reach(action: &Action, finding: Option<&Finding>) -> Outside {
    let wanted: Vec<Reach> = match (action, finding) {
        (Action::Fetch { host: Some(host) }, _) => vec![Reach::Host(host.clone())],
        (Action::Fetch { host: None }, _) => vec![Reach::AnyHost],
        (
            Action::Mcp { claims: McpClaims { place: McpPlace::Process(hosts), .. }, .. }
            | Action::McpServer { place: McpPlace::Process(hosts), .. },
            _,
        ) => hosts.iter().cloned().map(Reach::Host).collect(),
        (_, Some(finding)) => finding.reach.clone(),
        (_, None) => Vec::new(),
    };
    let mut contacts = Contacts::default();
    let mut is_known = true;
    for reach in wanted {
        match reach {
            // A name that could mean two hosts opens neither.
            Reach::Host(host) => contacts.hosts.extend(HostPattern::of_text(&host).unwrap_or_default()),
            Reach::AnyHost => is_known = false,
            Reach::Daemon(name) => contacts.services.push(name),
        }
    }
    if is_known { Outside::named(contacts) } else { Outside::AnyPublic(contacts) }
}

/// Whether the person's settings have answered this already.
fn is_allowed_host(scope: &AllowScope, settings: &TableSettings) -> bool {
    match scope {
        AllowScope::Host(host) => Host::of_text(host).is_ok_and(|hosts| {
            hosts.iter().all(|host| settings.allowed_hosts.iter().any(|pattern| pattern.covers(host)))
        }),
        AllowScope::Service(_)
        | AllowScope::WebSearch
        | AllowScope::Command { .. }
        | AllowScope::McpTool { .. }
        | AllowScope::Edits { .. }
        | AllowScope::EditsIn { .. }
        | AllowScope::CommandsLike { .. } => false,
    }
}

/// What a yes for the whole session would cover. While planning only whom a read talks to.
fn scopes(action: &Action, finding: Option<&Finding>, planning: bool) -> Vec<AllowScope> {
    let reached = |reach: &[Reach]| -> Vec<AllowScope> {
        let scope = |reach: &Reach| match reach {
            Reach::Host(host) => Some(AllowScope::Host(host.clone())),
            Reach::Daemon(name) => Some(AllowScope::Service(name.clone())),
            Reach::AnyHost => None,
        };
        let scopes: Option<Vec<AllowScope>> = reach.iter().map(scope).collect();
        scopes.unwrap_or_default()
    };
    match (action, finding) {
        (Action::Fetch { host: Some(host) }, _) => vec![AllowScope::Host(host.clone())],
        (Action::Fetch { host: None }, _) => vec![AllowScope::WebSearch],
        // What leaves with it is another thing each time, so each time is asked.
        (Action::Run { .. }, Some(finding)) if !finding.sends.is_empty() => Vec::new(),
        (Action::Run { .. }, Some(finding)) if finding.kind <= fore_shell::CommandKind::Network => {
            reached(&finding.reach)
        }
        (Action::Run { command, cwd, .. }, _) if !planning => {
            vec![AllowScope::Command { cwd: cwd.clone(), command: command.clone() }]
        }
        (Action::Mcp { server, tool, .. }, _) if !planning => {
            vec![AllowScope::McpTool { server: server.clone(), tool: tool.clone() }]
        }
        (Action::Edit { target, .. } | Action::EditNotebook { target }, _) if !planning && target.is_plain() => {
            vec![AllowScope::Edits { path: target.real.clone() }]
        }
        _ => Vec::new(),
    }
}
