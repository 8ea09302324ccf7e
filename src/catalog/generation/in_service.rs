//! Which generation is served: the one that should be, or, if that one is damaged, the newest other
//! one that is whole.

use std::fmt;

use anyhow::{Context, Error, anyhow};

use super::{opened::Generation, store::GenerationStore};

/// Why the generation that should be served is not: what is wrong, and how to fix it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GenerationFault {
    kind: FaultKind,
    /// The id of the generation that should be served; `None` if it is not known.
    named: Option<String>,
    /// What names the generation that should be served: `CURRENT`, or an alias of the cluster.
    pointer: &'static str,
    why: String,
}

/// What the server can do about a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FaultKind {
    /// The generation, or what names it, is damaged. Another one may be whole.
    Damaged,
    /// The cluster does not answer. No other generation can be read either.
    Unreachable,
    /// The cluster has no generation yet.
    Absent,
}

impl GenerationFault {
    pub(crate) fn new(store: &GenerationStore, named: Option<String>, error: &Error) -> GenerationFault {
        let kind = if store.is_unreachable(error) {
            FaultKind::Unreachable
        } else {
            FaultKind::Damaged
        };
        GenerationFault {
            kind,
            named,
            pointer: store.pointer(),
            why: format!("{error:#}"),
        }
    }

    /// The cluster has not given the generation in the time that a starting server waits for it.
    pub(crate) fn late(store: &GenerationStore) -> GenerationFault {
        GenerationFault {
            kind: FaultKind::Unreachable,
            named: None,
            pointer: store.pointer(),
            why: format!("{} takes long to answer; the server goes on trying", store.place()),
        }
    }

    /// The id of the generation that should be served, if it is known.
    pub(crate) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    /// What is damaged or cannot be reached: the id of a generation, or what names it.
    pub(crate) fn damaged(&self) -> &str {
        self.named().unwrap_or(self.pointer)
    }

    /// Whether time alone may cure it: a cluster that does not answer, or that has no generation
    /// yet. A damaged generation needs the operator.
    pub(crate) fn may_pass(&self) -> bool {
        self.kind != FaultKind::Damaged
    }

    pub(crate) fn is_unreachable(&self) -> bool {
        self.kind == FaultKind::Unreachable
    }

    /// Whether both have the same cause. The texts of a cluster that does not answer differ from
    /// attempt to attempt.
    pub(crate) fn has_cause_of(&self, other: &GenerationFault) -> bool {
        if self.may_pass() {
            self.kind == other.kind
        } else {
            self == other
        }
    }

    /// What clients may know of it, without a full stop.
    pub(crate) fn sentence(&self) -> &'static str {
        match self.kind {
            FaultKind::Damaged => "no generation of the records can be served; the log names the cause",
            FaultKind::Unreachable => "the search cluster cannot be reached",
            FaultKind::Absent => "no generation of the records is in service yet",
        }
    }
}

impl fmt::Display for GenerationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// The id of the generation that should be served.
pub(crate) fn named(store: &GenerationStore) -> Result<String, GenerationFault> {
    match store.current() {
        Ok(Some(id)) => Ok(id),
        Ok(None) => Err(missing(store)),
        Err(error) => Err(GenerationFault::new(store, None, &error)),
    }
}

fn missing(store: &GenerationStore) -> GenerationFault {
    let (place, missing) = (store.place(), store.missing_pointer());
    GenerationFault {
        kind: if store.is_awaited() {
            FaultKind::Absent
        } else {
            FaultKind::Damaged
        },
        named: None,
        pointer: store.pointer(),
        why: format!(
            "no generation is published in {place}: {missing}; choose a generation with `procure generations use ID`, \
             or build one with `procure index`"
        ),
    }
}

/// Opens and verifies the generation that should be served.
pub fn open_current(store: &GenerationStore) -> anyhow::Result<Generation> {
    let id = store.current()?.with_context(|| store.first_build())?;
    store.open(&id)
}

/// Opens the generation that should be served, as [`open_newest_whole`] does, but without another
/// one in its place if it is damaged.
pub(crate) fn open_named(store: &GenerationStore) -> Result<Generation, GenerationFault> {
    let id = named(store)?;
    let opened = store.open(&id);
    opened.map_err(|error| GenerationFault::new(store, Some(id), &error))
}

/// Decision D-173: opens and verifies the generation that should be served. If it cannot be opened,
/// opens the newest other one that is whole and has the schema of this program, and returns the
/// fault of the named one with it. What names the generation stays as it is.
///
/// The generation is `None` if the fault is one that time may cure: the caller waits.
pub(crate) fn open_newest_whole(
    store: &GenerationStore,
) -> anyhow::Result<(Option<Generation>, Option<GenerationFault>)> {
    let fault = match open_named(store) {
        Ok(generation) => return Ok((Some(generation), None)),
        Err(fault) if fault.may_pass() => return Ok((None, Some(fault))),
        Err(fault) => fault,
    };
    let other = match open_newest_other(store, fault.named()) {
        Err(error) if !store.is_awaited() => return Err(error),
        other => other.unwrap_or_default(),
    };
    match other {
        Some(generation) => Ok((Some(generation), Some(fault))),
        None if store.is_awaited() => Ok((None, Some(fault))),
        None if fault.named().is_none() && store.list()?.is_empty() => Err(anyhow!(store.first_build())),
        None => Err(anyhow!(
            "{fault}; no other generation in {} can be served",
            store.place()
        )),
    }
}

/// Opens the newest generation that is whole and has the schema of this program, except a damaged
/// one.
pub(crate) fn open_newest_other(store: &GenerationStore, damaged: Option<&str>) -> anyhow::Result<Option<Generation>> {
    let mut others = store.list()?;
    others.retain(|id| damaged != Some(id));
    for id in others.iter().rev() {
        match store.open(id) {
            Ok(generation) => return Ok(Some(generation)),
            Err(error) => log::error!("generation {id} cannot be served either: {error:#}"),
        }
    }
    Ok(None)
}

/// The fault of a generation in service of which a file was truncated or has other bytes than were written.
pub(crate) fn truncation(store: &GenerationStore, generation: &Generation) -> Option<GenerationFault> {
    let error = store.truncation(generation)?;
    Some(GenerationFault::new(store, Some(generation.id.clone()), &error))
}
