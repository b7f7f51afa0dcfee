//! `fore usage`: what answers came to on the last days, by day, model, project, session, plan or who asked. It only reads.

use crate::{
    console::{Console, plain},
    table::{Table, TableCell},
};
use anyhow::Context;
use fore_agent::{BudgetAmount, Cost, Spent};
use fore_store::UsageLine;
use jiff::Timestamp;
use serde_json::{Map, json};
use std::{collections::BTreeMap, process::ExitCode};

const MS_PER_DAY: u64 = 86_400_000;
/// Rows that are printed; the sums count all.
const MAX_ROWS: usize = 400;

/// The arguments of `fore usage`.
#[derive(Debug, clap::Args)]
pub(crate) struct UsageArgs {
    /// How many days, today included; they begin at midnight UTC.
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=400))]
    days: u16,
    /// What is told apart.
    #[arg(long, value_name = "WHAT", default_value = "day")]
    by: UsageGrouping,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum UsageGrouping {
    Day,
    Model,
    Project,
    Session,
    Plan,
    Agent,
}

impl UsageGrouping {
    fn head(self) -> &'static str {
        match self {
            UsageGrouping::Day => "DAY",
            UsageGrouping::Model => "MODEL",
            UsageGrouping::Project => "PROJECT",
            UsageGrouping::Session => "SESSION",
            UsageGrouping::Plan => "PLAN",
            UsageGrouping::Agent => "AGENT",
        }
    }

    fn of(self, line: &UsageLine) -> String {
        let or = |name: &Option<String>, none: &str| name.clone().unwrap_or_else(|| none.to_owned());
        match self {
            UsageGrouping::Day => day(line.at / MS_PER_DAY),
            UsageGrouping::Model => line.model.clone(),
            UsageGrouping::Project => line.project.clone(),
            UsageGrouping::Session => line.session.to_string(),
            UsageGrouping::Plan => or(&line.plan, "(without a plan)"),
            UsageGrouping::Agent => or(&line.agent, "(main conversation)"),
        }
    }
}

pub(crate) fn run(args: &UsageArgs) -> anyhow::Result<ExitCode> {
    let home = crate::environment::own_home()?;
    let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
    let first = (now / MS_PER_DAY).saturating_sub(u64::from(args.days) - 1);
    let (lines, _) = UsageLine::since(&home, (first, 0)).context("what was spent could not be read")?;
    let mut groups: BTreeMap<String, Spent> = BTreeMap::new();
    let mut all = Spent::default();
    for line in &lines {
        groups.entry(args.by.of(line)).or_default().extend([line]);
        all.extend([line]);
    }
    let mut screen = Console::stdout();
    if args.json {
        let rows: Map<_, _> = groups.iter().map(|(name, spent)| (name.clone(), json!(spent))).collect();
        screen.json(&json!({ "since": day(first), "by": args.by.head().to_lowercase(), "rows": rows, "all": all }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if groups.is_empty() {
        screen.line(format_args!("Nothing was spent since {}.", day(first)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(vec!["READ", "CACHED", "WRITTEN", "COST", args.by.head()]);
    for (name, spent) in groups.iter().take(MAX_ROWS) {
        table.row(cells(spent, name));
    }
    if groups.len() > 1 {
        table.row(cells(&all, "together"));
    }
    table.print(&mut screen)?;
    if let Cost::AtLeast(_) = all.cost {
        screen.line("+ and more: some answers had no known price or were not counted; model.prices sets prices.")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn cells(spent: &Spent, name: &str) -> Vec<TableCell> {
    let usage = &spent.usage;
    let mut cells: Vec<TableCell> = [usage.input, usage.cached_read, usage.output]
        .map(|tokens| TableCell::right(BudgetAmount::Tokens(tokens).to_string().replace(" tokens", "")))
        .into();
    let dollars = |dollars: f64| BudgetAmount::Dollars(dollars).to_string();
    cells.push(TableCell::right(match spent.cost {
        Cost::Nothing => "$0".to_owned(),
        Cost::Dollars(sum) => dollars(sum),
        Cost::AtLeast(sum) => format!("{}+", dollars(sum)),
    }));
    cells.push(TableCell::left(plain(name)));
    cells
}

/// `2026-11-17`.
fn day(number: u64) -> String {
    let seconds = i64::try_from(number.saturating_mul(86_400)).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).map(|moment| moment.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}
