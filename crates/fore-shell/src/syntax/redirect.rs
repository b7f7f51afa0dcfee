//! Redirections: which ones write, which ones talk to the network.

use super::{
    doubt::Doubt,
    expand::WordUse,
    script::{RawWord, Redirection, RedirectionKind},
    state::ShellState,
    walk::ScriptWalk,
};
use crate::{
    finding::{CommandKind, Finding, Reach},
    sends,
    word::Value,
};
use std::path::{Component, Path};
use std::rc::Rc;

impl<'t> ScriptWalk<'t> {
    pub(crate) fn redirections(
        &mut self,
        state: &mut ShellState<'_>,
        redirections: &[Redirection<'t>],
    ) -> Result<(), Doubt> {
        for redirection in redirections {
            let judged = self.redirection(state, redirection);
            self.absorb(judged)?;
        }
        Ok(())
    }

    fn redirection(&mut self, state: &mut ShellState<'_>, redirection: &Redirection<'t>) -> Result<(), Doubt> {
        let target = redirection.target;
        let plain_descriptor = |text: &str| {
            let digits = text.strip_suffix('-').unwrap_or(text);
            text == "-" || (!digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        };
        match redirection.kind {
            RedirectionKind::QuotedHereDocument => return Ok(()),
            RedirectionKind::HereDocument => return self.expand_body(state, target),
            RedirectionKind::HereString => return self.expand_single(state, target).map(|_| ()),
            RedirectionKind::DuplicateInput | RedirectionKind::DuplicateOutput if plain_descriptor(target.text) => {
                return Ok(());
            }
            RedirectionKind::DuplicateInput => {
                return Err(Doubt::new("redirect.descriptor", "a descriptor that is not a number")
                    .at(target.start, target.end()));
            }
            RedirectionKind::Read
            | RedirectionKind::Write
            | RedirectionKind::ReadWrite
            | RedirectionKind::DuplicateOutput => {}
        }
        let mut fields = self.expand(state, target, WordUse::Argument)?;
        let (Some(field), true) = (fields.pop(), fields.is_empty()) else {
            return Err(
                Doubt::new("redirect.target", "a redirection to not exactly one file").at(target.start, target.end())
            );
        };
        for value in field {
            match value {
                Value::Literal(path) => self.opened(state, redirection, &path),
                Value::Opaque(opaque) => self.opened_somewhere(state, redirection, &opaque.prefix),
            }
        }
        Ok(())
    }

    fn opened(&mut self, state: &ShellState<'_>, redirection: &Redirection<'t>, path: &str) {
        let target = redirection.target;
        if let Some(reach) = network(path) {
            // Even behind `<` the connection is open both ways: `>&0` would send.
            let (kind, why) = if redirection.kind == RedirectionKind::Read {
                (CommandKind::Unknown, "bash opens a network connection for this path")
            } else {
                (CommandKind::Writes, "the redirection sends to another host")
            };
            let mut finding = self.because(kind, "redirect.network", target, why);
            finding.reach.push(reach);
            self.add(finding);
            return;
        }
        let absolute = crate::paths::resolve(state.context.cwd.as_deref(), path);
        if redirection.kind == RedirectionKind::Read {
            if (path.starts_with('/') || state.elsewhere.is_empty())
                && let Some(absolute) = absolute.as_ref().and_then(|path| path.to_str())
            {
                self.add(Finding { paths: vec![absolute.to_owned()], ..Finding::reads() });
            }
            return;
        }
        let sink = matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/fd/1" | "/dev/fd/2");
        // A number behind `>&` that comes from a variable is a descriptor; everything else is a file.
        let descriptor = redirection.kind == RedirectionKind::DuplicateOutput
            && !path.is_empty()
            && path.bytes().all(|byte| byte.is_ascii_digit());
        let plan = state.context.facts.plan_file;
        let is_plan = plan.is_some()
            && absolute.as_deref() == plan
            && (path.starts_with('/') || state.elsewhere.is_empty())
            && !Path::new(path).components().any(|part| part == Component::ParentDir);
        if is_plan {
            self.add(Finding { writes_plan: true, ..Finding::reads() });
        }
        if !sink && !descriptor && !is_plan {
            met_writing(state, Some(path));
            let finding = self.because(CommandKind::Writes, "redirect", target, "the redirection writes a file");
            self.add(finding);
        }
    }

    fn opened_somewhere(&mut self, state: &ShellState<'_>, redirection: &Redirection<'t>, prefix: &str) {
        let target = redirection.target;
        let network = prefix.starts_with("/dev/tcp") || prefix.starts_with("/dev/udp");
        let finding = match redirection.kind {
            // `/dev/fd/` comes from a process substitution, whose commands are judged on their own.
            _ if prefix == "/dev/fd/" && (target.text.starts_with("<(") || target.text.starts_with(">(")) => {
                return;
            }
            RedirectionKind::Read
                if !prefix.is_empty()
                    && !network
                    && !"/dev/tcp/".starts_with(prefix)
                    && !"/dev/udp/".starts_with(prefix) =>
            {
                return;
            }
            RedirectionKind::Read => self.because(
                CommandKind::Unknown,
                "redirect.target",
                target,
                "the file is decided at run time and may be a network address",
            ),
            RedirectionKind::Write
            | RedirectionKind::ReadWrite
            | RedirectionKind::DuplicateOutput
            | RedirectionKind::DuplicateInput
            | RedirectionKind::HereString
            | RedirectionKind::HereDocument
            | RedirectionKind::QuotedHereDocument => self.because(
                CommandKind::Writes,
                "redirect",
                target,
                "the redirection writes a file whose name is decided at run time",
            ),
        };
        met_writing(state, None);
        self.add(finding);
    }

    pub(crate) fn because(&self, kind: CommandKind, rule: &str, raw: RawWord<'_>, why: &str) -> Finding {
        Finding::at(kind, rule, raw.text, self.source.span(raw.start, raw.end()), why)
    }
}

/// What the last redirection of standard input feeds it with: `None` without one, `Some(None)` for nothing at all.
pub(super) fn input(redirections: &[Redirection<'_>]) -> Option<Option<Rc<str>>> {
    let last =
        redirections.iter().rev().find(|one| one.descriptor.is_none_or(|number| number == 0) && one.kind.feeds())?;
    let text = last.target.text;
    Some(match last.kind {
        RedirectionKind::Read | RedirectionKind::ReadWrite if text == "/dev/null" => None,
        RedirectionKind::Read | RedirectionKind::ReadWrite if text.starts_with("<(") => {
            Some(sends::output_of(text.get(2..text.len().saturating_sub(1)).unwrap_or(text)).into())
        }
        RedirectionKind::Read | RedirectionKind::ReadWrite => Some(sends::sent_file(text).into()),
        RedirectionKind::HereString | RedirectionKind::HereDocument if text.contains(['$', '`']) => {
            Some("its input, which is put together at run time".into())
        }
        // Written out in the command, for everybody to see.
        RedirectionKind::HereString | RedirectionKind::HereDocument | RedirectionKind::QuotedHereDocument => None,
        RedirectionKind::DuplicateInput => Some("what comes on another descriptor".into()),
        RedirectionKind::Write | RedirectionKind::DuplicateOutput => None,
    })
}

/// A writing redirection counts as a command of its own, so that no rule that allows the command covers it.
fn met_writing(state: &ShellState<'_>, path: Option<&str>) {
    let words = vec![Some(">".to_owned()), path.map(str::to_owned)];
    state.context.met.borrow_mut().push(words);
}

fn network(path: &str) -> Option<Reach> {
    let rest = path.strip_prefix("/dev/tcp/").or_else(|| path.strip_prefix("/dev/udp/"))?;
    let (host, port) = rest.split_once('/').unwrap_or((rest, ""));
    Some(port.parse().map_or(Reach::AnyHost, |port| Reach::host(host, port)))
}
