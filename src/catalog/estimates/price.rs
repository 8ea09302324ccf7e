//! Which contracts have a price that can be compared.

use crate::model::{Date, Record, Role, fold::fold};

/// Decision D-86: a value of one dollar or less is not a price. Publishers write 1 $ or 0.01 $
/// where a list of suppliers, or a call without a sum, needs a value.
pub(crate) const MIN_PRICE: f64 = 1.01;

/// The award day and the price in Canadian dollars. `None` for a record that cannot be compared:
/// without date or price, in another currency, a standing offer or supply arrangement.
pub(crate) fn date_and_price(record: &Record) -> Option<(Date, f64)> {
    let value = record.dollars().filter(|value| *value >= MIN_PRICE)?;
    let date = record.date(Role::Date)?;
    if is_agreement(record) {
        None
    } else {
        Some((date, value))
    }
}

/// Whether it is a standing offer or supply arrangement, whose value is a ceiling or missing.
fn is_agreement(record: &Record) -> bool {
    record.text("instrument_type") == Some("SOSA")
        || ["notice_type_en", "procurement_method_en"].iter().any(|field| {
            let words = record.text(field).map(fold).unwrap_or_default();
            words.contains("standing offer") || words.contains("supply arrangement")
        })
}
