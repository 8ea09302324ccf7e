//! The contracts that a tender is compared with: as a table, and drawn.

use crate::{
    catalog::estimates::answer::{
        self, Comparable, Comps, Estimate, EstimateStatus, ExpiringContract, StandingOfferHolder,
    },
    http::error::ApiError,
    model::{EntityType, Language},
    pages::{
        address,
        charts::{Band, Dot, DotPlot, MarkKind, ValueMark},
        estimate::summary::{day, rounded},
        messages::Texts,
        record::listed::{ListedRecord, parse},
    },
};

/// A row of the table, and a dot.
pub(super) struct Compared {
    pub(super) record: ListedRecord,
    /// Canadian dollars.
    value: Option<f64>,
    weight_share: f64,
    pub(super) weight: String,
    pub(super) reasons: Vec<String>,
}

/// The vendor of the last contract for the same need at this buyer.
pub(super) struct Incumbent {
    pub(super) name: String,
    pub(super) vendor_href: String,
    pub(super) record_href: String,
    pub(super) value: String,
    pub(super) awarded: Option<String>,
    pub(super) ends: Option<String>,
    /// How many of the buyer's contracts for this need it had.
    pub(super) share: String,
}

/// A contract of this buyer for such a need that ends soon.
pub(super) struct Expiring {
    pub(super) href: String,
    pub(super) title: String,
    pub(super) vendor: Option<String>,
    pub(super) value: String,
    pub(super) ends: String,
}

/// A supplier with a standing offer for such a need.
pub(super) struct Holder {
    pub(super) href: String,
    pub(super) name: String,
    pub(super) number: Option<String>,
    pub(super) description: Option<String>,
    pub(super) expires: Option<String>,
}

impl Compared {
    pub(super) fn of(t: Texts, comparable: &Comparable) -> Result<Compared, ApiError> {
        let record = parse(comparable.entity_type, comparable.record.get().as_bytes())?;
        // Identifiers of other records say nothing to a person.
        let is_shown = |note: &&answer::Note| note.code != "published_twice";
        let reason = |note: &answer::Note| match t.language() {
            Language::English => note.note_en.clone(),
            Language::French => note.note_fr.clone(),
        };
        Ok(Compared {
            record: ListedRecord::of_record(t, comparable.entity_type, &record),
            value: record.dollars(),
            weight_share: comparable.weight,
            weight: t.percent(comparable.weight),
            reasons: comparable.reasons.iter().filter(is_shown).map(reason).collect(),
        })
    }

    /// What a dot says: what was bought, from whom, when.
    fn label(&self) -> String {
        let supplier = self.record.supplier.as_ref().map(|supplier| supplier.text.as_str());
        let parts = [
            Some(self.record.title.text.as_str()),
            supplier,
            self.record.date.as_deref(),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl Incumbent {
    pub(super) fn of(t: Texts, incumbent: &answer::Incumbent) -> Incumbent {
        Incumbent {
            name: incumbent.vendor_name.clone(),
            vendor_href: address::vendor(t.language(), &incumbent.vendor_name),
            record_href: address::record(t.language(), incumbent.entity_type, &incumbent.record_id),
            value: t.money(incumbent.value),
            awarded: incumbent.award_date.as_ref().map(|date| day(t, date)),
            ends: incumbent.end_date.as_ref().map(|date| day(t, date)),
            share: t.with(
                "worth-incumbent-share",
                &[("count", &incumbent.contracts), ("total", &incumbent.of_contracts)],
            ),
        }
    }
}

impl Expiring {
    pub(super) fn of(t: Texts, contract: &ExpiringContract) -> Expiring {
        Expiring {
            href: address::record(t.language(), contract.entity_type, &contract.record_id),
            title: contract.title.clone().unwrap_or_else(|| contract.record_id.clone()),
            vendor: contract.vendor_name.clone(),
            value: t.money(contract.value),
            ends: day(t, &contract.end_date),
        }
    }
}

impl Holder {
    pub(super) fn of(t: Texts, holder: &StandingOfferHolder) -> Holder {
        Holder {
            href: address::record(t.language(), EntityType::StandingOffer, &holder.record_id),
            name: holder.vendor_name.clone(),
            number: holder.agreement_number.clone(),
            description: holder.description.clone(),
            expires: holder.expiry_date.as_ref().map(|date| day(t, date)),
        }
    }
}

/// Each comparable as a dot, with the bands of the estimate and the values to bid around.
pub(super) fn comparables_plot(t: Texts, estimate: &Estimate, comps: &Comps, compared: &[Compared]) -> DotPlot {
    let dots = compared.iter().filter_map(|contract| {
        Some(Dot {
            label: contract.label(),
            value: contract.value?,
            weight: contract.weight_share,
        })
    });
    let band = |key: &str, low: f64, high: f64| Band {
        label: t.text(key),
        low: rounded(low),
        high: rounded(high),
    };
    let percentiles = estimate.percentiles.as_ref();
    let bands = percentiles.map(|of| {
        vec![
            band("worth-band-wide", of.p10, of.p90),
            band("worth-band-narrow", of.p25, of.p75),
        ]
    });
    let mark = |kind: MarkKind, key: &str, value: f64| ValueMark {
        kind,
        label: t.text(key),
        value,
    };
    let mut marks: Vec<ValueMark> = Vec::new();
    marks.extend(percentiles.map(|of| mark(MarkKind::Middle, "worth-middle", of.p50)));
    if let Some(bid) = &comps.bid_around {
        marks.push(mark(MarkKind::BidAround, "worth-bid-aggressive", bid.aggressive));
        marks.push(mark(MarkKind::BidAround, "worth-bid-competitive", bid.competitive));
        marks.push(mark(MarkKind::BidAround, "worth-bid-conservative", bid.conservative));
    }
    let stated = estimate
        .estimated_value
        .filter(|_| estimate.status == EstimateStatus::Stated);
    marks.extend(stated.map(|value| mark(MarkKind::Stated, "worth-mark-stated", value)));
    DotPlot {
        lang: t.language(),
        id: "comparables-plot",
        title: t.text("worth-plot-title"),
        dots: dots.collect(),
        bands: bands.unwrap_or_default(),
        marks,
    }
}
