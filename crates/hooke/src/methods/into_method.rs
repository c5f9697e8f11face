//! Conversion into a method: from settings, a method, or a name.

use super::{
    Auto, AutoSettings, Bdf2, Bdf2Settings, Beta, BetaSettings, Configured, Constrained,
    ConstrainedSettings, HierarchicalPbd, HierarchicalPbdSettings, ImplicitMidpoint,
    ImplicitMidpointSettings, Linearized, LinearizedSettings, Method, Newton, NewtonSettings, Pbd,
    PbdSettings, QuasiNewton, QuasiNewtonSettings, Refusal, SymplecticEuler,
    SymplecticEulerSettings, Vbd, VbdSettings, Xpbd, XpbdSettings, find,
};
use crate::settings::Configure;

/// Types that convert into a method: the settings of one, a method itself (also a custom one), or a
/// name of [`METHODS`](super::METHODS), with its default settings.
///
/// ```
/// use hooke::methods::{IntoMethod, NewtonSettings, Rk4};
///
/// NewtonSettings { iterations: 5, ..Default::default() }.into_method()?;
/// Rk4::default().into_method()?;
/// "newton".into_method()?;
/// assert!(NewtonSettings { tolerance: -1.0, ..Default::default() }.into_method().is_err());
/// # Ok::<(), hooke::Refusal>(())
/// ```
pub trait IntoMethod {
    /// The method, or why it cannot be built.
    fn into_method(self) -> Result<Box<dyn Method>, Refusal>;
}

impl<M: Method + 'static> IntoMethod for M {
    fn into_method(self) -> Result<Box<dyn Method>, Refusal> {
        Ok(Box::new(self))
    }
}

impl IntoMethod for Box<dyn Method> {
    fn into_method(self) -> Result<Box<dyn Method>, Refusal> {
        Ok(self)
    }
}

impl IntoMethod for &str {
    fn into_method(self) -> Result<Box<dyn Method>, Refusal> {
        let Some(info) = find(self) else {
            return Err(Refusal::UnknownMethod { name: self.to_owned() });
        };
        (info.build)(&[])
    }
}

macro_rules! settings_of {
    ($($method:ident: $settings:ident,)+) => {
        $(impl IntoMethod for $settings {
            fn into_method(self) -> Result<Box<dyn Method>, Refusal> {
                if let Err((name, kind, value)) = self.check() {
                    return Err(Refusal::InvalidSetting { name: name.to_owned(), kind, value });
                }
                Ok(Box::new($method::with(self)))
            }
        })+
    };
}

settings_of! {
    SymplecticEuler: SymplecticEulerSettings,
    Beta: BetaSettings,
    Linearized: LinearizedSettings,
    Newton: NewtonSettings,
    ImplicitMidpoint: ImplicitMidpointSettings,
    Bdf2: Bdf2Settings,
    QuasiNewton: QuasiNewtonSettings,
    Constrained: ConstrainedSettings,
    Vbd: VbdSettings,
    Pbd: PbdSettings,
    Xpbd: XpbdSettings,
    HierarchicalPbd: HierarchicalPbdSettings,
    Auto: AutoSettings,
}
