//! Who is in a cage and what they take: counts processes, threads and memory, and says when it is too much. Ends nobody.

use crate::blueprint::Bounds;
use crate::job::Ending;
use crate::sys;
use rustix::fs::OFlags;
use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;

/// What the machine says of its memory, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MachineMemory {
    pub(super) total: u64,
    pub(super) available: u64,
    /// In memory files and shared mappings, which belong to no process.
    pub(super) shared: u64,
}

impl MachineMemory {
    pub(super) fn now() -> MachineMemory {
        let mut memory = MachineMemory::default();
        for line in std::fs::read_to_string("/proc/meminfo").unwrap_or_default().lines() {
            let mut words = line.split_whitespace();
            let (name, number) = (words.next(), words.next().and_then(|number| number.parse::<u64>().ok()));
            let bytes = number.unwrap_or(0).saturating_mul(1024);
            match name {
                Some("MemTotal:") => memory.total = bytes,
                Some("MemAvailable:") => memory.available = bytes,
                Some("Shmem:") => memory.shared = bytes,
                _ => {}
            }
        }
        memory
    }

    /// So little left that soon somebody innocent would be ended.
    fn is_short(self) -> bool {
        self.available < (self.total / 25).min(1 << 30)
    }
}

/// Should the machine run out of memory in spite of all bounds, the kernel takes this process and those it starts first. Nobody in
/// the cage can take that back: `/proc` is read-only there.
pub(super) fn go_first_when_memory_ends() {
    let told = sys::open(c"/proc/self/oom_score_adj", OFlags::WRONLY);
    // Where this cannot be said, the kernel chooses by size.
    let _ = told.and_then(|fd| std::io::Write::write_all(&mut std::fs::File::from(fd), b"1000"));
}

/// Whether the processes of this cage are too many or too big. Sees only them, thanks to the private `/proc`.
///
/// The kernel's own process limit does not bind root, and no limit of it counts memory over several processes. Memory that belongs
/// to no process (memory files, shared mappings) can only be told by what the whole machine has more of than before.
pub(super) fn of_all(bounds: &Bounds, shared_before: u64) -> Option<Ending> {
    // A guard that cannot see does not let anything go on.
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Some(Ending::Processes);
    };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    over_bounds(numbers, bounds, shared_before)
}

/// The same for everybody below this process, where all processes of the machine can be seen.
pub(super) fn of_descendants(bounds: &Bounds, shared_before: u64) -> Option<Ending> {
    over_bounds(descendants().into_iter(), bounds, shared_before)
}

fn over_bounds(pids: impl Iterator<Item = libc::pid_t>, bounds: &Bounds, shared_before: u64) -> Option<Ending> {
    let memory = MachineMemory::now();
    let shared_most = bounds.memory_bytes.saturating_add(bounds.layer_bytes).saturating_add(bounds.layer_bytes / 4);
    if memory.is_short() || memory.shared.saturating_sub(shared_before) > shared_most {
        return Some(Ending::Memory);
    }
    let (mut processes, mut pages) = (0u64, 0u64);
    for pid in pids {
        // Threads count like processes, as they do for the kernel's own limit. A folder has one link per folder in it, and two more.
        let tasks = std::fs::metadata(format!("/proc/{pid}/task"));
        processes += tasks.map_or(1, |tasks| tasks.nlink().saturating_sub(2)).max(1);
        if processes > bounds.processes {
            return Some(Ending::Processes);
        }
        let Ok(statm) = std::fs::read_to_string(format!("/proc/{pid}/statm")) else {
            continue;
        };
        let mut fields = statm.split(' ').skip(1).map_while(|field| field.parse::<u64>().ok());
        let (resident, shared) = (fields.next().unwrap_or(0), fields.next().unwrap_or(0));
        pages = pages.saturating_add(resident.saturating_sub(shared));
    }
    (pages.saturating_mul(page_bytes()) > bounds.memory_bytes).then_some(Ending::Memory)
}

fn page_bytes() -> u64 {
    // SAFETY: no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// The children of this process, as far as the kernel lists them.
pub(super) fn children() -> Vec<libc::pid_t> {
    let own = std::process::id();
    let list = std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Everybody below this process, dead ones left out.
pub(super) fn descendants() -> Vec<libc::pid_t> {
    let mut children: HashMap<libc::pid_t, Vec<libc::pid_t>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else {
            continue;
        };
        // The command name in brackets can hold anything; what follows its last bracket is fixed.
        let Some(end) = stat.iter().rposition(|byte| *byte == b')') else {
            continue;
        };
        let rest = String::from_utf8_lossy(stat.get(end + 1..).unwrap_or_default()).into_owned();
        let mut fields = rest.split_whitespace();
        let (state, parent) = (fields.next(), fields.next().and_then(|field| field.parse().ok()));
        if let (Some(state), Some(parent)) = (state, parent)
            && state != "Z"
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![std::process::id() as libc::pid_t];
    while let Some(parent) = next.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.push(child);
            next.push(child);
        }
    }
    found
}
