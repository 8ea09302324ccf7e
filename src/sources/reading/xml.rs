//! XML files: the root element's facts, then one small tree for each of its children, streamed.

use std::{borrow::Cow, io::Read, ops::Range};

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::sources::{
    Broken,
    reading::{decode::Utf8, text},
};

/// Deeper than any publisher nests; a bound on what a hostile file can build.
const DEEPEST: usize = 16;

/// A row: an element and all that is in it, in two pieces of memory that the next row uses again.
#[derive(Debug, Default)]
pub struct Row {
    /// Each element before those in it.
    nodes: Vec<Node>,
    /// Their names and texts.
    text: String,
}

#[derive(Debug)]
struct Node {
    name: Range<usize>,
    text: Range<usize>,
    line: u64,
    /// The number of the first node that is not in this one.
    end: usize,
}

/// An element of a row; names are lower-case, as layouts differ in nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    row: &'a Row,
    at: usize,
}

impl Row {
    /// The element that is the row; `None` before one was read.
    pub fn element(&self) -> Option<Element<'_>> {
        (!self.nodes.is_empty()).then_some(Element { row: self, at: 0 })
    }

    /// In bytes.
    pub fn size(&self) -> usize {
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

impl<'a> Element<'a> {
    pub fn name(self) -> &'a str {
        &self.row.text[self.node().name.clone()]
    }

    pub fn text(self) -> &'a str {
        &self.row.text[self.node().text.clone()]
    }

    pub fn line(self) -> u64 {
        self.node().line
    }

    pub fn children(self) -> impl Iterator<Item = Element<'a>> {
        let mut next = self.at + 1;
        std::iter::from_fn(move || {
            let child = Element { at: next, ..self };
            let is_child = next < self.node().end;
            is_child.then(|| {
                next = child.node().end;
                child
            })
        })
    }

    pub fn child(self, name: &str) -> Option<Element<'a>> {
        self.children().find(|child| child.name() == name)
    }

    /// The child's text as it stands; empty where there is none.
    pub fn raw(self, name: &str) -> &'a str {
        self.child(name).map_or("", Element::text)
    }

    pub fn line_of(self, name: &str) -> Option<Cow<'a, str>> {
        text::as_line(self.raw(name))
    }

    fn node(self) -> &'a Node {
        &self.row.nodes[self.at]
    }
}

/// What a document's first element is called, and its attributes; from the document's start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Root {
    pub name: String,
    pub attributes: Vec<String>,
}

pub fn root(start: &str) -> Root {
    let mut reader = Reader::from_str(start);
    loop {
        match reader.read_event() {
            Ok(Event::Start(root) | Event::Empty(root)) => {
                let attributes = root.attributes().filter_map(Result::ok);
                return Root {
                    name: name(&root),
                    attributes: attributes.map(|a| String::from(a.key.as_ref())).collect(),
                };
            }
            Ok(Event::Text(text)) if text.xml10_content().trim().is_empty() => {}
            Ok(Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_)) => {}
            _ => return Root::default(),
        }
    }
}

/// A document's rows, the children of its root.
pub struct Rows<'a> {
    reader: Reader<Utf8<&'a mut dyn Read>>,
    buffer: Vec<u8>,
    /// The numbers of the open elements' nodes, and where their texts begin.
    open: Vec<(usize, usize)>,
    /// The texts met so far in the open elements, the innermost one's last.
    pending: String,
}

impl<'a> Rows<'a> {
    pub fn new(input: Utf8<&'a mut dyn Read>) -> Rows<'a> {
        let mut reader = Reader::from_reader(input);
        let config = reader.config_mut();
        config.allow_dangling_amp = true;
        config.expand_empty_elements = true;
        Rows {
            reader,
            buffer: Vec::new(),
            open: Vec::new(),
            pending: String::new(),
        }
    }

    /// The root's attributes, looked up by name.
    pub fn root(&mut self, attributes: &[&str]) -> Result<Vec<Option<String>>, Broken> {
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
                Ok(Event::Eof) => return Err(self.broken("the file has no element".to_owned())),
                Ok(_) => {}
                Err(error) => return Err(self.broken(error.to_string())),
            }
        }
    }

    /// Reads the next row; false at the root's end.
    pub fn next(&mut self, row: &mut Row) -> Result<bool, Broken> {
        row.clear();
        self.open.clear();
        self.pending.clear();
        self.reader.get_mut().begin_row();
        loop {
            self.buffer.clear();
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(error) => {
                    let why = error.to_string();
                    return Err(self.broken(why));
                }
            };
            match event {
                Event::Start(start) => {
                    if self.open.len() == DEEPEST {
                        return Err(self.broken("elements nest too deep".to_owned()));
                    }
                    // The reader stands behind the tag, and what follows its name may have taken some lines.
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
                // What stands between the rows belongs to none.
                _ if self.open.is_empty() && !matches!(event, Event::Eof) => {}
                Event::Text(text) => self.pending.push_str(&text.xml10_content()),
                Event::CData(text) => self.pending.push_str(&text.xml10_content()),
                Event::GeneralRef(entity) => {
                    let name = entity.xml10_content();
                    match text::entity_character(&name) {
                        Some(c) => self.pending.push(c),
                        None => self.pending.push_str(&format!("&{name};")),
                    }
                }
                Event::Eof => return Err(self.broken("the file ends in the middle".to_owned())),
                _ => {}
            }
        }
    }

    /// Whether a stray byte was read as Windows-1252 since this was last asked.
    pub fn take_repaired(&mut self) -> bool {
        self.reader.get_mut().take_repaired()
    }

    fn broken(&mut self, why: String) -> Broken {
        Broken::Here {
            line: self.reader.get_mut().line(),
            why,
        }
    }
}

fn name(start: &BytesStart) -> String {
    let mut name = String::from(start.local_name().as_ref());
    name.make_ascii_lowercase();
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(element: Element) -> String {
        let inner: Vec<String> = element.children().map(told).collect();
        format!(
            "{}@{} {:?} [{}]",
            element.name(),
            element.line(),
            element.text(),
            inner.join(", ")
        )
    }

    #[test]
    fn a_row_tells_its_elements_their_lines_and_all_of_their_texts() {
        let mut bytes =
            "<r>\n<a>x <B\nn='1'>y&amp;<![CDATA[<]]></B>z<c/>\n<d><e>1</e></d>&no;</a>\n<A>2</A></r>".as_bytes();
        let mut rows = Rows::new(Utf8::new(&mut bytes as &mut dyn Read));
        rows.root(&[]).unwrap();
        let (mut row, mut seen) = (Row::default(), Vec::new());
        while rows.next(&mut row).unwrap() {
            seen.extend(row.element().map(told));
        }
        let first = r#"a@2 "x z\n&no;" [b@2 "y&<" [], c@3 "" [], d@4 "" [e@4 "1" []]]"#;
        assert_eq!(seen, [first, r#"a@5 "2" []"#]);
    }
}
