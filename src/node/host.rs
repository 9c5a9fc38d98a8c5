//! The host that JavaScript is.

use napi::{
    Status,
    bindgen_prelude::{FnArgs, FromNapiValue, Promise, TypeName, ValidateNapiValue, ValueType},
    sys,
    threadsafe_function::ThreadsafeFunction,
};

use super::bridge::Text;
use crate::{
    error::Error,
    host::{Arguments, Host, HostAnswer, reply},
};

type Call = FnArgs<(Text, Text, Text)>;
/// The last two parameters: called without an error-first argument, and weak, so
/// that it holds neither the process nor anything for longer than its operation.
type Function = ThreadsafeFunction<Call, Promise<String>, Call, Status, false, true>;

/// The facade's way to the objects of one operation: `(object, method, arguments)`
/// to a promise that never rejects, see [`reply`].
pub struct JsHost(Function);

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
            // The facade's function throws nothing: a failure here is the call's own.
            let gone = |_: napi::Error| Error::HostGone;
            let promise = self.0.call_async_catch(arguments.into()).await.map_err(gone)?;
            reply(promise.await.map_err(gone)?)
        })
    }
}

impl FromNapiValue for JsHost {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> napi::Result<Self> {
        // SAFETY: the caller vouches for both, which are passed on as they came.
        unsafe { Function::from_napi_value(env, value) }.map(Self)
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
