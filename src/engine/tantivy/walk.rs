//! Taking one page of the matches in an order, and no more: every walk ends with the record behind the page.
//!
//! Three ways, by what is known. In document order forward: walk the sets and stop. In document order backward: windows from the end, growing, since sets only go
//! forward. In a permuted order: few matches are sorted by their place; many are marked in a bit set, and the places tested in turn.

use std::ops::Range;

use tantivy::{DocId, DocSet, TERMINATED};

use super::{
    matching::Matching,
    order::{Ordering, Span},
    sets::Marks,
};
use crate::engine::Error;

/// How many documents are looked at between two looks at the clock.
const STRIDE: u32 = 4096;

/// The page being filled.
pub struct Taking {
    skip: usize,
    want: usize,
    pub documents: Vec<DocId>,
}

impl Taking {
    /// Passes over `skip` matches and keeps `want`.
    pub fn new(skip: usize, want: usize) -> Taking {
        Taking {
            skip,
            want,
            documents: Vec::with_capacity(want),
        }
    }

    pub fn is_full(&self) -> bool {
        self.documents.len() >= self.want
    }

    fn take(&mut self, document: DocId) {
        match self.skip {
            0 => self.documents.push(document),
            _ => self.skip -= 1,
        }
    }

    fn remaining(&self) -> usize {
        self.skip + self.want - self.documents.len()
    }
}

/// Visits every match, in document order.
pub fn all(matching: &Matching, mut visit: impl FnMut(DocId)) -> Result<(), Error> {
    let range = matching.documents.clone();
    if matching.has_sets() {
        return walk(matching, range, |document| {
            visit(document);
            true
        });
    }
    for (steps, document) in (1u32..).zip(range) {
        if matching.passes(document) {
            visit(document);
        }
        if steps % STRIDE == 0 {
            matching.check()?;
        }
    }
    Ok(())
}

pub fn take(matching: &Matching, ordering: &Ordering, spans: &[Span], page: &mut Taking) -> Result<(), Error> {
    if !ordering.is_natural() {
        return take_permuted(matching, ordering, spans, page);
    }
    for span in spans {
        match span {
            Span::Forward(places) => forward(matching, meet(places, &matching.documents), page)?,
            Span::Backward(places) => backward(matching, meet(places, &matching.documents), page)?,
        }
        if page.is_full() {
            break;
        }
    }
    Ok(())
}

fn meet(a: &Range<u32>, b: &Range<u32>) -> Range<u32> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

fn forward(matching: &Matching, mut range: Range<DocId>, page: &mut Taking) -> Result<(), Error> {
    if matching.has_sets() {
        return walk(matching, range, |document| {
            page.take(document);
            !page.is_full()
        });
    }
    if !matching.has_tests() {
        // Nothing stands between: what is skipped need not be visited.
        let skipped = page.skip.min(range.len());
        range.start += skipped as u32;
        page.skip -= skipped;
    }
    test(matching, range, page)
}

/// Visits the matches of the sets within a range, until told to stop.
fn walk(matching: &Matching, range: Range<DocId>, mut visit: impl FnMut(DocId) -> bool) -> Result<(), Error> {
    if range.is_empty() {
        return Ok(());
    }
    let Some(mut set) = matching.walk()? else {
        return Ok(());
    };
    let mut document = set.doc();
    if document < range.start {
        document = set.seek(range.start);
    }
    let mut steps = 0;
    while document < range.end && document != TERMINATED {
        if matching.passes(document) && !visit(document) {
            break;
        }
        steps += 1;
        if steps % STRIDE == 0 {
            matching.check()?;
        }
        document = set.advance();
    }
    matching.check()
}

fn test(matching: &Matching, documents: impl Iterator<Item = DocId>, page: &mut Taking) -> Result<(), Error> {
    for (steps, document) in (1u32..).zip(documents) {
        if page.is_full() {
            break;
        }
        if matching.passes(document) {
            page.take(document);
        }
        if steps % STRIDE == 0 {
            matching.check()?;
        }
    }
    Ok(())
}

fn backward(matching: &Matching, mut range: Range<DocId>, page: &mut Taking) -> Result<(), Error> {
    if !matching.has_sets() {
        return test(matching, range.rev(), page);
    }
    // A set that holds nothing must not be found empty once a window: a phrase takes its time to find out.
    if matching.walk()?.is_none() {
        return Ok(());
    }
    let mut width = u32::try_from(page.remaining() * 4).unwrap_or(u32::MAX).max(STRIDE);
    while !range.is_empty() && !page.is_full() {
        let start = range.end.saturating_sub(width).max(range.start);
        let mut window = Vec::new();
        walk(matching, start..range.end, |document| {
            window.push(document);
            true
        })?;
        for document in window.into_iter().rev() {
            if page.is_full() {
                break;
            }
            page.take(document);
        }
        range.end = start;
        width = width.saturating_mul(4);
    }
    Ok(())
}

/// The matches of a query, to be read in a permuted order.
enum Matches {
    /// Every document of the range that passes.
    Unwalked,
    /// Few: their places, ascending.
    Places(Vec<u32>),
    /// Many: a bit a document.
    Marked(Marks),
}

/// Up to one match in so many documents, sorting the places is cheaper than walking all of them.
const FEW: u32 = 32;

fn take_permuted(matching: &Matching, ordering: &Ordering, spans: &[Span], page: &mut Taking) -> Result<(), Error> {
    let matches = collect(matching, ordering)?;
    for span in spans {
        let (places, is_backward) = match span {
            Span::Forward(places) => (places.clone(), false),
            Span::Backward(places) => (places.clone(), true),
        };
        if let Matches::Places(found) = &matches {
            let start = found.partition_point(|place| *place < places.start);
            let end = found.partition_point(|place| *place < places.end);
            let found = &found[start..end.max(start)];
            let mut take = |place: &u32| {
                if !page.is_full() {
                    page.take(ordering.document(*place));
                }
            };
            match is_backward {
                true => found.iter().rev().for_each(&mut take),
                false => found.iter().for_each(&mut take),
            }
            continue;
        }
        let is_match = |place: &u32| match &matches {
            Matches::Marked(marks) => marks.contains(ordering.document(*place)),
            _ => matching.documents.contains(&ordering.document(*place)),
        };
        let tested = matches!(matches, Matches::Unwalked);
        match is_backward {
            true => pick(matching, places.rev(), is_match, ordering, tested, page)?,
            false => pick(matching, places, is_match, ordering, tested, page)?,
        }
    }
    Ok(())
}

fn pick(
    matching: &Matching,
    places: impl Iterator<Item = u32>,
    is_match: impl Fn(&u32) -> bool,
    ordering: &Ordering,
    tested: bool,
    page: &mut Taking,
) -> Result<(), Error> {
    for (steps, place) in (1u32..).zip(places) {
        if page.is_full() {
            break;
        }
        let document = ordering.document(place);
        if is_match(&place) && (!tested || matching.passes(document)) {
            page.take(document);
        }
        if steps % STRIDE == 0 {
            matching.check()?;
        }
    }
    Ok(())
}

fn collect(matching: &Matching, ordering: &Ordering) -> Result<Matches, Error> {
    if !matching.has_sets() {
        return Ok(Matches::Unwalked);
    }
    let range = matching.documents.clone();
    let few = (range.end / FEW) as usize;
    let mut places = Vec::new();
    let mut marks: Option<Marks> = None;
    walk(matching, range.clone(), |document| {
        match &mut marks {
            Some(marks) => marks.mark(document),
            None => places.push(document),
        }
        if places.len() > few {
            marks = Some(Marks::new(range.end, places.drain(..)));
        }
        true
    })?;
    if let Some(marks) = marks {
        return Ok(Matches::Marked(marks));
    }
    for place in &mut places {
        *place = ordering.place(*place);
    }
    places.sort_unstable();
    Ok(Matches::Places(places))
}
