//! The locks and counters of the engine and of the disk store: those of std, or, in
//! `harness/interleavings`, those of a scheduler that tries one order after the other.

use std::{
    future::Future,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{Thread, current, park},
};

#[cfg(interleavings)]
pub(crate) use shuttle::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic,
};
#[cfg(not(interleavings))]
pub(crate) use std::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, atomic,
};

/// Lets another thread go on.
#[cfg(not(interleavings))]
pub(crate) use std::thread::yield_now;

#[cfg(interleavings)]
pub(crate) use shuttle::thread::yield_now;

/// Waits for an answer on a thread that has nothing else to do.
pub(crate) fn wait<T>(answer: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(current())));
    let mut answer = pin!(answer);
    loop {
        match answer.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => return answer,
            Poll::Pending => park(),
        }
    }
}
