//! Settings of methods: written once as a struct, from which scene fields, command-line help and
//! documentation follow.

/// A value a person gave for a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// The name of a choice.
    Text(String),
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Flag(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Flag(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "\"{value}\""),
        }
    }
}

/// What one setting is.
#[derive(Clone, Debug)]
pub struct SettingInfo {
    /// Its name in scenes and on the command line.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Its unit, empty where it has none.
    pub unit: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// The value it has when nothing is said.
    pub default: Value,
}

/// The values a setting takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number within a closed range.
    Number([f64; 2]),
    /// A whole number within a closed range.
    Count([f64; 2]),
    /// `true` or `false`.
    Flag,
    /// One of these names.
    Choice(&'static [&'static str]),
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number([low, high]) => write!(f, "a number from {low} to {high}"),
            Self::Count([low, high]) => write!(f, "a whole number from {low} to {high}"),
            Self::Flag => write!(f, "true or false"),
            Self::Choice(names) => write!(f, "one of {}", names.join(", ")),
        }
    }
}

/// A type a setting can have.
pub trait Setting: Sized {
    /// Which values it takes, numbers within `range`.
    fn kind(range: [f64; 2]) -> Kind;
    /// The value as a person would write it.
    fn value(&self) -> Value;
    /// Reads what a person wrote; `None` where it is not of [`Setting::kind`].
    fn read(value: &Value, range: [f64; 2]) -> Option<Self>;
}

impl Setting for f64 {
    fn kind(range: [f64; 2]) -> Kind {
        Kind::Number(range)
    }
    fn value(&self) -> Value {
        Value::Number(*self)
    }
    fn read(value: &Value, [low, high]: [f64; 2]) -> Option<Self> {
        match value {
            Value::Number(v) if (low..=high).contains(v) => Some(*v),
            _ => None,
        }
    }
}

impl Setting for u32 {
    fn kind(range: [f64; 2]) -> Kind {
        Kind::Count(range)
    }
    fn value(&self) -> Value {
        Value::Number(f64::from(*self))
    }
    fn read(value: &Value, range: [f64; 2]) -> Option<Self> {
        f64::read(value, range).filter(|v| v.fract() == 0.0).map(|v| v as Self)
    }
}

impl Setting for bool {
    fn kind(_: [f64; 2]) -> Kind {
        Kind::Flag
    }
    fn value(&self) -> Value {
        Value::Flag(*self)
    }
    fn read(value: &Value, _: [f64; 2]) -> Option<Self> {
        match value {
            Value::Flag(v) => Some(*v),
            _ => None,
        }
    }
}

/// The range given in a declaration, or an empty one.
pub(crate) fn range(given: &[f64]) -> [f64; 2] {
    <[f64; 2]>::try_from(given).unwrap_or([0.0; 2])
}

/// A struct of settings that can be listed and set by name.
pub trait Configure: Default {
    /// All settings, in the order of the struct.
    fn describe() -> Vec<SettingInfo>;
    /// Sets one by name; `Ok(false)` where there is none of that name, `Err` with what it takes.
    fn set(&mut self, name: &str, value: &Value) -> Result<bool, Kind>;
    /// Whether every setting is one of those it takes; `Err` with the name of the first that is not, what it
    /// takes, and what it is.
    fn check(&self) -> Result<(), (&'static str, Kind, Value)>;
}

/// The end of a field's documentation: its unit, where it has one.
macro_rules! in_unit {
    ("") => {
        ""
    };
    ($unit:tt) => {
        concat!("(", $unit, ")")
    };
}

/// Declares a struct of settings: `name: type = default, "unit", [low, high];` per setting, and
/// `with name: Struct;` for settings of a part.
macro_rules! settings {
    ($(#[$outer:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ $field:ident: $ty:ty = $default:expr $(, $unit:tt, [$low:expr, $high:expr])?;)*
        $(with $with:ident: $wty:ty;)*
    }) => {
        $(#[$outer])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $($(#[doc = $doc])+ $(#[doc = $crate::settings::in_unit!($unit)])? pub $field: $ty,)*
            $(#[doc = concat!("The settings of the part `", stringify!($with), "`.")] pub $with: $wty,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* $($with: <$wty>::default(),)* }
            }
        }

        impl $crate::settings::Configure for $name {
            fn describe() -> Vec<$crate::settings::SettingInfo> {
                #[allow(unused_imports)]
                use $crate::settings::{Setting, SettingInfo};
                #[allow(unused_variables)]
                let defaults = Self::default();
                #[allow(unused_mut)]
                let mut all = vec![$(SettingInfo {
                    name: stringify!($field),
                    doc: concat!($($doc),+).trim_ascii_start(),
                    unit: concat!("" $(, $unit)?),
                    kind: {
                        let range = $crate::settings::range(&[$($low, $high)?]);
                        <$ty>::kind(range)
                    },
                    default: defaults.$field.value(),
                }),*];
                $(all.extend(<$wty>::describe());)*
                all
            }

            #[allow(unused_variables)]
            fn set(
                &mut self,
                name: &str,
                value: &$crate::settings::Value,
            ) -> Result<bool, $crate::settings::Kind> {
                #[allow(unused_imports)]
                use $crate::settings::Setting;
                match name {
                    $(stringify!($field) => {
                        let range = $crate::settings::range(&[$($low, $high)?]);
                        self.$field = <$ty>::read(value, range).ok_or_else(|| <$ty>::kind(range))?;
                        Ok(true)
                    })*
                    _ => {
                        $(if self.$with.set(name, value)? {
                            return Ok(true);
                        })*
                        Ok(false)
                    }
                }
            }

            fn check(
                &self,
            ) -> Result<(), (&'static str, $crate::settings::Kind, $crate::settings::Value)> {
                #[allow(unused_imports)]
                use $crate::settings::Setting;
                $({
                    let (range, value) = ($crate::settings::range(&[$($low, $high)?]), self.$field.value());
                    if <$ty>::read(&value, range).is_none() {
                        return Err((stringify!($field), <$ty>::kind(range), value));
                    }
                })*
                $(self.$with.check()?;)*
                Ok(())
            }
        }
    };
}

/// Declares a setting that is one of several named choices; the first is the default.
macro_rules! choice {
    ($(#[$outer:meta])* pub enum $name:ident {
        $($(#[$inner:meta])* $variant:ident = $text:literal,)+
    }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$inner])* $variant,)+ }

        impl $name {
            /// The names as written in scenes.
            pub const NAMES: &'static [&'static str] = &[$($text),+];
        }

        impl $crate::settings::Setting for $name {
            fn kind(_: [f64; 2]) -> $crate::settings::Kind {
                $crate::settings::Kind::Choice(Self::NAMES)
            }
            fn value(&self) -> $crate::settings::Value {
                match self { $(Self::$variant => $text.into(),)+ }
            }
            fn read(value: &$crate::settings::Value, _: [f64; 2]) -> Option<Self> {
                match value {
                    $crate::settings::Value::Text(text) => match text.as_str() {
                        $($text => Some(Self::$variant),)+
                        _ => None,
                    },
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use {choice, in_unit, settings};
