//! The roles of fields in a search, and how an index stores each of them.

use serde::{Deserialize, Serialize};

/// What a field is used for in a search. The fields with one role, which may have other names in
/// each entity type, are searched through one index field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The `record_id`, not folded.
    RecordId,
    /// The event date: for the default order, `issued_after` and `issued_before`.
    Date,
    ClosingDate,
    /// The last day of a contract or of an offer.
    EndDate,
    /// The amount in dollars for `value_min`, `value_max` and `sort_by=value`. A record's value is
    /// that of the first of these fields that it has.
    Value,
    /// The value before amendments.
    OriginalValue,
    Municipality,
    Category,
    Status,
    ProcurementMethod,
    NoticeType,
    VendorProvince,
    VendorCity,
    /// The code of the country, and that it is abroad.
    VendorCountry,
    ReferenceNumber,
    /// The folded number that the records of one solicitation share.
    SolicitationNumber,
    Department,
    Vendor,
    /// The fields that `q` searches.
    Text,
    /// Title and description, for similarity searches. [`crate::model::similarity_terms`] splits
    /// them into the terms that similar records share.
    Subject,
    /// Commodity codes, indexed by the keys of [`crate::model::commodity`] and searched by prefix.
    Commodity,
    /// What the record is called; the description where the entity type has no title. Words in it
    /// count most in the order by relevance.
    Title,
    /// The titles of its commodity codes.
    CommodityWords,
    /// Fields that name a natural person: `q` never searches them.
    Person,
    /// What is doubtful about the record: members of [`crate::model::vocabulary::QUALITY_FLAGS`].
    QualityFlag,
    /// Who could bid, derived from the method of procurement: [`crate::model::procurement_method`].
    Competition,
    /// Whether its contract was amended: [`crate::model::record::AMENDED`].
    Amended,
    GovernmentLevel,
    /// The class of its buyer, derived from the names of the buyer: [`crate::model::body_class`].
    BodyClass,
    /// The regions where the purchase is delivered, and the province of a provincial or municipal buyer.
    Region,
}

/// How an index stores a role. Both engines derive the types of their fields from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoleStorage {
    /// What identifies the record. No filter and no text of a search uses it.
    Id,
    /// A key that is only compared as a whole.
    Key,
    /// A key that is also searched by its start or a part of it.
    Name,
    Day,
    Amount,
    /// The words of texts with their positions.
    Words,
    /// Similarity terms.
    Terms,
    /// Not stored by itself.
    None,
}

/// Each role with its name in `index-schema` and in an index, and how it is stored. The order is that of the fields of
/// an index: to change it, raise `INDEX_FORMAT` in `schema.rs`.
const ROLES: [(Role, &str, RoleStorage); Role::COUNT] = [
    (Role::RecordId, "record_id", RoleStorage::Id),
    (Role::Municipality, "municipality", RoleStorage::Key),
    (Role::Category, "category", RoleStorage::Key),
    (Role::Status, "status", RoleStorage::Key),
    (Role::NoticeType, "notice_type", RoleStorage::Key),
    (Role::VendorProvince, "vendor_province", RoleStorage::Key),
    (Role::VendorCity, "vendor_city", RoleStorage::Key),
    (Role::VendorCountry, "vendor_country", RoleStorage::Key),
    (Role::ReferenceNumber, "reference_number", RoleStorage::Key),
    (Role::SolicitationNumber, "solicitation_number", RoleStorage::Key),
    (Role::QualityFlag, "quality_flag", RoleStorage::Key),
    (Role::Competition, "competition", RoleStorage::Key),
    (Role::Amended, "amended", RoleStorage::Key),
    (Role::GovernmentLevel, "government_level", RoleStorage::Key),
    (Role::BodyClass, "body_class", RoleStorage::Key),
    (Role::Region, "region", RoleStorage::Key),
    (Role::Department, "department", RoleStorage::Name),
    (Role::Vendor, "vendor", RoleStorage::Name),
    (Role::ProcurementMethod, "procurement_method", RoleStorage::Name),
    (Role::Commodity, "commodity", RoleStorage::Name),
    (Role::Date, "date", RoleStorage::Day),
    (Role::ClosingDate, "closing_date", RoleStorage::Day),
    (Role::EndDate, "end_date", RoleStorage::Day),
    (Role::Value, "value", RoleStorage::Amount),
    (Role::OriginalValue, "original_value", RoleStorage::Amount),
    (Role::Text, "text", RoleStorage::Words),
    (Role::Subject, "subject", RoleStorage::Terms),
    (Role::Title, "title", RoleStorage::None),
    (Role::CommodityWords, "commodity_words", RoleStorage::None),
    (Role::Person, "person", RoleStorage::None),
];

impl Role {
    /// How many roles there are.
    pub(crate) const COUNT: usize = Role::Region as usize + 1;

    /// All roles, in the order of the fields of an index.
    pub(crate) fn all() -> impl Iterator<Item = Role> {
        ROLES.into_iter().map(|(role, ..)| role)
    }

    /// The roles that are stored in one way, in the order of the fields of an index. `N` is
    /// [`Role::number_of`].
    pub(crate) const fn stored_as<const N: usize>(storage: RoleStorage) -> [Role; N] {
        let mut roles = [ROLES[0].0; N];
        let (mut row, mut number) = (0, 0);
        while row < ROLES.len() {
            if ROLES[row].2 as u8 == storage as u8 {
                roles[number] = ROLES[row].0;
                number += 1;
            }
            row += 1;
        }
        roles
    }

    pub(crate) const fn number_of(storage: RoleStorage) -> usize {
        let (mut row, mut number) = (0, 0);
        while row < ROLES.len() {
            number += (ROLES[row].2 as u8 == storage as u8) as usize;
            row += 1;
        }
        number
    }

    /// The name of the role in `index-schema`, and of its field in an index.
    pub(crate) const fn name(self) -> &'static str {
        self.row().1
    }

    pub(crate) const fn storage(self) -> RoleStorage {
        self.row().2
    }

    /// Panics for a role without a row, which the tests find.
    const fn row(self) -> (Role, &'static str, RoleStorage) {
        let mut number = 0;
        while ROLES[number].0 as usize != self as usize {
            number += 1;
        }
        ROLES[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_has_one_row_with_the_name_that_schemas_use() {
        for (number, role) in Role::all().enumerate() {
            let parsed: Role = serde_json::from_value(serde_json::json!(role.name())).unwrap();
            assert_eq!(parsed, role);
            assert!(
                Role::all().take(number).all(|other| other != role),
                "{role:?} has two rows"
            );
        }
        // The last variant of the enum.
        assert_eq!(Role::all().count(), Role::Region as usize + 1);
    }
}
