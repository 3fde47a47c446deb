//! What each verb does. A verb that fails has told why on standard error and
//! returns the exit code.

pub(crate) mod bootstrap;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod console;
pub(crate) mod envoy;
mod input;
pub(crate) mod inspect;
pub(crate) mod kube;
mod output;
mod words;
