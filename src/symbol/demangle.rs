//! Rust and C++ names as their authors wrote them, without hashes and parameters, as perf shows them.

use std::borrow::Cow;

/// The readable form of a symbol's name.
pub(super) fn demangle(name: &str) -> Cow<'_, str> {
    if (name.starts_with("_R") || name.starts_with("_ZN"))
        && let Ok(rust) = rustc_demangle::try_demangle(name)
    {
        return Cow::Owned(format!("{rust:#}"));
    }
    if name.starts_with("_Z") {
        let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
        if let Some(cpp) =
            cpp_demangle::Symbol::new(name).ok().and_then(|s| s.demangle_with_options(&options).ok())
        {
            return Cow::Owned(cpp);
        }
    }
    Cow::Borrowed(name)
}
