//! Migrations over file operations that stop or fail.

mod failures;
mod hostile;
mod interruptions;
mod odd_roots;
mod world;
