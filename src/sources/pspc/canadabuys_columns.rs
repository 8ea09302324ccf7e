//! What CanadaBuys files share: columns, and the fields that are made of several columns.
//!
//! Column names are `<english>-<french>`. Bilingual columns come in pairs with the suffixes `-eng`
//! and `-fra`. The publisher's typing errors in the names are kept.

use std::borrow::Cow;

use crate::model::{countries, municipality, record::is_amendment, vocabulary::CATEGORIES};
use crate::sources::{
    common::eligibility::Eligibility,
    pspc::common,
    reading::{Column, ColumnRule::*, CsvRow, DraftRecord, FieldValue, text},
};

pub(crate) const REFERENCE: &str = "referenceNumber-numeroReference";
pub(crate) const AMENDMENT: &str = "amendmentNumber-numeroModification";
pub(crate) const PUBLISHED: &str = "publicationDate-datePublication";
const CATEGORY: &str = "procurementCategory-categorieApprovisionnement";

#[rustfmt::skip]
pub(crate) static NOTICE_COLUMNS: &[Column] = &[
    ("publication_date", PUBLISHED, Day),
    ("title_en", "title-titre-eng", Line),
    ("title_fr", "title-titre-fra", Line),
    ("buyer_name", "contractingEntityName-nomEntitContractante-eng", Organization),
    ("notice_type_en", "noticeType-avisType-eng", Line),
    ("notice_type_fr", "noticeType-avisType-fra", Line),
    ("procurement_method_en", "procurementMethod-methodeApprovisionnement-eng", Line),
    ("procurement_method_fr", "procurementMethod-methodeApprovisionnement-fra", Line),
    ("reference_number", REFERENCE, Line),
    ("amendment_number", AMENDMENT, Line),
    ("amendment_date", "amendmentDate-dateModification", Day),
    ("solicitation_number", "solicitationNumber-numeroSollicitation", Line),
    ("gsin", "gsin-nibs", Codes),
    ("gsin_description_en", "gsinDescription-nibsDescription-eng", Words),
    ("gsin_description_fr", "gsinDescription-nibsDescription-fra", Words),
    ("unspsc", "unspsc", Codes),
    ("unspsc_description_en", "unspscDescription-eng", Words),
    ("unspsc_description_fr", "unspscDescription-fra", Words),
    ("regions_of_delivery_en", "regionsOfDelivery-regionsLivraison-eng", Words),
    ("regions_of_delivery_fr", "regionsOfDelivery-regionsLivraison-fra", Words),
    ("trade_agreements_en", "tradeAgreements-accordsCommerciaux-eng", Words),
];

/// The columns that award notices and the contract history have in addition.
#[rustfmt::skip]
pub(crate) static AWARD_COLUMNS: &[Column] = &[
    ("award_date", "contractAwardDate-dateAttributionContrat", Day),
    ("start_date", "contractStartDate-contratDateDebut", Day),
    ("end_date", "contractEndDate-dateFinContrat", Day),
    ("contract_number", "contractNumber-numeroContrat", Line),
    ("currency", "contractCurrency-contratMonnaie", Line),
    ("vendor_city", "supplierAddressCity-fournisseurAdresseVille-eng", Line),
    ("vendor_province", "supplierAddressProvince-fournisseurAdresseProvince-eng", Line),
    ("vendor_postal_code", "supplierAddressPostalCode-fournisseurAdresseCodePostal", PostalCode),
];

pub(crate) const AMOUNT: &str = "contractAmount-montantContrat";
pub(crate) const TOTAL: &str = "totalContractValue-valeurTotaleContrat";
const COUNTRY: &str = "supplierAddressCountry-fournisseurAdressePays-eng";

/// The contract's amount and its total with all amendments. One of them may be 0.00 while the other
/// has the value; then the zero is dropped.
pub(crate) fn amount_and_total(row: &CsvRow) -> (Option<f64>, Option<f64>) {
    common::without_placeholder_zero(row.money(AMOUNT), row.money(TOTAL))
}

/// The amount and the total of an award notice. A contract that was never amended has only one
/// value, so a 0.00 is replaced by the other amount. An amendment may add nothing, but its total
/// cannot be zero if it adds something.
pub(crate) fn award_amount_and_total(row: &CsvRow, amendment: &str) -> (Option<f64>, Option<f64>) {
    let (amount, total) = (row.money(AMOUNT), row.money(TOTAL));
    match (amount, total) {
        (Some(0.0), Some(value)) | (Some(value), Some(0.0)) if value > 0.0 && !is_amendment(amendment) => {
            (Some(value), Some(value))
        }
        (Some(0.0), _) => (amount, total),
        _ => common::without_placeholder_zero(amount, total),
    }
}

/// The last part of the address of a notice's page, which the publisher derives from the reference
/// number.
pub(crate) fn page_slug(reference: &str) -> String {
    let mut slug = String::with_capacity(reference.len());
    for c in reference.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() || (c == '-' && !slug.is_empty() && !slug.ends_with('-')) {
            slug.push(c);
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Sets the fields of every record that are not copied from a single column.
pub(crate) fn set_shared_fields(row: &CsvRow, record: &mut DraftRecord) {
    let province = row.raw("contractingEntityAddressProvince-entiteContractanteAdresseProvince-eng");
    record.set_jurisdiction(municipality::FEDERAL, "federal", municipality::province_code(province));
    // PSPC buys for other departments: the end user is more informative than the contracting
    // entity.
    for (field, user, buyer) in [
        (
            "department_en",
            "endUserEntitiesName-nomEntitesUtilisateurFinal-eng",
            "contractingEntityName-nomEntitContractante-eng",
        ),
        (
            "department_fr",
            "endUserEntitiesName-nomEntitesUtilisateurFinal-fra",
            "contractingEntityName-nomEntitContractante-fra",
        ),
    ] {
        let users = text::list(row.raw(user)).join("; ");
        let department = text::organization(&users).or_else(|| text::organization(row.raw(buyer)));
        record.set(field, department);
    }
    record.set("procurement_category", category(row));
    record.set("eligibility", eligibility(row));
}

pub(crate) fn vendor_country<'a>(row: &CsvRow<'a>) -> Option<Cow<'a, str>> {
    row.line_of(COUNTRY).map(countries::code)
}

/// The known categories of the row, in the order of [`CATEGORIES`].
fn category(row: &CsvRow) -> Option<Cow<'static, str>> {
    let stated = text::list(row.raw(CATEGORY));
    if stated.iter().any(|code| !CATEGORIES.contains(&code.as_ref())) {
        row.note("a procurement category other than the four known ones, left out".to_owned());
    }
    let known = CATEGORIES.into_iter().filter(|code| stated.iter().any(|s| s == code));
    text::joined(known.map(Cow::from).collect(), ",")
}

fn eligibility(row: &CsvRow) -> Option<FieldValue<'static>> {
    let joined = |column| text::joined(text::list(row.raw(column)), "; ");
    let agreements = text::list(row.raw("tradeAgreements-accordsCommerciaux-eng"));
    let eligibility = Eligibility {
        trade_agreements: agreements.iter().map(|name| common::agreement(name).into()).collect(),
        regions_of_opportunity: text::list(row.raw("regionsOfOpportunity-regionAppelOffres-eng")),
        limited_tendering_reason_en: joined("limitedTenderingReason-raisonAppelOffresLimite-eng"),
        limited_tendering_reason_fr: joined("limitedTenderingReason-raisonAppelOffresLimite-fra"),
        selection_criteria_en: joined("selectionCriteria-criteresSelection-eng"),
        selection_criteria_fr: joined("selectionCriteria-criteresSelection-fra"),
        ..Eligibility::default()
    };
    eligibility.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_slugs_have_no_special_characters() {
        for (reference, slug) in [
            ("CB-640-76184215", "cb-640-76184215"),
            ("PW-_NCS-030-11940", "pw-ncs-030-11940"),
            ("SSC-26-00034400:T", "ssc-26-00034400t"),
            ("W7714-228152/002/QF", "w7714-228152002qf"),
            ("PW-$$ZL-102-25299", "pw-zl-102-25299"),
        ] {
            assert_eq!(page_slug(reference), slug);
        }
    }
}
