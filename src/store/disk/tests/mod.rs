//! The disk store over a simulated disk that stops, fails and loses power.

#[cfg(test)]
mod costs;
#[cfg(test)]
mod crashes;
#[cfg(test)]
mod every_bit;
#[cfg(test)]
mod failing_calls;
pub(crate) mod fuzz;
#[cfg(all(test, interleavings))]
mod interleavings;
#[cfg(test)]
mod paging;
#[cfg(test)]
mod ranges;
mod scenario;
#[cfg(test)]
mod streams;
