//! A file of all records of one entity type that match a filter, such as those of a supplier: page by page, the newest
//! first.

use crate::{
    api::{
        analysis::commodity::most_records,
        cost::MAX_QUICK_RECORDS,
        export::csv_rows::Rows,
        params::{
            paging::{MAX_LIMIT, cursor_of_another_query, invalid_cursor, limit_applied},
            param::Param,
            parse::{Case, Given},
            read::read_all,
            value::{ENTITY_TYPES, ParamType},
        },
    },
    catalog::{ask::Ask, generation::Generation},
    http::{
        error::ApiError,
        search_pool::Lane,
        work::{Reply, Work},
    },
    model::{EntityType, Language, Schema},
    pages::{address::Parameters, page::PageCall, spreadsheet::file},
    query::{
        Filter, Page, SearchQuery, Start,
        cursor::{Cursor, CursorError},
    },
};

#[derive(Debug, Default, PartialEq)]
pub(crate) struct FileParams {
    kind: Option<Given<&'static str>>,
    limit: Option<Given<u64>>,
    cursor: Option<Given<String>>,
}

pub(crate) static TABLE: &[Param<FileParams>] = &[
    Param::new(
        "kind",
        "The entity type of the records",
        ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.kind),
    ),
    Param::new(
        "limit",
        "Maximum number of records of the file; a plan may lower it",
        ParamType::Integer(1, MAX_LIMIT, |p| &mut p.limit),
    ),
    Param::new(
        "cursor",
        "That of the `Link` header of the file before",
        ParamType::Text(|p| &mut p.cursor),
    ),
];

/// Which file is asked for.
pub(crate) struct FileRequest {
    /// The entity type that the address states.
    pub(crate) kind: Option<EntityType>,
    limit: usize,
    /// The limit, if the plan lowered the requested one.
    lowered_limit: Option<u64>,
    cursor: Option<Given<String>>,
    /// The address of the file.
    path: String,
    parameters: Parameters,
    /// The language of the page that the file belongs to.
    lang: Language,
}

/// Whose records a file has.
pub(crate) struct Subject {
    /// What a record has, in an error: `the vendor 'Acme'`.
    pub(crate) what: String,
    /// How to find one that records have, in an error.
    pub(crate) cure: &'static str,
    /// The entity types whose records can have it.
    pub(crate) entity_types: Vec<EntityType>,
}

/// The file of a subject's records: those of the entity type that the address states, or else those of
/// [`most_records`], as on its page. `filter` finds them; `None` if the entity type has none.
pub(crate) fn file_of(
    call: &PageCall,
    subject: Subject,
    filter: impl Fn(&Ask, EntityType) -> Result<Option<Filter>, ApiError> + Send + 'static,
) -> Result<Work, ApiError> {
    let wanted = FileRequest::read(call)?;
    let entity_types = wanted.kind.map_or(subject.entity_types, |kind| vec![kind]);
    let records = |of: &EntityType| call.generation.manifest_of(*of).records;
    let largest = entity_types.iter().copied().max_by_key(records);
    let lane = FileRequest::lane(&call.generation, largest.unwrap_or(EntityType::Contract));
    let work = Work::search(&call.generation, move |ask| {
        let mut queries = Vec::new();
        for entity_type in entity_types {
            let filter = filter(ask, entity_type)?;
            queries.extend(filter.map(|filter| SearchQuery::newest(entity_type, vec![filter])));
        }
        let counts = ask.counts(queries.clone())?;
        let chosen = most_records(queries.iter().map(|query| query.entity_type).zip(counts));
        if let Some(query) = queries.iter().find(|query| Some(query.entity_type) == chosen) {
            return wanted.reply(ask, query);
        }
        let what = subject.what;
        Err(ApiError::not_found(match wanted.kind {
            Some(kind) => format!("no {kind} record has {what}; leave out 'kind' for records of another entity type"),
            None => format!("no record has {what}; {}", subject.cure),
        }))
    });
    call.validated(work.in_lane(lane), &(call.path, call.query))
}

impl FileRequest {
    /// Reads the address. Without a limit, a file is as long as the plan allows.
    pub(crate) fn read(call: &PageCall) -> Result<FileRequest, ApiError> {
        let given: FileParams = read_all(TABLE, call.query)?;
        let longest = MAX_LIMIT.min(call.plan_limits.page_cap.into());
        let requested = given.limit.map_or(longest, |given| given.value);
        Ok(FileRequest {
            kind: given.kind.and_then(|given| EntityType::parse(given.value)),
            limit: requested.min(longest) as usize,
            lowered_limit: (requested > longest).then_some(longest),
            cursor: given.cursor,
            path: call.path.to_owned(),
            parameters: Parameters::parse(call.query)?,
            lang: call.lang,
        })
    }

    /// The lane of a file of records of an entity type: no more is read than the file has, but a filter may match few
    /// of many records.
    pub(crate) fn lane(generation: &Generation, entity_type: EntityType) -> Lane {
        if generation.manifest_of(entity_type).records > MAX_QUICK_RECORDS {
            Lane::Heavy
        } else {
            Lane::Quick
        }
    }

    /// The records that match.
    fn reply(&self, ask: &Ask, query: &SearchQuery) -> Result<Reply, ApiError> {
        let entity_type = query.entity_type;
        let page = Page {
            limit: self.limit,
            start: self.start(query)?,
        };
        let hits = ask.search(query, &page)?;
        let records = hits.records.iter().map(|record| record.as_ref());
        let mut reply = file::reply(
            entity_type.name(),
            Rows(self.lang).records(Schema::of(entity_type), records),
        )?;
        let applied = if hits.is_cut {
            Some(hits.records.len() as u64)
        } else {
            self.lowered_limit
        };
        reply.headers.extend(applied.map(limit_applied));
        if let Some(position) = hits.next {
            let cursor = Cursor::new(query, position).encode();
            // The entity type may be one that the address leaves open.
            let parameters = self.parameters.with("kind", entity_type.name());
            let link = file::next_link(&self.path, &parameters, "cursor", &cursor)?;
            reply.headers.push(link);
        }
        Ok(reply)
    }

    fn start(&self, query: &SearchQuery) -> Result<Start, ApiError> {
        let Some(given) = &self.cursor else {
            return Ok(Start::Offset(0));
        };
        match Cursor::decode(&given.value).and_then(|cursor| cursor.position_in(query)) {
            Ok(position) => Ok(Start::After(position)),
            Err(CursorError::Undecodable) => Err(invalid_cursor(given)),
            Err(CursorError::QueryMismatch) => Err(cursor_of_another_query()),
        }
    }
}
