//! Scripted model server, temp workspaces, scenario runner for tests.
