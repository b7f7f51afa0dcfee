//! In which shape a host is asked about a plan: as everything else, or as hosts of Sema know it.
//!
//! Both are answered alike, by a `plan:exit:response`.

use super::args::HostProtocol;
use fore_agent::{ApprovalAsked, Event};
use fore_plan::approval::Offer;
use serde::{Serialize, Serializer, ser::SerializeMap};

/// One line for a host.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum HostEvent<'a> {
    Own(&'a Event),
    Asked(PlainExitRequest<'a>),
}

/// `plan:exit:request` with nothing around it, its options as a map.
#[derive(Serialize)]
#[serde(tag = "event", rename = "plan:exit:request", rename_all = "camelCase")]
pub(super) struct PlainExitRequest<'a> {
    agent_id: &'a str,
    plan_file_path: &'a str,
    plan_content: &'a str,
    options: OptionMap<'a>,
}

/// What can be answered, by its word, in the order in which it is offered.
struct OptionMap<'a>(&'a [Offer]);

impl Serialize for OptionMap<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for offer in self.0 {
            map.serialize_entry(offer.value.word(), &offer.label)?;
        }
        map.end()
    }
}

impl<'a> HostEvent<'a> {
    pub(super) fn new(event: &'a Event, protocol: HostProtocol) -> HostEvent<'a> {
        match (event, protocol) {
            (Event::ApprovalAsked(ApprovalAsked { request, .. }), HostProtocol::Sema) => {
                HostEvent::Asked(PlainExitRequest {
                    agent_id: &request.agent_id,
                    plan_file_path: &request.plan_file_path,
                    plan_content: &request.plan_content,
                    options: OptionMap(&request.options),
                })
            }
            (event, HostProtocol::Forethought | HostProtocol::Sema) => HostEvent::Own(event),
        }
    }
}
