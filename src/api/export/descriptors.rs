//! What describes a dump to programs: a Data Package (<https://datapackage.org>), valid as version 1 and as version 2,
//! and a schema.org dataset in the form of Croissant (<https://docs.mlcommons.org/croissant/>).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    api::{
        analysis::citation::Citation,
        export::columns::{Column, ColumnType},
    },
    catalog::generation::Generation,
};

/// The names of the descriptors.
pub(crate) const DATA_PACKAGE: &str = "datapackage.json";
pub(crate) const CROISSANT: &str = "croissant.json";

pub(crate) const PARQUET: &str = "application/vnd.apache.parquet";
pub(crate) const ZSTD: &str = "application/zstd";

/// A list of a dump, with its files.
pub(crate) struct DumpedList {
    pub(crate) name: &'static str,
    /// The column that identifies a row.
    pub(crate) key: Option<&'static str>,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: u64,
    pub(crate) parquet: DumpedFile,
    pub(crate) ndjson: DumpedFile,
}

/// A file of a dump.
pub(crate) struct DumpedFile {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// What programs for Croissant call Parquet.
const CROISSANT_PARQUET: &str = "application/x-parquet";

const TITLE: &str = "Canadian public procurement records";

/// The Data Package.
pub(crate) fn data_package(generation: &Generation, lists: &[DumpedList]) -> Value {
    let citation = Citation::of(generation);
    let resource = |list: &DumpedList, file: &DumpedFile, format: &str, media_type: &str| {
        json!({
            "name": format!("{}-{}", list.name.replace('_', "-"), format.replace('.', "-")),
            "path": file.name,
            "format": format,
            "mediatype": media_type,
            "bytes": file.bytes,
            "hash": format!("sha256:{}", file.sha256),
            "rows": list.rows,
        })
    };
    let resources = lists.iter().flat_map(|list| {
        let mut parquet = resource(list, &list.parquet, "parquet", PARQUET);
        let field = |column: &Column| json!({"name": column.name, "type": data_package_type(column.column_type), "description": column.about});
        let fields: Vec<Value> = list.columns.iter().map(field).collect();
        parquet["schema"] = json!({"fields": fields});
        if let Some(key) = list.key {
            parquet["schema"]["primaryKey"] = json!([key]);
        }
        [parquet, resource(list, &list.ndjson, "ndjson.zst", ZSTD)]
    });
    let licence = |title: &str| json!({"name": slug(title), "title": title});
    let mut sources: Vec<(&str, Option<&str>)> = Vec::new();
    for source in &citation.sources {
        if !sources.iter().any(|(id, _)| *id == source.source_id) {
            sources.push((source.source_id, source.page));
        }
    }
    let sources = sources.into_iter().map(|(title, page)| match page {
        Some(page) => json!({"title": title, "path": page}),
        None => json!({"title": title}),
    });
    json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "profile": "data-package",
        "name": format!("procure-{}", generation.id.to_lowercase()),
        "title": TITLE,
        "description": citation.citation,
        "version": generation.id,
        "created": generation.manifest.built_at,
        "licenses": licences(&citation).into_iter().map(licence).collect::<Vec<Value>>(),
        "sources": sources.collect::<Vec<Value>>(),
        "resources": resources.collect::<Vec<Value>>(),
    })
}

/// The dataset as Croissant describes it, with paths beside the descriptor.
pub(crate) fn croissant(generation: &Generation, lists: &[DumpedList]) -> Value {
    let citation = Citation::of(generation);
    let file = |file: &DumpedFile, media_type: &str| {
        json!({
            "@type": "cr:FileObject",
            "@id": file.name,
            "name": file.name,
            "contentUrl": file.name,
            "contentSize": format!("{} B", file.bytes),
            "encodingFormat": media_type,
            "sha256": file.sha256,
        })
    };
    let files = lists
        .iter()
        .flat_map(|list| [file(&list.parquet, CROISSANT_PARQUET), file(&list.ndjson, ZSTD)]);
    let mut dataset = json!({
        "@context": context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": format!("procure-{}", generation.id),
        "alternateName": TITLE,
        "description": format!("{}: contracts, tenders, awards and offers of Canadian governments, with bids and suppliers.", TITLE),
        "version": generation.id,
        "datePublished": generation.manifest.built_at,
        "citeAs": citation.bibtex(),
        "creator": {"@type": "Organization", "name": citation.software()},
        "license": licences(&citation),
    });
    dataset["distribution"] = files.collect();
    dataset["recordSet"] = lists.iter().map(record_set).collect();
    dataset
}

fn record_set(list: &DumpedList) -> Value {
    let field = |column: &Column| {
        let mut field = json!({
            "@type": "cr:Field",
            "@id": format!("{}/{}", list.name, column.name),
            "name": column.name,
            "description": column.about,
            "dataType": croissant_type(column.column_type),
            "source": {"fileObject": {"@id": list.parquet.name}, "extract": {"column": column.name}},
        });
        if column.column_type == ColumnType::TextArray {
            field["repeated"] = json!(true);
        }
        field
    };
    let mut set = json!({
        "@type": "cr:RecordSet",
        "@id": list.name,
        "name": list.name,
        "description": format!("{} rows", list.rows),
        "field": list.columns.iter().map(field).collect::<Vec<Value>>(),
    });
    if let Some(key) = list.key {
        set["key"] = json!({"@id": format!("{}/{key}", list.name)});
    }
    set
}

/// The licences of the sources, each once.
fn licences<'a>(citation: &Citation<'a>) -> Vec<&'a str> {
    let licences: BTreeSet<&str> = citation.sources.iter().filter_map(|source| source.licence).collect();
    licences.into_iter().collect()
}

/// A name of ASCII letters, digits and hyphens.
fn slug(title: &str) -> String {
    let parts = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty());
    parts.map(str::to_ascii_lowercase).collect::<Vec<String>>().join("-")
}

fn data_package_type(column_type: ColumnType) -> &'static str {
    match column_type {
        ColumnType::Text | ColumnType::Json => "string",
        ColumnType::Date => "date",
        ColumnType::Number => "number",
        ColumnType::Count => "integer",
        ColumnType::Boolean => "boolean",
        ColumnType::TextArray => "array",
    }
}

fn croissant_type(column_type: ColumnType) -> &'static str {
    match column_type {
        ColumnType::Text | ColumnType::Json | ColumnType::TextArray => "sc:Text",
        ColumnType::Date => "sc:Date",
        ColumnType::Number => "sc:Float",
        ColumnType::Count => "sc:Integer",
        ColumnType::Boolean => "sc:Boolean",
    }
}

/// The context that Croissant 1.0 prescribes.
fn context() -> Value {
    json!({
        "@language": "en",
        "@vocab": "https://schema.org/",
        "citeAs": "cr:citeAs",
        "column": "cr:column",
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataBiases": "cr:dataBiases",
        "dataCollection": "cr:dataCollection",
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "equivalentProperty": "cr:equivalentProperty",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "extract": "cr:extract",
        "field": "cr:field",
        "fileObject": "cr:fileObject",
        "fileProperty": "cr:fileProperty",
        "fileSet": "cr:fileSet",
        "format": "cr:format",
        "includes": "cr:includes",
        "isLiveDataset": "cr:isLiveDataset",
        "jsonPath": "cr:jsonPath",
        "key": "cr:key",
        "md5": "cr:md5",
        "parentField": "cr:parentField",
        "path": "cr:path",
        "personalSensitiveInformation": "cr:personalSensitiveInformation",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "recordSet": "cr:recordSet",
        "references": "cr:references",
        "regex": "cr:regex",
        "repeated": "cr:repeated",
        "replace": "cr:replace",
        "samplingRate": "cr:samplingRate",
        "sc": "https://schema.org/",
        "separator": "cr:separator",
        "source": "cr:source",
        "subField": "cr:subField",
        "transform": "cr:transform",
    })
}
