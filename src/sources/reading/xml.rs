//! XML files as a stream: the root element's attributes, then one small tree for each of its
//! children.

use std::{borrow::Cow, io::Read, ops::Range};

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{
    decode::{MAX_ROW_VALUES, Utf8Reader, too_many_values},
    html,
    reader::ReadError,
    text,
};

/// Maximum depth of elements. No publisher nests so deep; it bounds what a hostile file can build.
const MAX_DEPTH: usize = 16;

/// A child of the root with all that is in it, in two allocations that the next row uses again.
#[derive(Debug, Default)]
pub(crate) struct XmlRow {
    /// Each element before its children.
    nodes: Vec<Node>,
    /// The names and texts of the nodes.
    text: String,
}

#[derive(Debug)]
struct Node {
    name: Range<usize>,
    text: Range<usize>,
    line: u64,
    /// Index of the first node after this one that is not inside it.
    end: usize,
}

/// An element of a row. Names are in lower case: that is all in which the publisher's layouts
/// differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct XmlElement<'a> {
    row: &'a XmlRow,
    index: usize,
}

impl XmlRow {
    /// The row's outermost element; `None` before a row is read.
    pub(crate) fn element(&self) -> Option<XmlElement<'_>> {
        if self.nodes.is_empty() {
            return None;
        }
        Some(XmlElement { row: self, index: 0 })
    }

    /// The memory that the row uses, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.text.len() + self.nodes.len() * size_of::<Node>()
    }

    fn clear(&mut self) {
        self.nodes.clear();
        self.text.clear();
    }

    fn open(&mut self, start: &BytesStart, line: u64) -> usize {
        let begin = self.text.len();
        self.text.push_str(start.local_name().as_ref());
        self.text[begin..].make_ascii_lowercase();
        self.nodes.push(Node {
            name: begin..self.text.len(),
            text: 0..0,
            line,
            end: 0,
        });
        self.nodes.len() - 1
    }

    fn close(&mut self, node: usize, text: &str) {
        let begin = self.text.len();
        self.text.push_str(text);
        self.nodes[node].text = begin..self.text.len();
        self.nodes[node].end = self.nodes.len();
    }
}

impl<'a> XmlElement<'a> {
    pub(crate) fn name(self) -> &'a str {
        &self.row.text[self.node().name.clone()]
    }

    pub(crate) fn text(self) -> &'a str {
        &self.row.text[self.node().text.clone()]
    }

    pub(crate) fn line(self) -> u64 {
        self.node().line
    }

    pub(crate) fn children(self) -> impl Iterator<Item = XmlElement<'a>> {
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            if next >= self.node().end {
                return None;
            }
            let child = XmlElement { index: next, ..self };
            next = child.node().end;
            Some(child)
        })
    }

    pub(crate) fn child(self, name: &str) -> Option<XmlElement<'a>> {
        self.children().find(|child| child.name() == name)
    }

    /// The child's text as published; empty if there is no such child.
    pub(crate) fn raw(self, name: &str) -> &'a str {
        self.child(name).map_or("", XmlElement::text)
    }

    pub(crate) fn line_of(self, name: &str) -> Option<Cow<'a, str>> {
        text::as_line(self.raw(name))
    }

    fn node(self) -> &'a Node {
        &self.row.nodes[self.index]
    }
}

/// Name and attribute names of a document's first element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RootElement {
    pub(crate) name: String,
    pub(crate) attributes: Vec<String>,
}

/// Reads the first element of a document from the document's beginning.
pub(crate) fn root_element(start: &str) -> RootElement {
    let mut reader = Reader::from_str(start);
    loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                let attributes = root.attributes().filter_map(Result::ok);
                return RootElement {
                    name: lower_case_name(&root),
                    attributes: attributes.map(|a| String::from(a.key.as_ref())).collect(),
                };
            }
            Ok(Event::Text(text)) if text.xml10_content().trim().is_empty() => {}
            Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_)) => {}
            _ => return RootElement::default(),
        }
    }
}

/// The rows of a document: the children of its root.
pub(crate) struct XmlRows<'a> {
    reader: Reader<Utf8Reader<&'a mut dyn Read>>,
    buffer: Vec<u8>,
    /// The node index of each open element, and where its text begins in `pending`.
    open: Vec<(usize, usize)>,
    /// The texts so far of the open elements, that of the innermost one last.
    pending: String,
}

impl<'a> XmlRows<'a> {
    pub(crate) fn new(input: Utf8Reader<&'a mut dyn Read>) -> XmlRows<'a> {
        let mut reader = Reader::from_reader(input);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.expand_empty_elements = true;
        XmlRows {
            reader,
            buffer: Vec::new(),
            open: Vec::new(),
            pending: String::new(),
        }
    }

    /// Reads up to the root, and returns its attributes of these names.
    pub(crate) fn root_attributes(&mut self, attributes: &[&str]) -> Result<Vec<Option<String>>, ReadError> {
        loop {
            self.buffer.clear();
            match self.reader.read_event_into(&mut self.buffer) {
                Ok(Event::Start(root)) => {
                    let value = |name: &&str| {
                        let attribute = root.try_get_attribute(name).ok().flatten()?;
                        text::line(&attribute.value)
                    };
                    return Ok(attributes.iter().map(value).collect());
                }
                Ok(Event::Eof) => return Err(self.damaged("the file has no XML element".to_owned())),
                Ok(_) => {}
                Err(error) => return Err(self.damaged(error.to_string())),
            }
        }
    }

    /// Reads the next row; false at the end of the root.
    pub(crate) fn next_row(&mut self, row: &mut XmlRow) -> Result<bool, ReadError> {
        row.clear();
        self.open.clear();
        self.pending.clear();
        self.reader.get_mut().begin_row();
        loop {
            self.buffer.clear();
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(error) => return Err(self.damaged(error.to_string())),
            };
            match event {
                Event::Start(start) => {
                    if self.open.len() == MAX_DEPTH {
                        return Err(self.damaged(format!("elements are nested more than {MAX_DEPTH} deep")));
                    }
                    if row.nodes.len() == MAX_ROW_VALUES {
                        return Err(self.damaged(too_many_values()));
                    }
                    // The reader is after the tag, whose attributes may take several lines.
                    let attributes = start.attributes_raw();
                    let lines = memchr::memchr_iter(b'\n', attributes.as_bytes()).count() as u64;
                    let line = self.reader.get_mut().line() - lines;
                    self.open.push((row.open(&start, line), self.pending.len()));
                }
                Event::End(_) => {
                    let Some((closed, begin)) = self.open.pop() else {
                        return Ok(false);
                    };
                    row.close(closed, &self.pending[begin..]);
                    self.pending.truncate(begin);
                    if self.open.is_empty() {
                        return Ok(true);
                    }
                }
                // Text between rows is ignored.
                _ if self.open.is_empty() && !matches!(event, Event::Eof) => {}
                Event::Text(text) => self.pending.push_str(&text.xml10_content()),
                Event::CData(text) => self.pending.push_str(&text.xml10_content()),
                Event::GeneralRef(entity) => {
                    let name = entity.xml10_content();
                    match html::entity_character(&name) {
                        Some(c) => self.pending.push(c),
                        None => self.pending.push_str(&format!("&{name};")),
                    }
                }
                Event::Eof => return Err(self.damaged("the file ends in the middle of an element".to_owned())),
                _ => {}
            }
        }
    }

    /// Whether stray bytes were replaced since the last call.
    pub(crate) fn take_repaired(&mut self) -> bool {
        self.reader.get_mut().take_repaired()
    }

    fn damaged(&mut self, reason: String) -> ReadError {
        ReadError::damaged(self.reader.get_mut().line(), reason)
    }
}

fn lower_case_name(start: &BytesStart) -> String {
    let mut name = String::from(start.local_name().as_ref());
    name.make_ascii_lowercase();
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(element: XmlElement) -> String {
        let inner: Vec<String> = element.children().map(describe).collect();
        format!(
            "{}@{} {:?} [{}]",
            element.name(),
            element.line(),
            element.text(),
            inner.join(", ")
        )
    }

    #[test]
    fn rows_have_elements_lines_and_texts() {
        let mut bytes =
            "<r>\n<a>x <B\nn='1'>y&amp;<![CDATA[<]]></B>z<c/>\n<d><e>1</e></d>&no;</a>\n<A>2</A></r>".as_bytes();
        let mut rows = XmlRows::new(Utf8Reader::new(&mut bytes as &mut dyn Read));
        rows.root_attributes(&[]).unwrap();
        let (mut row, mut seen) = (XmlRow::default(), Vec::new());
        while rows.next_row(&mut row).unwrap() {
            seen.extend(row.element().map(describe));
        }
        let first = r#"a@2 "x z\n&no;" [b@2 "y&<" [], c@3 "" [], d@4 "" [e@4 "1" []]]"#;
        assert_eq!(seen, [first, r#"a@5 "2" []"#]);
    }
}
