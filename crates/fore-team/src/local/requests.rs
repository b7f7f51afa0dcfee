//! Requests and decisions on one machine: a file each, written once. The decision is on record before anybody is told.

use super::{HeldPlace, LocalPlace, LocalTeam, now, put_new_json, read_json};
use crate::{
    error::{TeamError, TeamResult},
    mail::{MAX_MESSAGE_BYTES, MailBody, MessageId, TeamMessage},
    request::{DecisionDraft, DecisionOutcome, MAX_REQUESTS, PlanDecision, PlanRequest, RequestVerdict},
};
use fore_plan::{approval::RequestId, plan::Hash, team::PlanApprovalRequest};
use std::collections::HashSet;

const LOCK: &str = "requests.lock";

impl LocalTeam {
    pub(super) fn request(&self, id: &RequestId) -> TeamResult<Option<PlanRequest>> {
        let found: Option<PlanRequest> = read_json(&self.folder(&["requests"])?, &file_name(id), MAX_MESSAGE_BYTES)?;
        // Bound to the bytes: a plan that was changed in the file is no request.
        Ok(found.filter(|found| found.request == *id && found.hash == Hash::of(found.plan_content.as_bytes())))
    }

    pub(super) fn decision(&self, id: &RequestId) -> TeamResult<Option<PlanDecision>> {
        let found: Option<PlanDecision> = read_json(&self.folder(&["decisions"])?, &file_name(id), MAX_MESSAGE_BYTES)?;
        let Some(found) = found.filter(|found| found.request == *id) else { return Ok(None) };
        let Some(asked) = self.request(id)? else { return Ok(None) };
        let by_lead = found.decided_by == self.lead && asked.from != self.lead;
        let counts = found.hash == asked.hash && (by_lead || found.is_withdrawn() && found.decided_by == asked.from);
        Ok(counts.then_some(found))
    }

    pub(super) fn open_requests(&self) -> TeamResult<Vec<PlanRequest>> {
        let folder = self.folder(&["requests"])?;
        let decided: HashSet<String> = self.folder(&["decisions"])?.names(MAX_REQUESTS * 2)?.into_iter().collect();
        let mut open = Vec::new();
        for name in folder.names(MAX_REQUESTS * 2)?.into_iter().filter(|name| !decided.contains(name)) {
            let Ok(Some(found)) = read_json::<PlanRequest>(&folder, &name, MAX_MESSAGE_BYTES) else { continue };
            if file_name(&found.request) == name {
                open.extend(self.request(&found.request)?);
            }
        }
        open.sort_by(|one, other| one.at.cmp(&other.at).then_with(|| one.request.0.cmp(&other.request.0)));
        Ok(open)
    }
}

impl HeldPlace {
    fn ask_approval(&self, asked: &PlanApprovalRequest) -> TeamResult<PlanRequest> {
        if self.me == self.team.lead {
            return Err(TeamError::OwnRequest);
        }
        self.team.require_going()?;
        self.team.require_present(&self.me)?;
        let request = PlanRequest::new(asked, &self.me, now())?;
        let locked = self.team.lock(LOCK)?;
        let request = match self.team.request(&request.request)? {
            Some(known) if known.is_same(&request) => known,
            Some(_) => return Err(TeamError::RequestDiffers(request.request.0)),
            None => {
                let folder = self.team.folder(&["requests"])?;
                if folder.names(MAX_REQUESTS + 1)?.len() >= MAX_REQUESTS {
                    let then = "end this team and start a new one";
                    return Err(TeamError::Full { what: "the list of requests".to_owned(), max: MAX_REQUESTS, then });
                }
                if self.team.open_requests()?.iter().any(|open| open.from == self.me) {
                    return Err(TeamError::RequestWaits(self.me.clone()));
                }
                put_new_json(&folder, &file_name(&request.request), &request)?;
                request
            }
        };
        drop(locked);
        if self.team.decision(&request.request)?.is_none() {
            let (id, body) = (request.message_id(&self.team.team), MailBody::PlanRequest(request.message()));
            let (from, to) = (self.me.clone(), self.team.lead.clone());
            self.team.deliver(&TeamMessage { id, from, to, at: now(), body })?;
        }
        Ok(request)
    }

    /// Writes down the one decision, and tells the member; whoever is later learns which one counts.
    fn record(&self, decision: PlanDecision) -> TeamResult<DecisionOutcome> {
        let locked = self.team.lock(LOCK)?;
        let folder = self.team.folder(&["decisions"])?;
        let name = file_name(&decision.request);
        let outcome = match read_json::<PlanDecision>(&folder, &name, MAX_MESSAGE_BYTES)? {
            Some(known) if known.is_same(&decision) => DecisionOutcome::Counts(known),
            Some(known) => DecisionOutcome::TooLate(known),
            None => {
                put_new_json(&folder, &name, &decision)?;
                DecisionOutcome::Counts(decision)
            }
        };
        drop(locked);
        Ok(outcome)
    }

    fn decide(&self, draft: DecisionDraft) -> TeamResult<DecisionOutcome> {
        draft.check()?;
        self.require_lead("decide about a plan")?;
        let unknown = || TeamError::NoSuchRequest(draft.request.0.clone());
        let asked = self.team.request(&draft.request)?.ok_or_else(unknown)?;
        if asked.from == self.me {
            return Err(TeamError::OwnRequest);
        }
        if asked.hash != draft.hash {
            return Err(TeamError::OtherBytes(draft.request.0));
        }
        let DecisionDraft { request, hash, verdict, by } = draft;
        let by = Some(by);
        let outcome =
            self.record(PlanDecision { request, hash, verdict, by, decided_by: self.me.clone(), at: now() })?;
        if let DecisionOutcome::Counts(decision) = &outcome {
            let body = MailBody::PlanResponse(decision.message());
            self.tell(decision.message_id(&self.team.team), &asked.from, body)?;
        }
        Ok(outcome)
    }

    fn withdraw(&self, request: &RequestId) -> TeamResult<DecisionOutcome> {
        let asked = self.team.request(request)?.ok_or_else(|| TeamError::NoSuchRequest(request.0.clone()))?;
        if asked.from != self.me {
            return Err(TeamError::OtherRequest(request.0.clone()));
        }
        let outcome = self.close_request(&asked)?;
        if let DecisionOutcome::Counts(decision) = &outcome {
            let body = MailBody::PlanWithdrawn(request.clone());
            self.tell(decision.message_id(&self.team.team), &self.team.lead, body)?;
        }
        Ok(outcome)
    }

    pub(super) fn close_request(&self, asked: &PlanRequest) -> TeamResult<DecisionOutcome> {
        let (request, hash, verdict) = (asked.request.clone(), asked.hash, RequestVerdict::Withdrawn);
        self.record(PlanDecision { request, hash, verdict, by: None, decided_by: self.me.clone(), at: now() })
    }

    /// Says what is on record already; who left the team is told nothing.
    fn tell(&self, id: MessageId, to: &crate::name::MemberName, body: MailBody) -> TeamResult<()> {
        match self.team.deliver(&TeamMessage { id, from: self.me.clone(), to: to.clone(), at: now(), body }) {
            Ok(_) | Err(TeamError::HasLeft(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl LocalPlace {
    pub(crate) async fn ask_approval(&self, asked: PlanApprovalRequest) -> TeamResult<PlanRequest> {
        self.run(move |place| place.ask_approval(&asked)).await
    }

    pub(crate) async fn open_requests(&self) -> TeamResult<Vec<PlanRequest>> {
        self.run(|place| place.team.open_requests()).await
    }

    pub(crate) async fn decide(&self, draft: DecisionDraft) -> TeamResult<DecisionOutcome> {
        self.run(move |place| place.decide(draft)).await
    }

    pub(crate) async fn withdraw(&self, request: &RequestId) -> TeamResult<DecisionOutcome> {
        let request = request.clone();
        self.run(move |place| place.withdraw(&request)).await
    }

    pub(crate) async fn decision(&self, request: &RequestId) -> TeamResult<Option<PlanDecision>> {
        let request = request.clone();
        self.run(move |place| place.team.decision(&request)).await
    }
}

/// A request's id can hold any letters; its file is named by their hash.
fn file_name(request: &RequestId) -> String {
    format!("{}.json", Hash::of(request.0.as_bytes()))
}
