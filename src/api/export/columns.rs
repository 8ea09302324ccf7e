//! The columns of an export: names and types, from the schema of what its rows are.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::Value;

use crate::model::{Schema, schema::FieldType};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Text,
    Date,
    Number,
    Count,
    Boolean,
    TextArray,
    /// Any value, as JSON text.
    Json,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) column_type: ColumnType,
    /// What it holds, in a sentence.
    pub(crate) about: String,
}

/// The columns of the records of an entity type: its declared fields.
pub(crate) fn of_records(schema: &Schema) -> Vec<Column> {
    let fields = schema.fields.iter();
    let column = fields.map(|field| Column {
        name: field.name.clone(),
        column_type: match field.field_type {
            FieldType::Text => ColumnType::Text,
            FieldType::Date => ColumnType::Date,
            FieldType::Number => ColumnType::Number,
            FieldType::Count => ColumnType::Count,
            FieldType::TextArray => ColumnType::TextArray,
            FieldType::Object | FieldType::ObjectArray => ColumnType::Json,
        },
        about: field.description.clone(),
    });
    column.collect()
}

/// The columns with the supplier of a record, in files whose columns have types: its identifier and its name.
pub(crate) fn of_supplier() -> [Column; 2] {
    [
        (
            SUPPLIER[0],
            "Identifier of the supplier that the vendor's name is one of",
        ),
        (SUPPLIER[1], "The name of this supplier, as `/suppliers` states it"),
    ]
    .map(|(name, about)| Column {
        name: name.to_owned(),
        column_type: ColumnType::Text,
        about: about.to_owned(),
    })
}

/// The names of these columns.
pub(crate) const SUPPLIER: [&str; 2] = ["supplier_id", "supplier_name"];

/// The columns of rows that are computed: the members of their type.
pub(crate) fn of_rows<T: JsonSchema>() -> Vec<Column> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let members = schema["properties"].as_object().into_iter().flatten();
    let column = members.map(|(name, member)| Column {
        name: name.clone(),
        column_type: type_of(&schema, member),
        about: member["description"].as_str().unwrap_or_default().to_owned(),
    });
    column.collect()
}

/// The type of the column for a member with this schema; null and absent are possible for every type.
fn type_of(root: &Value, member: &Value) -> ColumnType {
    if let Some(name) = member["$ref"].as_str().and_then(|text| text.strip_prefix("#/$defs/")) {
        return type_of(root, &root["$defs"][name]);
    }
    let names = |of: &Value| match of {
        Value::Array(names) => names.iter().find(|name| **name != "null").cloned(),
        other => Some(other.clone()),
    };
    let name = names(&member["type"]).unwrap_or_default();
    match name.as_str() {
        Some("string") if member["format"] == "date" => ColumnType::Date,
        Some("string") => ColumnType::Text,
        Some("number") => ColumnType::Number,
        Some("integer") => ColumnType::Count,
        Some("boolean") => ColumnType::Boolean,
        Some("array") if member["items"]["type"] == "string" => ColumnType::TextArray,
        _ => ColumnType::Json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::analysis::{bids::comparison::NoticeBidRow, supplier::SupplierRow},
        model::EntityType,
    };

    #[test]
    fn columns_have_the_types_of_what_they_hold() {
        let types = |columns: Vec<Column>, names: &[&str]| -> Vec<ColumnType> {
            let of = |name: &&str| columns.iter().find(|column| column.name == *name).unwrap().column_type;
            names.iter().map(of).collect()
        };
        assert_eq!(
            types(
                of_rows::<NoticeBidRow>(),
                &[
                    "record_id",
                    "date",
                    "procedure",
                    "amount",
                    "unit",
                    "won",
                    "admissible",
                    "lots"
                ]
            ),
            [
                ColumnType::Text,
                ColumnType::Date,
                ColumnType::Text,
                ColumnType::Number,
                ColumnType::Text,
                ColumnType::Boolean,
                ColumnType::Boolean,
                ColumnType::TextArray
            ]
        );
        assert_eq!(
            types(
                of_rows::<SupplierRow>(),
                &["id", "records", "total_value", "first_year", "open_calls"]
            ),
            [
                ColumnType::Text,
                ColumnType::Count,
                ColumnType::Number,
                ColumnType::Count,
                ColumnType::Json
            ]
        );
        assert_eq!(
            types(
                of_records(Schema::of(EntityType::Tender)),
                &["publication_date", "quality_flags"]
            ),
            [ColumnType::Date, ColumnType::TextArray]
        );
    }
}
