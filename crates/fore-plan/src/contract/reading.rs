//! Goes through a plan once and collects what it grants.

use super::clause::{PathMention, Surroundings};
use super::ground::{ContractGround, MeantPath};
use super::near;
use super::section::{self, ListMarker, SectionKind, label, section};
use super::shell_text::{self, commands};
use super::spelling::{Spelling, spelled};
use super::{
    CommandGrant, Contract, FileGrant, MAX_AGAIN, MAX_GRANTS, MAX_NOT_GRANTED, NamedAgain, NotGranted,
    NotGrantedReason, PathShape, PlannedChange,
};
use crate::plan::MAX_PLAN_BYTES;
use crate::plan::citation::{bare, cited_paths};
use crate::plan::outline::{Fragment, FragmentKind, Outline};
use pulldown_cmark::HeadingLevel;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Behind more text than this nothing is first.
const MAX_LABEL_LINE: usize = 200;
/// How much of something that is not granted is kept: every path as a whole.
const MAX_NAMED_CHARS: usize = 600;

pub(super) fn read(plan: &str, ground: &ContractGround<'_>) -> Contract {
    let plan = fore_text::cut::bytes(plan, MAX_PLAN_BYTES);
    let outline = Outline::of(plan);
    let mut reader = ContractReader {
        plan,
        ground,
        lines: line_contexts(&outline),
        contract: Contract::default(),
        files: HashMap::new(),
        commands: HashMap::new(),
        denied: HashMap::new(),
        last: None,
        folder: None,
    };
    let mut blocks = outline.blocks.iter().peekable();
    for fragment in &outline.fragments {
        while let Some(block) = blocks.next_if(|block| block.line < fragment.line) {
            reader.block(block.line, block.language.as_deref(), block.is_closed, &block.text, block.first);
        }
        reader.fragment(fragment);
    }
    for block in blocks {
        reader.block(block.line, block.language.as_deref(), block.is_closed, &block.text, block.first);
    }
    reader.finish()
}

/// What holds for a line by the headings and labels above it.
#[derive(Clone, Copy, Debug, Default)]
struct LineContext {
    section: Option<SectionKind>,
    /// The line, or the label it stands beneath, says "run this".
    is_run: bool,
}

/// A label that is open, and how far in it stands.
struct OpenLabel {
    indent: usize,
    marker: ListMarker,
    context: LineContext,
}

fn line_contexts(outline: &Outline<'_>) -> Vec<LineContext> {
    let title = title(outline);
    let mut headings: Vec<(HeadingLevel, Option<SectionKind>)> = Vec::new();
    let mut labels: Vec<OpenLabel> = Vec::new();
    let mut next = outline.headings.iter().peekable();
    let mut of_title = None;
    let mut is_after_blank = false;
    let mut was_code = false;
    let mut contexts = Vec::with_capacity(outline.lines.len());
    for line in &outline.lines {
        let heading = next.next_if(|heading| heading.line <= line.number);
        // One that nobody sees ends nothing.
        if let Some(heading) = heading.filter(|heading| section::is_seen(&heading.text)) {
            headings.retain(|(level, _)| *level < heading.level);
            let kind = section(&heading.text);
            let is_title = title == Some(heading.line);
            // Of what stands right beneath it the plan's name may say that it stays; of all sections it says nothing.
            of_title = kind.filter(|kind| is_title && kind.leaves_alone());
            headings.push((heading.level, kind.filter(|_| !is_title)));
            labels.clear();
            contexts.push(LineContext { section: of_headings(&headings), is_run: false });
            is_after_blank = false;
            continue;
        }
        let is_blank = !section::is_seen(line.text);
        if !(is_blank || line.is_code && was_code) {
            let indent = line.text.len().saturating_sub(line.text.trim_start().len());
            let marker = section::marker(line.text);
            let found = if line.is_code { None } else { label(line.text) };
            let follows = marker != ListMarker::None || line.is_code || !is_after_blank;
            let goes_on = |open: &OpenLabel| {
                let is_next = open.marker == ListMarker::Number && marker == ListMarker::Number;
                let is_below = open.marker != ListMarker::Bullet && follows && indent >= open.indent;
                indent > open.indent || is_below && !is_next && (found.is_none() || marker != ListMarker::None)
            };
            while labels.pop_if(|open| !goes_on(open)).is_some() {}
            if let Some(found) = found {
                let context = LineContext { section: section(found.text), is_run: is_run(found.text) };
                labels.push(OpenLabel { indent, marker, context });
            }
        }
        contexts.push(of_labels(of_headings(&headings).or(of_title), &labels));
        is_after_blank = is_blank;
        was_code = line.is_code;
    }
    contexts
}

/// A heading above all others is the plan's name, and says nothing about sections.
fn title(outline: &Outline<'_>) -> Option<usize> {
    let (first, rest) = outline.headings.split_first()?;
    (!rest.is_empty() && rest.iter().all(|heading| heading.level > first.level)).then_some(first.line)
}

fn of_headings(headings: &[(HeadingLevel, Option<SectionKind>)]) -> Option<SectionKind> {
    let kinds = || headings.iter().filter_map(|(_, kind)| *kind);
    let innermost = headings.last().and_then(|(_, kind)| *kind);
    kinds()
        .find(|kind| matches!(kind, SectionKind::NotGranted(_)))
        .or(innermost)
        // That files go holds for its own lines alone.
        .or_else(|| kinds().rfind(|kind| *kind != SectionKind::Deletions))
}

fn of_labels(heading: Option<SectionKind>, labels: &[OpenLabel]) -> LineContext {
    if let Some(SectionKind::NotGranted(_)) = heading {
        return LineContext { section: heading, is_run: false };
    }
    let kinds = || labels.iter().filter_map(|label| label.context.section);
    let refused = kinds().find(|kind| matches!(kind, SectionKind::NotGranted(_)));
    LineContext {
        section: refused.or_else(|| kinds().next_back()).or(heading),
        is_run: refused.is_none() && labels.last().is_some_and(|label| label.context.is_run),
    }
}

/// `Run:`, `Command:`, `Run in the web folder:`
fn is_run(label: &str) -> bool {
    let first = label.split_whitespace().next().unwrap_or_default();
    ["run", "rerun", "re-run", "command", "commands", "execute"].iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// A path that was just read, in case the next one is its new name.
struct LastPath {
    path: String,
    is_there: bool,
    said: PathMention,
    /// What lies behind it in the plan.
    end: usize,
    block: usize,
}

/// Where a grant stands, and how sure it is.
#[derive(Clone, Copy)]
struct GrantPlace {
    at: usize,
    /// The plan says what is to happen with it.
    is_explicit: bool,
}

struct ContractReader<'a> {
    plan: &'a str,
    ground: &'a ContractGround<'a>,
    lines: Vec<LineContext>,
    contract: Contract,
    files: HashMap<String, GrantPlace>,
    commands: HashMap<String, usize>,
    /// Places in what is not granted.
    denied: HashMap<String, usize>,
    last: Option<LastPath>,
    /// Of the last path, with its paragraph.
    folder: Option<(usize, String)>,
}

impl ContractReader<'_> {
    fn context(&self, line: usize) -> LineContext {
        line.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or_default()
    }

    fn block(&mut self, line: usize, language: Option<&str>, is_closed: bool, text: &str, first: usize) {
        let context = self.context(line);
        let runs = context.is_run || context.section == Some(SectionKind::Commands);
        let is_shell = match language {
            Some("") | None => runs || shell_text::has_prompts(text),
            Some(language) => shell_text::is_shell(language),
        };
        if !is_shell {
            return;
        }
        for command in commands(text, first, self.ground.gate.project) {
            if is_closed && !command.is_lost {
                self.command(command.line, &command.text);
            } else {
                // Nobody can say where the commands end and the plan goes on, or in which folder they would run.
                self.deny(&command.text, command.line, NotGrantedReason::Unreadable);
            }
        }
    }

    fn fragment(&mut self, fragment: &Fragment) {
        match fragment.kind {
            FragmentKind::Html => self.html(fragment),
            FragmentKind::Link => self.link(fragment),
            FragmentKind::CodeSpan | FragmentKind::Prose if fragment.is_in_link => {}
            FragmentKind::CodeSpan => self.code(fragment),
            FragmentKind::Prose => self.prose(fragment),
        }
    }

    /// What stands in a remark or a tag is not seen by everybody.
    fn html(&mut self, fragment: &Fragment) {
        for word in fragment.text.split(|c: char| c.is_whitespace() || matches!(c, '`' | '<' | '>' | '"' | '\'' | ','))
        {
            if let Spelling::Paths(paths) = spelled(word, self.ground.gate.project) {
                for (path, _) in paths.into_iter().filter(|(path, _)| path.contains('/')) {
                    self.deny(&path, fragment.line, NotGrantedReason::Hidden);
                }
            }
        }
    }

    fn link(&mut self, fragment: &Fragment) {
        let project = self.ground.gate.project;
        let (target, shown) = (spelled(&fragment.text, project), spelled(&fragment.label, project));
        let is_same = match (&target, &shown) {
            (Spelling::Paths(target), Spelling::Paths(shown)) => match (target.as_slice(), shown.as_slice()) {
                ([(target, _)], [(shown, _)]) => {
                    target.strip_suffix(shown.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                }
                _ => false,
            },
            _ => false,
        };
        if is_same {
            let around = Surroundings::new(self.plan, &fragment.span, fragment.block);
            return self.spelling(target, fragment, fragment.span.clone(), &around);
        }
        for spelling in [target, shown] {
            if let Spelling::Paths(paths) = spelling {
                for (path, _) in paths {
                    self.deny(&path, fragment.line, NotGrantedReason::LinkDiffers);
                }
            }
        }
    }

    fn code(&mut self, fragment: &Fragment) {
        let context = self.context(fragment.line);
        let text = shell_text::without_prompt(&fragment.text).unwrap_or(&fragment.text).trim();
        let around = Surroundings::new(self.plan, &fragment.span, fragment.block);
        let is_checked = context.section == Some(SectionKind::Commands);
        let cue = if text.contains(' ') || shell_text::is_command(text) { around.run_cue() } else { None };
        let is_first = || text.contains(' ') && self.is_first(fragment);
        let is_command = match (context.is_run, is_checked, &cue) {
            (true, ..) => shell_text::is_command(text) || is_first(),
            (false, true, _) => shell_text::is_command(text) || is_first() && shell_text::may_be_command(text),
            (false, false, Some(_)) => shell_text::is_command(text),
            (false, false, None) => false,
        };
        if !is_command {
            let spelling = spelled(&fragment.text, self.ground.gate.project);
            return self.spelling(spelling, fragment, fragment.span.clone(), &around);
        }
        match cue {
            _ if fragment.is_struck => self.deny(text, fragment.line, NotGrantedReason::OutOfScope),
            Some(PathMention::NotGranted(why)) => self.deny(text, fragment.line, why),
            // A label or heading says to run it; what stands behind it takes that back.
            None if around.says_not_to_run() => self.deny(text, fragment.line, NotGrantedReason::OutOfScope),
            Some(PathMention::Changed | PathMention::Deleted | PathMention::Moved | PathMention::Silent) | None => {
                self.command(fragment.line, text);
            }
        }
    }

    /// No other code and no sentence stands before it: a label, a number, or nothing.
    fn is_first(&self, fragment: &Fragment) -> bool {
        let before = self.plan.get(fragment.block..fragment.span.start).unwrap_or_default();
        let has_words = before.chars().any(char::is_alphabetic) && label(before).is_none();
        before.len() <= MAX_LABEL_LINE && !before.contains('`') && !has_words
    }

    fn prose(&mut self, fragment: &Fragment) {
        let context = self.context(fragment.line);
        let line = self.plan.get(fragment.span.clone()).unwrap_or_default();
        if context.is_run
            && !fragment.is_struck
            && let Some(found) = label(line)
            && is_run(found.text)
            && shell_text::is_command(found.rest)
        {
            self.command(fragment.line, found.rest);
            return;
        }
        let mut from = 0;
        for path in cited_paths(FragmentKind::Prose, &fragment.text) {
            let at = fragment.text.get(from..).and_then(|rest| rest.find(&path)).map_or(from, |at| from + at);
            from = at + path.len();
            let start = fragment.span.start + at;
            let span = start..start + path.len();
            let spelling = spelled(&path, self.ground.gate.project);
            let around = Surroundings::new(self.plan, &span, fragment.block);
            self.spelling(spelling, fragment, span, &around);
        }
        self.names(fragment);
    }

    /// A name without a folder in running text is a file only if there is one and the plan says that it changes, or if the plan
    /// says in so many words that it is made.
    fn names(&mut self, fragment: &Fragment) {
        let mut end = 0;
        for word in fragment.text.split_whitespace().filter(|word| word.contains('.')) {
            let at = fragment.text.get(end..).and_then(|rest| rest.find(word)).map_or(end, |at| end + at);
            end = at + word.len();
            let name = bare(word);
            if name.contains('/') || !name.contains('.') {
                continue;
            }
            let start = fragment.span.start + at + word.find(name).unwrap_or_default();
            let span = start..start + name.len();
            let around = Surroundings::new(self.plan, &span, fragment.block);
            let is_file = if self.ground.has_name(name) {
                let section = self.context(fragment.line).section;
                matches!(section, Some(SectionKind::Changes | SectionKind::NewFiles))
                    || around.mention() != PathMention::Silent
            } else {
                around.clearly_makes()
            };
            if is_file {
                let spelling = spelled(name, self.ground.gate.project);
                self.spelling(spelling, fragment, span, &around);
            }
        }
    }

    fn spelling(&mut self, spelling: Spelling, fragment: &Fragment, span: Range<usize>, around: &Surroundings) {
        let paths = match spelling {
            Spelling::NoPath => return,
            Spelling::Refused(why) => return self.deny(fragment.text.trim(), fragment.line, why),
            Spelling::MaybePath(path) if self.ground.is_there(&path) => vec![(path, PathShape::File)],
            Spelling::MaybePath(path) if self.ground.gives_orders(&path) => {
                return self.deny(&path, fragment.line, NotGrantedReason::GivesOrders);
            }
            Spelling::MaybePath(_) => return,
            Spelling::Paths(paths) => paths,
        };
        let context = self.context(fragment.line);
        let said = match (context.section, around.mention()) {
            _ if fragment.is_struck => PathMention::NotGranted(NotGrantedReason::OutOfScope),
            // That it stays as it is says more than that the section only points to it.
            (Some(SectionKind::NotGranted(_)), PathMention::NotGranted(NotGrantedReason::OutOfScope)) => {
                PathMention::NotGranted(NotGrantedReason::OutOfScope)
            }
            (Some(SectionKind::NotGranted(why)), _) => PathMention::NotGranted(why),
            (Some(SectionKind::Deletions), PathMention::Silent) => PathMention::Deleted,
            (Some(SectionKind::Changes | SectionKind::NewFiles), PathMention::Silent) => PathMention::Changed,
            (_, said) => said,
        };
        let is_made = || context.section == Some(SectionKind::NewFiles) || around.says_new();
        let may_be_new = said == PathMention::Changed && is_made();
        for (path, shape) in paths {
            self.path((&path, shape), said, may_be_new, fragment, &span);
        }
    }

    fn path(
        &mut self,
        (path, shape): (&str, PathShape),
        said: PathMention,
        may_be_new: bool,
        fragment: &Fragment,
        span: &Range<usize>,
    ) {
        let is_explicit = matches!(said, PathMention::Changed | PathMention::Deleted | PathMention::Moved);
        let may_be_new = may_be_new || self.is_new_name(span, fragment.block);
        let beside = self.beside(path, is_explicit, fragment.block).filter(|_| shape == PathShape::File);
        let meant = match self.ground.meant(beside.as_deref().unwrap_or(path), shape, may_be_new || beside.is_some()) {
            Ok(meant) => meant,
            Err(why) if said == PathMention::NotGranted(NotGrantedReason::OutOfScope) => {
                return self.leave_alone((path, shape), why, fragment.line);
            }
            // A word with a dot in it is a file only if there is one.
            Err(NotGrantedReason::NotFound) if !is_explicit => return,
            Err(why) => return self.deny(path, fragment.line, why),
        };
        self.folder = Some((fragment.block, near::folder(&meant.path).to_owned()));
        if let PathMention::NotGranted(why) = said {
            self.last = None;
            return self.deny(&meant.path, fragment.line, why);
        }
        if self.moves_here(&meant, span, fragment) {
            return;
        }
        let change = match (said, meant.is_there) {
            (PathMention::Deleted, _) => PlannedChange::Delete,
            (_, true) => PlannedChange::Change,
            (_, false) => PlannedChange::New,
        };
        self.last = Some(LastPath {
            path: meant.path.clone(),
            is_there: meant.is_there,
            said,
            end: span.end,
            block: fragment.block,
        });
        let grant = FileGrant { path: meant.path, shape: meant.shape, change, line: line_number(fragment.line) };
        self.grant_file(grant, is_explicit);
    }

    /// What the plan leaves alone under a name that means no single file: all that could be meant by it.
    fn leave_alone(&mut self, (path, shape): (&str, PathShape), why: NotGrantedReason, line: usize) {
        let (named, why) = match (why, shape) {
            (NotGrantedReason::Ambiguous | NotGrantedReason::NotFound, PathShape::File) => {
                (format!("**/{path}"), NotGrantedReason::OutOfScope)
            }
            (NotGrantedReason::TooBroad, _) if path.is_empty() => ("**".to_owned(), NotGrantedReason::OutOfScope),
            (NotGrantedReason::TooBroad, _) => (path.to_owned(), NotGrantedReason::OutOfScope),
            (why, _) => (path.to_owned(), why),
        };
        self.deny(&named, line, why);
    }

    /// `src/api/users.ts`, `posts.ts`: a name alone means the folder before it, where nothing else is called like that.
    fn beside(&self, name: &str, is_explicit: bool, block: usize) -> Option<String> {
        let (_, folder) = self.folder.as_ref().filter(|(known, folder)| *known == block && !folder.is_empty())?;
        let path = format!("{folder}/{name}");
        let is_new = is_explicit && !self.ground.has_name(name);
        (!name.contains('/') && (is_new || self.ground.is_there(&path))).then_some(path)
    }

    /// What stands between the last path and this one, if both are of one paragraph.
    fn between(&self, span: &Range<usize>, block: usize) -> Option<(&LastPath, &str)> {
        let last = self.last.as_ref().filter(|last| last.block == block)?;
        let between = self.plan.get(last.end..span.start)?;
        Some((last, between.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '|' | '*'))))
    }

    fn is_new_name(&self, span: &Range<usize>, block: usize) -> bool {
        self.between(span, block).is_some_and(|(last, between)| match between {
            "→" | "->" | "=>" => last.is_there,
            "to" | "into" | "as" | "under" => last.said == PathMention::Moved,
            _ => false,
        })
    }

    /// Whether this is the new name of the path before it; then that grant says so, and this one needs none.
    fn moves_here(&mut self, meant: &MeantPath, span: &Range<usize>, fragment: &Fragment) -> bool {
        if !self.is_new_name(span, fragment.block) || (meant.is_there && meant.shape == PathShape::File) {
            return false;
        }
        let Some(last) = self.last.take() else { return false };
        let Some(at) = self.files.get(&last.path).map(|place| place.at) else { return false };
        let shape = self.contract.files.get(at).map(|grant| grant.shape);
        let name = super::ground::last_name(&last.path);
        let to = match (meant.shape, shape) {
            (PathShape::Folder, Some(PathShape::File)) => format!("{}/{name}", meant.path),
            (PathShape::File | PathShape::Folder | PathShape::Glob, _) => meant.path.clone(),
        };
        // The folder may be harmless, and the name in it obeyed.
        if self.ground.gives_orders(&to) {
            self.deny(&to, fragment.line, NotGrantedReason::GivesOrders);
            return true;
        }
        let Some(grant) = self.contract.files.get_mut(at) else { return false };
        grant.change = PlannedChange::Move { to };
        true
    }

    fn grant_file(&mut self, grant: FileGrant, is_explicit: bool) {
        let Some(place) = self.files.get_mut(&grant.path) else {
            if self.contract.files.len() >= MAX_GRANTS {
                return self.deny_number(grant.line);
            }
            self.files.insert(grant.path.clone(), GrantPlace { at: self.contract.files.len(), is_explicit });
            self.contract.files.push(grant);
            return;
        };
        let Some(known) = self.contract.files.get_mut(place.at) else { return };
        let mut again = grant.line;
        if is_explicit && !place.is_explicit {
            again = known.line;
            *place = GrantPlace { is_explicit, ..*place };
            *known = grant.clone();
        }
        self.again(grant.path, again);
    }

    fn again(&mut self, named: String, line: u32) {
        if self.contract.named_again.len() < MAX_AGAIN {
            self.contract.named_again.push(NamedAgain { named, line });
        }
    }

    fn command(&mut self, line: usize, text: &str) {
        if let Some(SectionKind::NotGranted(why)) = self.context(line).section {
            return self.deny(text, line, why);
        }
        let text = text.trim();
        if self.commands.contains_key(text) {
            return self.again(text.to_owned(), line_number(line));
        }
        if self.contract.commands.len() >= MAX_GRANTS {
            return self.deny_number(line_number(line));
        }
        match self.ground.command(text) {
            Ok(grant) => {
                self.commands.insert(grant.command.clone(), self.contract.commands.len());
                self.contract.commands.push(CommandGrant { line: line_number(line), ..grant });
            }
            Err(why) => self.deny(text, line, why),
        }
    }

    fn deny(&mut self, named: &str, line: usize, why: NotGrantedReason) {
        let named = crate::reminder::one_line(named, MAX_NAMED_CHARS);
        let full = self.contract.not_granted.len() >= MAX_NOT_GRANTED;
        match self.denied.get(&named).and_then(|at| self.contract.not_granted.get_mut(*at)) {
            // What is left alone is more than only pointed to.
            Some(known) => known.why = known.why.min(why),
            None if full && why == NotGrantedReason::OutOfScope => self.deny_instead(named, line_number(line)),
            None if full => {}
            None => {
                self.denied.insert(named.clone(), self.contract.not_granted.len());
                self.contract.not_granted.push(NotGranted { named, line: line_number(line), why });
            }
        }
    }

    /// What the plan leaves alone takes the place of something that it only points to.
    fn deny_instead(&mut self, named: String, line: u32) {
        let is_less = |refused: &&mut NotGranted| refused.why != NotGrantedReason::OutOfScope;
        let Some(place) = self.contract.not_granted.iter_mut().rev().find(is_less) else {
            self.contract.leaves_more_alone = true;
            return;
        };
        let refused = NotGranted { named: named.clone(), line, why: NotGrantedReason::OutOfScope };
        let before = std::mem::replace(place, refused);
        if let Some(at) = self.denied.remove(&before.named) {
            self.denied.insert(named, at);
        }
    }

    /// One line for all that is too much.
    fn deny_number(&mut self, line: u32) {
        self.deny("…", usize::try_from(line).unwrap_or_default(), NotGrantedReason::TooMany);
    }

    /// Where a plan names something both ways: what it says to change is granted, and what it leaves alone is not, unless it
    /// says in so many words that it is changed.
    fn finish(mut self) -> Contract {
        let left_alone = |contract: &Contract, denied: &HashMap<String, usize>, path: &str| {
            let found = denied.get(path).and_then(|at| contract.not_granted.get(*at));
            found.is_some_and(|found| found.why == NotGrantedReason::OutOfScope)
        };
        let mut contract = std::mem::take(&mut self.contract);
        let (files, denied) = (&self.files, &self.denied);
        let is_explicit = |path: &str| files.get(path).is_some_and(|place| place.is_explicit);
        let lost: HashSet<String> =
            files.keys().filter(|path| left_alone(&contract, denied, path) && !is_explicit(path)).cloned().collect();
        contract.files.retain(|grant| !lost.contains(&grant.path));
        contract.named_again.retain(|again| !lost.contains(&again.named));
        let is_granted =
            |named: &str| (files.contains_key(named) && !lost.contains(named)) || self.commands.contains_key(named);
        contract.not_granted.retain(|refused| !is_granted(&refused.named));
        contract
    }
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}
