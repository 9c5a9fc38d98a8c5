//! The disk store over a simulated disk that stops, fails and loses power.

mod crashes;
mod failing_calls;
mod scenario;
