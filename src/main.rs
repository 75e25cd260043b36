//! Parses the arguments, runs the subcommand, and turns its result into an exit code.
fn main() {}
