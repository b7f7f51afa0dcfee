//! The system call filter: what no caged command may ask the kernel for. A list of attack families, plus everything newer than this list.

mod rules;

use self::rules::{SyscallRules, absent, denied, pretended_locks};
use crate::blueprint::{CageBuild, CageReach};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, sock_filter};
use std::io;

/// The newest call this list was written against (`file_setattr`, Linux 6.17). What comes later is answered with ENOSYS, which
/// programs take as "old kernel". The x32 calls of x86-64 carry bit 30 in their number and fall under the same rule.
const NEWEST_KNOWN: u32 = 469;

/// What the filter depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilterNeeds {
    pub(super) build: CageBuild,
    pub(super) reach: CageReach,
    /// Landlock keeps signals inside (ABI 6); otherwise the filter must.
    pub(super) signals_scoped: bool,
    pub(super) locks: LockPolicy,
}

/// What becomes of advisory locks. On a file that is open for reading they hold up whoever writes it outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockPolicy {
    /// Builds and tests need them, among themselves.
    Real,
    /// They seem to be taken: who only reads needs none, and many programs read nothing without one.
    Pretended,
}

const LOAD_WORD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_GREATER: u16 = 0x25;
const JUMP_AT_LEAST: u16 = 0x35;
const RETURN: u16 = 0x06;
/// Of seccomp_data.
const OFFSET_OF_NUMBER: u32 = 0;
const OFFSET_OF_ARCH: u32 = 4;
const ALLOW: u32 = 0x7fff_0000;
/// No error is success.
const PRETENDED: i32 = 0;

/// Programs that were made before somebody waits for them.
#[derive(Default)]
pub(super) struct Filters(Vec<(FilterNeeds, BpfProgram)>);

impl Filters {
    pub(super) fn make(&mut self, needs: FilterNeeds) {
        // What cannot be made now is an error when it is needed.
        if let Ok(program) = combined(needs) {
            self.0.push((needs, program));
        }
    }

    /// Installs one for this process and everything it becomes. `no_new_privs` must be set already.
    pub(super) fn install(&self, needs: FilterNeeds) -> io::Result<()> {
        let made = self.0.iter().find(|(made_for, _)| *made_for == needs);
        match made {
            Some((_, program)) => seccompiler::apply_filter(program),
            None => seccompiler::apply_filter(&combined(needs)?),
        }
        .map_err(super::landlock::unwrapped)
    }
}

/// All lists as one program, because the kernel takes its time over each and over every step. A search by number answers most
/// calls; the lists are asked only about those whose arguments matter, and about another architecture's.
fn combined(needs: FilterNeeds) -> io::Result<BpfProgram> {
    let lists = lists(needs)?;
    let all = chained(&compiled(&lists, &|_| true)?);
    let Some(arch) = all.iter().find(|step| step.code == JUMP_EQUAL).map(|step| step.k) else { return Ok(all) };
    // A number that no list names is answered like any other such.
    let is_named = |number: &u32| lists.iter().any(|(rules, _)| rules.contains_key(&i64::from(*number)));
    let of_the_rest = (0..=NEWEST_KNOWN).find(|number| !is_named(number));
    let of_the_rest = of_the_rest.and_then(|number| constant_answer(&all, number, arch));
    let answer = |number| if is_named(&number) { constant_answer(&all, number, arch) } else { of_the_rest };
    let answers: Vec<Option<u32>> = (0..=NEWEST_KNOWN).map(answer).collect();
    let depends = |call: i64| {
        let answer = usize::try_from(call).ok().and_then(|call| answers.get(call));
        answer.is_none_or(Option::is_none)
    };
    // The shorter lists know nothing of what the search answers; without it all must stay.
    match behind_a_search(&answers, arch, chained(&compiled(&lists, &depends)?)) {
        Some(whole) => Ok(whole),
        None => Ok(all),
    }
}

/// The first that does not allow a call answers it: what seems to succeed, then what is refused, then what looks absent, then what is
/// too new. Each but the last begins with the check of the architecture, which so comes before any answer.
fn compiled(lists: &[(SyscallRules, i32)], wanted: &dyn Fn(i64) -> bool) -> io::Result<Vec<BpfProgram>> {
    let mut programs = Vec::new();
    for (rules, errno) in lists {
        let rules = rules.iter().filter(|(call, _)| wanted(**call)).map(|(call, rules)| (*call, rules.clone()));
        programs.push(compile(rules.collect(), *errno)?);
    }
    programs.push(too_new());
    Ok(programs)
}

/// What each list answers with, and to what.
fn lists(needs: FilterNeeds) -> io::Result<Vec<(SyscallRules, i32)>> {
    let pretended = match needs.locks {
        LockPolicy::Real => None,
        LockPolicy::Pretended => Some((pretended_locks()?, PRETENDED)),
    };
    Ok(pretended.into_iter().chain([(denied(needs)?, libc::EPERM), (absent(), libc::ENOSYS)]).collect())
}

/// Finds the answer by number, and asks the program where there is none. None if that takes jumps that are too long.
fn behind_a_search(answers: &[Option<u32>], arch: u32, program: BpfProgram) -> Option<BpfProgram> {
    // Where the answer changes, and what it is from there on. Behind the last number the program knows.
    let behind = answers.iter().copied().chain([None]);
    let before = std::iter::once(None).chain(answers.iter().copied());
    let changes = (0u32..).zip(before.zip(behind)).filter(|(_, (before, behind))| before != behind);
    let bounds: Vec<(u32, Option<u32>)> = changes.map(|(at, (_, answer))| (at, answer)).collect();
    let search = search(&bounds, None)?;
    let pass_over = |steps: usize| sock_filter { code: JUMP, jt: 0, jf: 0, k: steps as u32 };
    let mut whole = vec![
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: OFFSET_OF_ARCH },
        sock_filter { code: JUMP_EQUAL, jt: 1, jf: 0, k: arch },
        pass_over(search.len() + 1),
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: OFFSET_OF_NUMBER },
    ];
    for (at, step) in search.iter().enumerate() {
        whole.push(match step {
            Step::Below { bound, other } => sock_filter { code: JUMP_AT_LEAST, jt: *other, jf: 0, k: *bound },
            Step::Answer(Some(answer)) => sock_filter { code: RETURN, jt: 0, jf: 0, k: *answer },
            Step::Answer(None) => pass_over(search.len() - at - 1),
        });
    }
    whole.extend(program);
    Some(whole)
}

enum Step {
    /// On with the next step if the number is below the bound, otherwise so many steps further.
    Below { bound: u32, other: u8 },
    /// What the program answers, or that it must be asked.
    Answer(Option<u32>),
}

/// Finds between which bounds a number lies; below the first of them the answer is `before`. None where a jump cannot pass over a half.
fn search(bounds: &[(u32, Option<u32>)], before: Option<u32>) -> Option<Vec<Step>> {
    let middle = bounds.len() / 2;
    let Some((bound, behind)) = bounds.get(middle) else { return Some(vec![Step::Answer(before)]) };
    let below = search(bounds.get(..middle)?, before)?;
    let above = search(bounds.get(middle + 1..)?, *behind)?;
    let other = u8::try_from(below.len()).ok()?;
    Some(std::iter::once(Step::Below { bound: *bound, other }).chain(below).chain(above).collect())
}

/// What the program answers to a call whatever its arguments are; none if it looks at any.
fn constant_answer(program: &BpfProgram, number: u32, arch: u32) -> Option<u32> {
    let (mut at, mut value) = (0, 0);
    loop {
        let step = program.get(at)?;
        at += 1;
        let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
        match (step.code, step.k) {
            (LOAD_WORD, OFFSET_OF_NUMBER) => value = number,
            (LOAD_WORD, OFFSET_OF_ARCH) => value = arch,
            (JUMP, steps) => at += steps as usize,
            (JUMP_EQUAL, other) => at += jump(value == other),
            (JUMP_GREATER, other) => at += jump(value > other),
            (JUMP_AT_LEAST, other) => at += jump(value >= other),
            (RETURN, answer) => return Some(answer),
            // An argument, or a step that this does not know.
            _ => return None,
        }
    }
}

/// Where one list would allow a call, the next one is asked.
fn chained(lists: &[BpfProgram]) -> BpfProgram {
    let mut whole = BpfProgram::new();
    for (number, list) in lists.iter().enumerate() {
        let is_last = number + 1 == lists.len();
        for (at, step) in list.iter().enumerate() {
            let is_allowed = step.code == RETURN && step.k == ALLOW;
            let skipped = (list.len() - at - 1) as u32;
            whole.push(if is_allowed && !is_last {
                sock_filter { code: JUMP, jt: 0, jf: 0, k: skipped }
            } else {
                step.clone()
            });
        }
    }
    whole
}

/// Refuses every call number above the newest known one. `seccompiler` has no comparison of numbers, so this is by hand.
fn too_new() -> BpfProgram {
    const ERRNO: u32 = 0x0005_0000;
    vec![
        sock_filter { code: LOAD_WORD, jt: 0, jf: 0, k: OFFSET_OF_NUMBER },
        sock_filter { code: JUMP_GREATER, jt: 0, jf: 1, k: NEWEST_KNOWN },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ERRNO | libc::ENOSYS as u32 },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ALLOW },
    ]
}

fn compile(rules: SyscallRules, errno: i32) -> io::Result<BpfProgram> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    // A call through another architecture's entry (such as `int 0x80`) kills the process: seccompiler checks that first.
    SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch)
        .and_then(BpfProgram::try_from)
        .map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_compiles() {
        for build in [CageBuild::Full, CageBuild::WithoutLandlock, CageBuild::LandlockOnly] {
            for reach in [CageReach::Nobody, CageReach::Loopback, CageReach::Services, CageReach::Anybody] {
                for signals_scoped in [true, false] {
                    // The kernel takes at most 4096 instructions.
                    let needs = FilterNeeds { build, reach, signals_scoped, locks: LockPolicy::Pretended };
                    assert!(combined(needs).unwrap().len() < 4096);
                }
            }
        }
    }

    /// What a program answers to a call, as the kernel runs it.
    fn answer(program: &[sock_filter], call: &[u32; 16]) -> u32 {
        let (mut at, mut value) = (0, 0u32);
        loop {
            let sock_filter { code, jt, jf, k } = program[at].clone();
            let jump = |holds: bool| usize::from(if holds { jt } else { jf });
            at += 1;
            match code {
                0x20 => value = call[k as usize / 4],
                0x54 => value &= k,
                0x05 => at += k as usize,
                0x06 => return k,
                0x15 => at += jump(value == k),
                0x25 => at += jump(value > k),
                0x35 => at += jump(value >= k),
                0x45 => at += jump(value & k != 0),
                other => panic!("unknown step {other:#x}"),
            }
        }
    }

    #[test]
    fn ordinary_calls_are_answered_after_a_few_steps() {
        let needs = FilterNeeds {
            build: CageBuild::Full,
            reach: CageReach::Nobody,
            signals_scoped: true,
            locks: LockPolicy::Pretended,
        };
        let whole = combined(needs).unwrap();
        let arch = whole[1].k;
        for call in [libc::SYS_read, libc::SYS_close, libc::SYS_mmap, libc::SYS_execve, libc::SYS_statx] {
            let mut steps = whole.clone();
            steps.truncate(350);
            assert_eq!(constant_answer(&steps, call as u32, arch), Some(ALLOW), "{call}");
        }
        for call in [libc::SYS_ptrace, libc::SYS_socket, libc::SYS_mount, libc::SYS_flock] {
            assert_ne!(constant_answer(&whole, call as u32, arch), Some(ALLOW), "{call}");
        }
    }

    #[test]
    fn too_many_different_answers_for_a_search_are_no_search() {
        let answers: Vec<Option<u32>> = (0..600).map(Some).collect();
        assert!(behind_a_search(&answers, 1, BpfProgram::new()).is_none());
        assert!(behind_a_search(&answers[..100], 1, BpfProgram::new()).is_some());
    }

    #[test]
    fn whatever_a_run_needs_the_search_changes_no_answer() {
        for build in [CageBuild::Full, CageBuild::WithoutLandlock, CageBuild::LandlockOnly] {
            for reach in [CageReach::Nobody, CageReach::Loopback, CageReach::Services, CageReach::Anybody] {
                for (signals_scoped, locks) in [
                    (true, LockPolicy::Real),
                    (true, LockPolicy::Pretended),
                    (false, LockPolicy::Real),
                    (false, LockPolicy::Pretended),
                ] {
                    let needs = FilterNeeds { build, reach, signals_scoped, locks };
                    let all = chained(&compiled(&lists(needs).unwrap(), &|_| true).unwrap());
                    let whole = combined(needs).unwrap();
                    let ours = all.iter().find(|step| step.code == JUMP_EQUAL).unwrap().k;
                    for number in (0..=NEWEST_KNOWN + 2).chain([1 << 30, u32::MAX]) {
                        for argument in [0, 2, u32::MAX] {
                            let mut call = [argument; 16];
                            (call[0], call[1]) = (number, ours);
                            assert_eq!(answer(&whole, &call), answer(&all, &call), "{needs:?} {number} {argument:x}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn one_program_answers_as_all_lists_together_would() {
        let needs = |build| FilterNeeds {
            build,
            reach: CageReach::Loopback,
            signals_scoped: false,
            locks: LockPolicy::Pretended,
        };
        for needs in [needs(CageBuild::Full), needs(CageBuild::LandlockOnly)] {
            let lists = compiled(&lists(needs).unwrap(), &|_| true).unwrap();
            let whole = combined(needs).unwrap();
            // Words of a seccomp_data: number, architecture, place, six arguments. The second word of a program is compared with ours.
            let ours = lists[0].iter().find(|step| step.code == 0x15).unwrap().k;
            let numbers = (0..=NEWEST_KNOWN + 2).chain([1 << 30, u32::MAX]);
            for (number, arch) in numbers.flat_map(|number| [(number, ours), (number, 0x4000_0003)]) {
                for argument in
                    [0, 1, 2, 5, 6, 7, 1024, 0x0400_0000, 0x541c, 0x5412, 0o4755, 0o20644, 0o100 | 0x41, u32::MAX]
                {
                    let mut call = [argument; 16];
                    (call[0], call[1]) = (number, arch);
                    // Of several answers the kernel takes the sternest, and among equals that of the list which came last.
                    let together =
                        lists.iter().map(|list| answer(list, &call)).min_by_key(|answer| (answer & 0xffff_0000) as i32);
                    assert_eq!(Some(answer(&whole, &call)), together, "{number} {arch:x} {argument:x}");
                }
            }
        }
    }
}
