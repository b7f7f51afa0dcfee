//! A tiny file system of its own for one process: full, or read-only.

use super::{acknowledge, audit_line, plan_text};
use crate::support::{human, places, start};
use fore_plan::plan::{Author, Hash};
use fore_store::{
    Home, Session, StoreError,
    audit::{AuditLine, AuditLog},
    session::{path_of, random_slugs, resume},
};
use std::{ffi::CString, io::Write, path::Path};

pub(crate) fn fill(ground: &Path) {
    let disk = ground.join("disk");
    std::fs::create_dir(&disk).unwrap();
    mount_tiny(&disk, "size=512k");
    let project = ground.join("project");
    let places = places(&disk.join("home"), &project);
    let mut session = Session::create(&places, &project, start(true)).unwrap();
    session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, &plan_text(1)).unwrap();
    let before = Hash::of(plan_text(1).as_bytes());
    let ballast = fill_up(&disk);

    // Small entries may still fit into the last block; sooner or later one does not.
    let mut said = 0;
    let error = loop {
        match session.append_message(human(&"word ".repeat(200))) {
            Ok(()) => said += 1,
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("the disk is full"), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("the disk is full") && text.contains(".jsonl"), "{text}");
    let folded = Session::read(&places.home, session.id()).unwrap();
    assert!(folded.report.is_clean(), "{:?}", folded.report);
    assert_eq!(folded.conversation.len(), said);

    let error = session.save_plan(Author::Model, &plan_text(5000)).unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error:?}");
    let plan = session.state().plan().unwrap().clone();
    let name = Path::new(&plan.path).file_name().unwrap().to_str().unwrap().parse().unwrap();
    let error = places.plans.write(&name, &plan_text(5000)).unwrap_err();
    assert!(error.to_string().contains("the disk is full"), "{error:?}");
    assert_eq!(Hash::of(&std::fs::read(&plan.path).unwrap()), before, "the old plan is still there");
    assert_eq!(plan.revision.unwrap().hash, before);
    assert!(session.name_plan(random_slugs()).is_err());
    assert!(Session::create(&places, &project, start(true)).is_err());
    let mut log = AuditLog::open(&places.home).unwrap();
    let line = || audit_line(session.id(), session.state().mode(), &"x".repeat(500));
    while log.append(line()).is_ok() {}
    let leftovers = std::fs::read_dir(Path::new(&plan.path).parent().unwrap()).unwrap().count();
    assert_eq!(leftovers, 1, "nothing half-written stays beside the plan");
    let audit = std::fs::read_to_string(places.home.path().join("audit.jsonl")).unwrap();
    assert!(audit.lines().all(|line| serde_json::from_str::<AuditLine>(line).is_ok()), "a torn audit line");

    // A torn line cannot be put aside without room, so it stays where it is.
    let id = session.id();
    let path = path_of(&places.home, id);
    drop(session);
    let length = std::fs::metadata(&path).unwrap().len();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
    let torn = std::fs::read(&path).unwrap();
    match resume(&places, id) {
        Err(error) => assert!(error.to_string().contains("the disk is full"), "{error:?}"),
        Ok(_) => panic!("a torn line was cut off without a copy"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), torn);

    std::fs::remove_file(ballast).unwrap();
    let (mut session, resumed) = resume(&places, id).unwrap();
    assert!(resumed.report.torn.is_some());
    assert_eq!(session.conversation().len(), said - 1);
    session.append_message(human("room again")).unwrap();
    session.save_plan(Author::Model, &plan_text(2)).unwrap();
    acknowledge("all held");
}

pub(crate) fn read_only(ground: &Path) {
    let disk = ground.join("disk");
    std::fs::create_dir(&disk).unwrap();
    mount_tiny(&disk, "size=512k");
    let project = ground.join("project");
    let places = places(&disk.join("home"), &project);
    let mut session = Session::create(&places, &project, start(true)).unwrap();
    session.append_message(human("before")).unwrap();
    session.sync().unwrap();
    let id = session.id();
    drop(session);
    let target = CString::new(disk.to_str().unwrap()).unwrap();
    // SAFETY: valid C strings; the mount belongs to this process alone.
    let done = unsafe {
        libc::mount(
            std::ptr::null(),
            target.as_ptr(),
            std::ptr::null(),
            libc::MS_REMOUNT | libc::MS_RDONLY,
            std::ptr::null(),
        )
    };
    assert_eq!(done, 0, "remount: {}", std::io::Error::last_os_error());

    let errors: Vec<StoreError> = vec![
        Session::create(&places, &project, start(true)).unwrap_err(),
        resume(&places, id).unwrap_err(),
        Home::open(&disk.join("other")).unwrap_err(),
    ];
    for error in errors {
        let text = error.to_string();
        assert!(text.contains("read-only") && text.contains("FORETHOUGHT_HOME"), "{text}");
    }
    assert_eq!(Session::read(&places.home, id).unwrap().conversation, [human("before")]);
    acknowledge("all held");
}

/// Fills the disk to the last block.
fn fill_up(disk: &Path) -> std::path::PathBuf {
    let path = disk.join("ballast");
    let mut file = std::fs::File::create(&path).unwrap();
    while file.write_all(&[0; 512]).is_ok() {}
    path
}

/// Mounts a tiny file system that only this process sees, as root or as the root of a user namespace.
fn mount_tiny(target: &Path, options: &str) {
    // SAFETY: plain calls that concern this process alone.
    let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
    let flags = if user == 0 { libc::CLONE_NEWNS } else { libc::CLONE_NEWUSER | libc::CLONE_NEWNS };
    // SAFETY: this process has one thread; the call touches no memory of ours.
    let done = unsafe { libc::unshare(flags) };
    assert_eq!(done, 0, "this test needs root or user namespaces: {}", std::io::Error::last_os_error());
    if user != 0 {
        std::fs::write("/proc/self/setgroups", "deny").unwrap();
        std::fs::write("/proc/self/uid_map", format!("0 {user} 1")).unwrap();
        std::fs::write("/proc/self/gid_map", format!("0 {group} 1")).unwrap();
    }
    let (root, kind) = (CString::new("/").unwrap(), CString::new("tmpfs").unwrap());
    let target = CString::new(target.to_str().unwrap()).unwrap();
    let options = CString::new(options).unwrap();
    // SAFETY: all pointers are valid C strings or null where that is allowed.
    unsafe {
        let private = libc::MS_REC | libc::MS_PRIVATE;
        let done = libc::mount(std::ptr::null(), root.as_ptr(), std::ptr::null(), private, std::ptr::null());
        assert_eq!(done, 0, "private mounts: {}", std::io::Error::last_os_error());
        let done = libc::mount(kind.as_ptr(), target.as_ptr(), kind.as_ptr(), 0, options.as_ptr().cast());
        assert_eq!(done, 0, "a tiny tmpfs: {}", std::io::Error::last_os_error());
    }
}
