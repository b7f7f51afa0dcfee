//! Builds the cage around itself, then becomes the command. Started by `fore_sandbox::Cages`, never by hand.

fn main() {
    fore_sandbox::become_setup_if_asked();
    eprintln!("fore-cage-setup is started by fore itself; use `fore cage` to run a command in a sandbox.");
    std::process::exit(2);
}
