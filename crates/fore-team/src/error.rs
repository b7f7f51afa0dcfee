//! Why the store of a team refused or could not: what was asked, why not, and what to do next.

use crate::{
    name::{MemberName, TeamName},
    task::TaskId,
};
use fore_store::StoreError;

/// What the functions of this crate give.
pub type TeamResult<T, E = TeamError> = std::result::Result<T, E>;

/// Why not. Whatever was acknowledged before is still there.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum TeamError {
    #[error(
        "`{name}` cannot be the name of a {what}: use up to 32 small letters, digits and single `-`, beginning with a letter"
    )]
    BadName { what: &'static str, name: String },

    #[error("`{0}` is not the id of a message")]
    BadId(String),

    #[error("there is no team `{team}` here{}", .nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    NoSuchTeam { team: TeamName, nearest: Option<String> },

    #[error("there is a team `{0}` already; choose another name, or open that one")]
    TeamExists(TeamName),

    #[error("team `{0}` has ended; it can be read, but nothing is added to it")]
    Ended(TeamName),

    #[error(
        "`{name}` is not on the roster of team `{team}`{}",
        .nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    )]
    NotAMember { name: MemberName, team: TeamName, nearest: Option<String> },

    #[error("`{0}` is on the roster already")]
    MemberExists(MemberName),

    #[error("`{0}` has left the team")]
    HasLeft(MemberName),

    #[error("`{name}` of team `{team}` is open in another process; end that one first, nobody is in a team twice")]
    InUse { name: MemberName, team: TeamName },

    #[error(
        "another process has taken the place of `{0}` in the team meanwhile, so this one may not write any more; end it"
    )]
    PlaceLost(MemberName),

    #[error("only the lead can {doing}; `{lead}` leads this team")]
    NotTheLead { doing: &'static str, lead: MemberName },

    #[error("{what} of {bytes} bytes is larger than the {max} that are kept; shorten it")]
    TooLarge { what: &'static str, bytes: usize, max: usize },

    #[error("{what} is full: there are {max} already; {then}")]
    Full { what: String, max: usize, then: &'static str },

    #[error("a member cannot write to itself")]
    ToItself,

    #[error("a message of this type is written by the store alone, together with the {0} that it is about")]
    NotByHand(&'static str),

    #[error("there is no request `{0}`")]
    NoSuchRequest(String),

    #[error("request `{0}` is known with another plan; a changed plan is a new request")]
    RequestDiffers(String),

    #[error("`{0}` waits for another decision already; withdraw that request first")]
    RequestWaits(MemberName),

    #[error("a plan cannot be decided by the member that asks")]
    OwnRequest,

    #[error("request `{0}` is another member's")]
    OtherRequest(String),

    #[error("the decision is about other bytes than request `{0}` shows; look at the plan again")]
    OtherBytes(String),

    #[error("there is no task {0}")]
    NoSuchTask(TaskId),

    #[error("task {task} belongs to `{owner}`")]
    TaskTaken { task: TaskId, owner: MemberName },

    #[error("nobody has task {0}; claim it first")]
    TaskFree(TaskId),

    #[error("the lead stays on the roster; end the team instead")]
    LeadStays,

    #[error("task {task} waits for {}", .needs.iter().map(|need| format!("task {need}")).collect::<Vec<_>>().join(", "))]
    TaskWaits { task: TaskId, needs: Vec<TaskId> },

    #[error("task {0} is over; add a new one")]
    TaskOver(TaskId),

    #[error("`{path}` cannot be understood: {why}; move it away, or update the program")]
    Malformed { path: String, why: String },

    #[error("the address of the team server is wrong: {0}")]
    BadServerUrl(String),

    #[error("the team server {url} did not do it: {why}; look with `fore team serve-check`")]
    Server { url: String, why: String },

    #[error("the login `{0}` is not this member of the team; the lead says on the roster which login a member has")]
    NotThisLogin(String),

    #[error("only the lead can {0}")]
    NotForThisLogin(String),

    #[error("`{0}` is open in another process; end that one first, nobody is in a team twice")]
    OpenElsewhere(MemberName),

    #[error("`{0}` is not on the roster of this team")]
    UnknownMember(MemberName),

    #[error(transparent)]
    Store(#[from] StoreError),

    #[error("the work on files was interrupted; try again")]
    Interrupted,
}
