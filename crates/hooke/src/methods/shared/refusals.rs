//! Reasons why methods reject models, each defined once.

use crate::methods::Refusal;
use crate::model::{Model, PinEnforcement};

/// Whether a model has pins held by force cancellation.
pub(crate) fn cancels_pins(model: &Model) -> bool {
    model.pin_enforcement() == PinEnforcement::Cancellation && !model.pins().is_empty()
}

/// Rejects pins by force cancellation for a method that does not support them.
pub(crate) fn refuse_cancellation(method: &str, model: &Model) -> Result<(), Refusal> {
    if cancels_pins(model) {
        return Err(Refusal::no_cancellation(method));
    }
    Ok(())
}

/// Rejects pins by force cancellation for a linear solver that does not filter.
pub(crate) fn refuse_unfiltered_cancellation(model: &Model) -> Result<(), Refusal> {
    if cancels_pins(model) {
        let sentence = "pins by force cancellation need an explicit method or solver = \
                        \"pcg-filtered\"; pins by elimination work everywhere";
        return Err(Refusal::UnsupportedPins { sentence: sentence.into() });
    }
    Ok(())
}

/// Rejects elements that couple all their particles densely.
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
