//! What each verb does. A verb that fails has told why on standard error and
//! returns the exit code.

pub(crate) mod bootstrap;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
pub(crate) mod console;
pub(crate) mod envoy;
pub(crate) mod explain;
mod input;
pub(crate) mod inspect;
pub(crate) mod kube;
mod output;
pub(crate) mod replay;
pub(crate) mod test;
mod words;
