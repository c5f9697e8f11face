//! Why methods refuse models, each reason once.

use crate::methods::Refusal;
use crate::model::{Model, PinEnforcement};

/// Whether a model has pins that are held by force cancellation.
pub(crate) fn cancels_pins(model: &Model) -> bool {
    model.pin_enforcement() == PinEnforcement::Cancellation && !model.pins().is_empty()
}

/// Refuses pins by force cancellation to a method that cannot hold them so.
pub(crate) fn refuse_cancellation(method: &str, model: &Model) -> Result<(), Refusal> {
    if cancels_pins(model) {
        return Err(Refusal::no_cancellation(method));
    }
    Ok(())
}

/// Refuses pins by force cancellation to a linear solver that does not filter them.
pub(crate) fn refuse_unfiltered_cancellation(model: &Model) -> Result<(), Refusal> {
    if cancels_pins(model) {
        let sentence = "pins by force cancellation need an explicit method or solver = \
                        \"pcg-filtered\"; pins by elimination work everywhere";
        return Err(Refusal::UnsupportedPins { sentence: sentence.into() });
    }
    Ok(())
}

/// Refuses elements that couple all their particles at once.
pub(crate) fn refuse_dense_elements(method: &str, model: &Model) -> Result<(), Refusal> {
    match model.elements().iter().find(|batch| batch.rank_ones() > 0) {
        None => Ok(()),
        Some(batch) => {
            let law = batch.law().name;
            let sentence = format!(
                "{method} cannot hold elements of {law}, which couple all their particles at once; \
                 newton or quasi-newton would do"
            );
            Err(Refusal::UnsupportedLaw { law, sentence })
        }
    }
}
