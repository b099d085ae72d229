//! The server of the peers tree: what an adopter of someone else's CLI writes.
//!
//! With `--globals` it also offers the global flags that the fidelity calls set, so that the same
//! calls can be put to every server.

#[path = "../../mcp/tests/trees/peers.rs"]
mod peers;

use clap_facade::{Facade, StartError};

fn main() -> Result<(), StartError> {
    let facade = Facade::new(peers::command());
    if std::env::args().any(|arg| arg == "--globals") {
        let gates = ["dry-run", "yes", "region", "verbose", "header", "quiet", "color", "profile"];
        return facade.gates(gates).host_owned(["config"]).expose("lab plugin").start();
    }
    facade.start()
}
