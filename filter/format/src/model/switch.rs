//! Settings with two values.

/// Declares an enum stored as one byte. The first variant is 0.
macro_rules! wire_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $value:literal $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $name {
            $($(#[$vmeta])* $variant = $value),+
        }

        impl $name {
            /// Every value, in the order of their bytes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub(crate) fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($value => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The word used for it in a policy.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text),+
                }
            }
        }
    };
}

wire_enum! {
    /// What happens to a request that is valid but not permitted.
    Mode {
        /// It is refused.
        #[default]
        Enforce = 0 "enforce",
        /// It is forwarded and recorded as would-deny.
        Audit = 1 "audit",
    }
}

wire_enum! {
    /// How a policy denial is answered.
    Denial {
        /// HTTP 403 with a JSON-RPC error.
        Http = 0 "http",
        /// HTTP 200 with a JSON-RPC error, as SDKs expect of a call.
        #[default]
        Rpc = 1 "rpc",
    }
}

wire_enum! {
    /// Whether something is let through.
    Switch {
        /// No.
        #[default]
        Deny = 0 "deny",
        /// Yes.
        Allow = 1 "allow",
    }
}

wire_enum! {
    /// Which resource URIs are well-formed once rules name resources.
    ResourceUris {
        /// Those that every reader leaves as they are.
        #[default]
        Strict = 0 "strict",
        /// Any; then nothing can be denied by URI.
        Any = 1 "any",
    }
}

wire_enum! {
    /// Which tool names are well-formed.
    ToolNames {
        /// 1 to 128 of `A-Z a-z 0-9 _ - .` (MCP 2025-11-25, server/tools).
        #[default]
        Strict = 0 "strict",
        /// Any non-empty name.
        Any = 1 "any",
    }
}
