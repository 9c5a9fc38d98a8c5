//! Turns `src/sync.rs` over to the scheduler.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cfg=interleavings");
}
