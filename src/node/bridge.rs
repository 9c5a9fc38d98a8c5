//! How answers, errors and futures cross to JavaScript: the only file that touches
//! raw Node-API.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    ptr,
    task::{Context, Poll, Waker},
};

use napi::{
    Env, JsValue as _,
    bindgen_prelude::{JsObjectValue as _, PromiseRaw, ToNapiValue, TypeName, ValueType},
    sys,
};

use crate::error::{Error, Result};

/// An answer, or an error that becomes a marked JavaScript `Error` when it crosses:
/// `namzuError` names its class, `details` is the JSON text of its details. The
/// facade owns the classes.
pub struct Out<T>(pub Result<T>);

/// A promise of an [`Out`].
pub type Promise<'env, T> = napi::Result<PromiseRaw<'env, Out<T>>>;

impl<T: ToNapiValue> ToNapiValue for Out<T> {
    unsafe fn to_napi_value(env: sys::napi_env, out: Self) -> napi::Result<sys::napi_value> {
        match out.0 {
            // SAFETY: the caller vouches for `env`, which is passed on as it came.
            Ok(value) => unsafe { T::to_napi_value(env, value) },
            Err(error) => Err(marked(&Env::from_raw(env), &error)),
        }
    }
}

impl<T> TypeName for Out<T> {
    fn type_name() -> &'static str {
        "unknown"
    }

    fn value_type() -> ValueType {
        ValueType::Unknown
    }
}

fn marked(env: &Env, error: &Error) -> napi::Error {
    let mark = || {
        let mut object = env.create_error(napi::Error::from_reason(error.to_string()))?;
        object.set_named_property("namzuError", error.name())?;
        if let Some(details) = error.details() {
            object.set_named_property("details", Text(details))?;
        }
        if let Some(place) = error.place() {
            object.set_named_property("place", place)?;
        }
        Ok(napi::Error::from_unknown_without_coercion(object.to_unknown()))
    };
    mark().unwrap_or_else(|failed: napi::Error| failed)
}

/// A string, in the encoding that V8 takes fastest: one byte a character for ASCII,
/// UTF-16 otherwise, which is several times faster than having V8 decode UTF-8.
pub struct Text(pub String);

impl ToNapiValue for Text {
    unsafe fn to_napi_value(env: sys::napi_env, text: Self) -> napi::Result<sys::napi_value> {
        let mut value = ptr::null_mut();
        let status = if text.0.is_ascii() {
            let (start, len) = (text.0.as_ptr().cast(), text.0.len().cast_signed());
            // SAFETY: `start` and `len` are those of a live string, which V8 copies.
            unsafe { sys::napi_create_string_latin1(env, start, len, &raw mut value) }
        } else {
            let units: Vec<u16> = text.0.encode_utf16().collect();
            let (start, len) = (units.as_ptr(), units.len().cast_signed());
            // SAFETY: `start` and `len` are those of a live vector, which V8 copies.
            unsafe { sys::napi_create_string_utf16(env, start, len, &raw mut value) }
        };
        if status == sys::Status::napi_ok {
            return Ok(value);
        }
        let reason = format!("JavaScript takes no string of {} bytes", text.0.len());
        Err(napi::Error::new(napi::Status::from(status), reason))
    }
}

/// Starts a future that owns all it uses; a panic in it rejects.
pub fn run<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    future: impl Future<Output = Result<T>> + Send + 'static,
) -> Promise<'env, T> {
    let mut future: Pin<Box<dyn Future<Output = Result<T>> + Send>> = Box::pin(future);
    let caught =
        poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Ready(answer)) => Poll::Ready(Ok(Out(answer))),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(napi::Error::from_reason(format!(
                "internal error in namzu-native: {}",
                panic_text(&*panic)
            )))),
        });
    env.spawn_future(caught)
}

/// An answer that is there already, or a promise of it.
pub enum Soon<'env, T: ToNapiValue + Send + 'static> {
    Now(T),
    Later(PromiseRaw<'env, Out<T>>),
}

impl<T: ToNapiValue + Send + 'static> ToNapiValue for Soon<'_, T> {
    unsafe fn to_napi_value(env: sys::napi_env, soon: Self) -> napi::Result<sys::napi_value> {
        // SAFETY: the caller vouches for `env`, which is passed on as it came.
        unsafe {
            match soon {
                Self::Now(answer) => T::to_napi_value(env, answer),
                Self::Later(promise) => PromiseRaw::to_napi_value(env, promise),
            }
        }
    }
}

/// What `now` answers when it is first asked; if that is an error, or nothing yet, a promise
/// of what `later` answers.
pub fn soon<'env, T: ToNapiValue + Send + 'static, F>(
    env: &'env Env,
    now: impl Future<Output = Result<T>>,
    later: impl FnOnce() -> F,
) -> napi::Result<Soon<'env, T>>
where
    F: Future<Output = Result<T>> + Send + 'static,
{
    match pin!(now).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Ok(answer)) => Ok(Soon::Now(answer)),
        _ => run(env, later()).map(Soon::Later),
    }
}

/// The answer of a future that is ready when it is first asked, as a memory store's
/// are.
pub fn ready<T>(future: impl Future<Output = Result<T>>) -> Out<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Out(answer),
        Poll::Pending => unreachable!("a memory store answers at once"),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}
