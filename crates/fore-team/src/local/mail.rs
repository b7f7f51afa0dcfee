//! Inboxes on one machine. A message is a file: written aside, synced, renamed into `new`; handed out by renaming it into `cur`; removed when its
//! effect is on record. What is no message from a member to the owner is put aside, and holds nobody up.

use super::{HeldPlace, LocalPlace, LocalTeam, now, watch::InboxWatch};
use crate::{
    error::{TeamError, TeamResult},
    mail::{
        ClaimedMail, MAX_CLAIMED, MAX_MESSAGE_BYTES, MAX_WAITING, MailBody, MessageId, Outgoing, SendOutcome, SetAside,
        TeamMessage,
    },
    name::MemberName,
};
use fore_store::{OwnFolder, StoreError};
use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// What was put aside and is kept, for people to look at.
const MAX_REFUSED: usize = 100;

/// A member's own inbox.
#[derive(Debug)]
pub(super) struct Inbox {
    new: OwnFolder,
    cur: OwnFolder,
    refused: OwnFolder,
    watch: InboxWatch,
    /// What could not be moved out of the way; it is not looked at again.
    stuck: Mutex<HashSet<String>>,
}

impl Inbox {
    pub(super) fn open(team: &LocalTeam, name: &MemberName) -> TeamResult<Inbox> {
        let part = |part| team.folder(&["inboxes", name.as_str(), part]);
        let new = part("new")?;
        new.sweep();
        let watch = InboxWatch::new(new.path());
        Ok(Inbox { watch, cur: part("cur")?, refused: part("refused")?, new, stuck: Mutex::default() })
    }

    fn stuck(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.stuck.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names in a part of the inbox, in the order in which their messages were made.
    fn sorted(&self, part: &OwnFolder) -> TeamResult<Vec<String>> {
        let mut names = part.names(MAX_WAITING * 2)?;
        let stuck = self.stuck();
        names.retain(|name| !stuck.contains(name));
        names.sort_unstable();
        Ok(names)
    }

    /// Moves something out of the way, without opening it.
    fn set_aside(&self, part: &OwnFolder, name: &str, why: &TeamError) -> TeamResult<SetAside> {
        let mut kept = self.refused.names(MAX_REFUSED * 4)?;
        kept.sort_unstable();
        let surplus = (kept.len() + 1).saturating_sub(MAX_REFUSED);
        // A folder cannot be removed like that, and stays.
        kept.iter().take(surplus).for_each(|old| drop(self.refused.remove(old)));
        let new_name = format!("{}-{}", MessageId::fresh(), fore_text::cut::bytes(name, 120));
        let is_full = kept.len() >= MAX_REFUSED * 4;
        if is_full || part.move_to(name, &self.refused, &new_name).is_err() {
            let mut stuck = self.stuck();
            if stuck.len() < MAX_WAITING {
                stuck.insert(name.to_owned());
            }
        }
        Ok(SetAside { name: fore_text::cut::ellipsis(name, 120).into_owned(), why: why.to_string() })
    }
}

/// How many messages wait for a member.
pub(super) fn waiting(team: &LocalTeam, name: &MemberName) -> TeamResult<usize> {
    let count = |part| -> TeamResult<usize> {
        Ok(team.folder(&["inboxes", name.as_str(), part])?.names(MAX_WAITING * 2)?.len())
    };
    Ok(count("new")? + count("cur")?)
}

fn file_name(id: MessageId) -> String {
    format!("{id}.json")
}

impl LocalTeam {
    /// Puts a message into an inbox, durably.
    pub(super) fn deliver(&self, message: &TeamMessage) -> TeamResult<SendOutcome> {
        self.require_present(&message.to)?;
        let bytes = serde_json::to_vec(message).map_err(StoreError::from)?;
        if bytes.len() > MAX_MESSAGE_BYTES {
            return Err(TeamError::TooLarge { what: "a message", bytes: bytes.len(), max: MAX_MESSAGE_BYTES });
        }
        let part = |part| self.folder(&["inboxes", message.to.as_str(), part]);
        let (new, name) = (part("new")?, file_name(message.id));
        if part("cur")?.has(&name)? {
            return Ok(SendOutcome::Already);
        }
        if new.names(MAX_WAITING + 1)?.len() >= MAX_WAITING {
            let then = "it has to read first";
            return Err(TeamError::Full { what: format!("the inbox of `{}`", message.to), max: MAX_WAITING, then });
        }
        match new.put_new(&name, &bytes) {
            Ok(()) => Ok(SendOutcome::Sent),
            Err(StoreError::Exists { .. }) => Ok(SendOutcome::Already),
            Err(error) => Err(error.into()),
        }
    }
}

impl HeldPlace {
    fn send(&self, message: Outgoing) -> TeamResult<SendOutcome> {
        message.body.check_sendable()?;
        if message.to == self.me {
            return Err(TeamError::ToItself);
        }
        match &message.body {
            MailBody::ShutdownRequest(_) => self.require_lead("ask somebody to end")?,
            MailBody::TaskAssigned(_) => self.require_lead("assign a task")?,
            MailBody::Text(_)
            | MailBody::Idle(_)
            | MailBody::ShutdownResponse { .. }
            | MailBody::PlanRequest(_)
            | MailBody::PlanResponse(_)
            | MailBody::PlanWithdrawn(_) => {}
        }
        self.team.require_going()?;
        // Whoever was taken off the roster meanwhile writes to nobody.
        self.team.require_present(&self.me)?;
        let Outgoing { id, to, body } = message;
        self.team.deliver(&TeamMessage { id, from: self.me.clone(), to, at: now(), body })
    }

    fn claim(&self, most: usize) -> TeamResult<ClaimedMail> {
        let most = most.min(MAX_CLAIMED);
        let mut claimed = ClaimedMail::default();
        let left_over = self.inbox.sorted(&self.inbox.cur)?;
        for name in left_over {
            if claimed.messages.len() >= most {
                return Ok(claimed);
            }
            let is_out = message_id(&name).is_ok_and(|id| self.handed_out().contains(&id));
            if !is_out {
                self.hand_out(&name, &mut claimed)?;
            }
        }
        for name in self.inbox.sorted(&self.inbox.new)? {
            if claimed.messages.len() >= most {
                break;
            }
            if let Err(why) = message_id(&name) {
                claimed.set_aside.push(self.inbox.set_aside(&self.inbox.new, &name, &why)?);
                continue;
            }
            match self.inbox.new.move_to(&name, &self.inbox.cur, &name) {
                Ok(()) => self.hand_out(&name, &mut claimed)?,
                // The same message once more, sent again while the first one was being claimed.
                Err(StoreError::Exists { .. }) => self.inbox.new.remove(&name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(claimed)
    }

    /// Gives out what lies in `cur` under a name, or puts it aside.
    fn hand_out(&self, name: &str, claimed: &mut ClaimedMail) -> TeamResult<()> {
        match self.read_message(name) {
            Ok(message) => {
                self.handed_out().insert(message.id);
                claimed.messages.push(message);
            }
            // A disk that fails for a moment is no reason to lose a message.
            Err(error) if is_passing(&error) => return Err(error),
            Err(why) => claimed.set_aside.push(self.inbox.set_aside(&self.inbox.cur, name, &why)?),
        }
        Ok(())
    }

    fn read_message(&self, name: &str) -> TeamResult<TeamMessage> {
        let wrong = |why: &str| TeamError::Malformed { path: name.to_owned(), why: why.to_owned() };
        let bytes = self.inbox.cur.read(name, MAX_MESSAGE_BYTES)?.ok_or_else(|| wrong("it is gone"))?;
        let message: TeamMessage = serde_json::from_slice(&bytes).map_err(|error| wrong(&error.to_string()))?;
        if message.id != message_id(name)? {
            return Err(wrong("its name is not its id"));
        }
        if message.to != self.me {
            return Err(wrong("it is written to somebody else"));
        }
        if message.from == self.me || self.team.member(&message.from)?.is_none() {
            return Err(wrong("its sender is not another member"));
        }
        self.check_body(&message).map(|()| message)
    }

    /// What only the lead says, and what is said about a request, counts only where it is true.
    fn check_body(&self, message: &TeamMessage) -> TeamResult<()> {
        let wrong = |why: &str| Err(TeamError::Malformed { path: file_name(message.id), why: why.to_owned() });
        let from_lead = message.from == self.team.lead;
        match &message.body {
            MailBody::Text(_) | MailBody::Idle(_) | MailBody::ShutdownResponse { .. } => message.body.check_sendable(),
            MailBody::TaskAssigned(_) | MailBody::ShutdownRequest(_) if !from_lead => wrong("only the lead says this"),
            MailBody::TaskAssigned(_) | MailBody::ShutdownRequest(_) => message.body.check_sendable(),
            MailBody::PlanRequest(asked) => {
                let known = self.team.request(&asked.request_id)?;
                let is_known = known.is_some_and(|known| {
                    known.from == message.from && known.message() == *asked && self.me == self.team.lead
                });
                if is_known { Ok(()) } else { wrong("no such request is on record") }
            }
            MailBody::PlanResponse(answered) => {
                let taken = self.team.decision(&answered.request_id)?;
                let is_taken = from_lead
                    && taken.is_some_and(|taken| taken.decided_by == message.from && taken.message() == *answered);
                let is_mine = self.team.request(&answered.request_id)?.is_some_and(|asked| asked.from == self.me);
                if is_taken && is_mine { Ok(()) } else { wrong("no such decision was taken") }
            }
            MailBody::PlanWithdrawn(request) => {
                let taken = self.team.decision(request)?;
                let is_taken = taken.is_some_and(|taken| taken.is_withdrawn() && taken.decided_by == message.from);
                if is_taken { Ok(()) } else { wrong("no such request was withdrawn") }
            }
        }
    }

    fn done(&self, id: MessageId) -> TeamResult<()> {
        self.inbox.cur.remove(&file_name(id))?;
        self.handed_out().remove(&id);
        Ok(())
    }

    /// Whether something lies there that was not handed out.
    fn has_mail(&self) -> TeamResult<bool> {
        if !self.inbox.sorted(&self.inbox.new)?.is_empty() {
            return Ok(true);
        }
        let handed_out = self.handed_out();
        let is_out = |name: &String| message_id(name).is_ok_and(|id| handed_out.contains(&id));
        Ok(!self.inbox.sorted(&self.inbox.cur)?.iter().all(is_out))
    }
}

fn message_id(name: &str) -> TeamResult<MessageId> {
    name.strip_suffix(".json").unwrap_or_default().parse()
}

/// Whether the same file may well be read a moment later.
fn is_passing(error: &TeamError) -> bool {
    matches!(error, TeamError::Store(StoreError::Io { .. } | StoreError::Locked { .. }))
}

impl LocalPlace {
    pub(crate) async fn send(&self, message: Outgoing) -> TeamResult<SendOutcome> {
        self.run(move |place| place.send(message)).await
    }

    pub(crate) async fn claim(&self, most: usize) -> TeamResult<ClaimedMail> {
        self.run(move |place| place.claim(most)).await
    }

    pub(crate) async fn done(&self, id: MessageId) -> TeamResult<()> {
        self.run(move |place| place.done(id)).await
    }

    pub(crate) async fn wait_for_mail(&self, at_most: Duration) -> TeamResult<bool> {
        let wait = async {
            loop {
                // What comes after this is seen by the watch; what came before is seen by the look.
                self.inner.inbox.watch.forget();
                if self.run(HeldPlace::has_mail).await? {
                    return Ok(true);
                }
                self.inner.inbox.watch.changed().await;
            }
        };
        tokio::time::timeout(at_most, wait).await.unwrap_or(Ok(false))
    }
}
