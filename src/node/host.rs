//! The host that JavaScript is.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

use napi::{
    Status,
    bindgen_prelude::{
        FnArgs, FromNapiValue, Function, Promise, TypeName, ValidateNapiValue, ValueType,
    },
    sys,
    threadsafe_function::ThreadsafeFunction,
};
use tokio::sync::watch;

use super::bridge::Text;
use crate::{
    error::{Error, Result},
    host::{Arguments, Host, HostAnswer, reply},
};

type Call = FnArgs<(Text, Text, Text)>;
/// The last two parameters: called without an error-first argument, and weak, so
/// that it holds neither the process nor anything for longer than its operation.
type Caller = ThreadsafeFunction<Call, Promise<String>, Call, Status, false, true>;

/// The facade's way to the objects of one operation: `(object, method, arguments)`
/// to a promise that never rejects, see [`reply`].
pub struct JsHost {
    caller: Caller,
    /// Whether the thread is there still. Its sender goes with the thread: of a call
    /// that the thread had not come to, no other code would ever hear again.
    thread: watch::Receiver<()>,
}

impl JsHost {
    /// What a call answers, unless its thread ends before. The facade's function throws
    /// nothing: a failure is the call's own.
    async fn unless_gone<T>(
        &self,
        answer: impl Future<Output = napi::Result<T>> + Send,
    ) -> Result<T> {
        let mut thread = self.thread.clone();
        let (mut answer, mut gone) = (pin!(answer), pin!(thread.changed()));
        poll_fn(|context| match answer.as_mut().poll(context) {
            Poll::Ready(answer) => Poll::Ready(answer.map_err(|_| Error::HostGone)),
            Poll::Pending => gone.as_mut().poll(context).map(|_| Err(Error::HostGone)),
        })
        .await
    }
}

impl Host for JsHost {
    fn call<'h>(
        &'h self,
        object: &'static str,
        method: &'static str,
        arguments: Arguments,
    ) -> HostAnswer<'h> {
        Box::pin(async move {
            let text = |name: &str| Text(name.to_owned());
            let arguments = (text(object), text(method), Text(arguments.finish()));
            let call = self.caller.call_async_catch(arguments.into());
            let promise = self.unless_gone(call).await?;
            reply(self.unless_gone(promise).await?)
        })
    }
}

impl FromNapiValue for JsHost {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: the caller vouches for both, which are passed on as they came.
        let function = unsafe { Function::<Call, Promise<String>>::from_napi_value(env, value) }?;
        let (with_thread, thread) = watch::channel(());
        let caller = function.build_threadsafe_function::<Call>().weak::<true>().build_callback(
            move |call| {
                let _kept = &with_thread;
                Ok(call.value)
            },
        )?;
        Ok(Self { caller, thread })
    }
}

impl TypeName for JsHost {
    fn type_name() -> &'static str {
        "Function"
    }

    fn value_type() -> ValueType {
        ValueType::Function
    }
}

impl ValidateNapiValue for JsHost {}
