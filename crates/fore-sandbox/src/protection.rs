//! The layers of a cage by name: what each holds, and what to do where a machine lacks it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One layer of a cage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Layer {
    /// User, mount, pid, ipc, uts, cgroup and network namespaces.
    Namespaces,
    /// The whole disk mounted read-only.
    ReadOnlyDisk,
    /// The plan file as the one writable file.
    PlanFile,
    /// The paths that stay writable.
    Writable,
    /// A throw-away layer over the workspace.
    Overlay,
    /// A `/dev` with a few harmless devices.
    Devices,
    /// A `/proc` that shows only what runs in the cage.
    Processes,
    /// Temp files of its own, dropped afterwards.
    PrivateTemp,
    /// Covers over what nobody in a cage may read.
    Secrets,
    /// Sockets of the machine's services, out of sight.
    Services,
    /// A network that ends at the cage.
    Loopback,
    /// The kernel's rules for paths, as a second wall.
    Landlock,
    /// No capability, and none to be gained.
    Privileges,
    /// The filter for calls to the kernel.
    SystemCalls,
    /// Bounds of memory, processes and files.
    Limits,
    /// The process that watches the cage and ends everything in it.
    Guard,
    /// The folder the command starts in.
    WorkingFolder,
}

impl Layer {
    /// As people read it.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Namespaces => "namespaces",
            Layer::ReadOnlyDisk => "read-only disk",
            Layer::PlanFile => "writable plan file",
            Layer::Writable => "writable paths",
            Layer::Overlay => "throw-away layer",
            Layer::Devices => "private devices",
            Layer::Processes => "private process list",
            Layer::PrivateTemp => "private temp folder",
            Layer::Secrets => "hidden secrets",
            Layer::Services => "hidden services",
            Layer::Loopback => "private loopback",
            Layer::Landlock => "Landlock",
            Layer::Privileges => "dropped privileges",
            Layer::SystemCalls => "system call filter",
            Layer::Limits => "limits",
            Layer::Guard => "guard process",
            Layer::WorkingFolder => "working folder",
        }
    }

    /// What a person can do when this layer is missing.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Layer::Namespaces | Layer::ReadOnlyDisk | Layer::Processes | Layer::Devices | Layer::Loopback => {
                "Allow unprivileged user namespaces: `sysctl user.max_user_namespaces` above 0, on Ubuntu `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, \
                 in a container start it with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`"
            }
            Layer::Overlay => {
                "Use a workspace on a file system that overlayfs can read, with Linux 5.11 or newer (6.6 or newer for removed and remade folders)"
            }
            Layer::Landlock => "Use Linux 6.2 or newer with `landlock` in the boot parameter `lsm=`",
            Layer::SystemCalls => "Use a kernel with CONFIG_SECCOMP_FILTER on x86-64, arm64 or riscv64",
            Layer::PlanFile => "Create the plan file first, as an ordinary file with one name",
            Layer::Writable => "Name existing files or folders",
            Layer::WorkingFolder => "Start in a folder that exists and is not hidden in the sandbox",
            Layer::PrivateTemp
            | Layer::Secrets
            | Layer::Services
            | Layer::Privileges
            | Layer::Limits
            | Layer::Guard => "Run `fore doctor` to see what this machine can hold",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a layer did for one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    /// Which one.
    pub layer: Layer,
    /// `false`: this run was without it, and `note` says what that leaves open.
    pub on: bool,
    /// What it held, or what is open without it.
    pub note: String,
}

impl Protection {
    pub(crate) fn on(layer: Layer, note: impl Into<String>) -> Protection {
        Protection { layer, on: true, note: note.into() }
    }

    pub(crate) fn off(layer: Layer, note: impl Into<String>) -> Protection {
        Protection { layer, on: false, note: note.into() }
    }
}
