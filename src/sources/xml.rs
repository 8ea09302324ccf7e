//! XML files: the root element's facts, then one small tree for each of its children, streamed.

use std::io::Read;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use super::{Broken, decode::Utf8, text};

/// Deeper than any publisher nests; a bound on what a hostile file can build.
const DEEPEST: usize = 16;

/// An element with its text and its children; names are lower-case, as layouts differ in nothing else.
#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub text: String,
    pub children: Vec<Element>,
    pub line: u64,
}

impl Element {
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The child's text as it stands; empty where there is none.
    pub fn raw(&self, name: &str) -> &str {
        self.child(name).map_or("", |child| &child.text)
    }

    pub fn line_of(&self, name: &str) -> Option<String> {
        text::line(self.raw(name))
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

    /// The next row; `None` at the root's end.
    pub fn next(&mut self) -> Result<Option<Element>, Broken> {
        let mut open: Vec<Element> = Vec::new();
        self.reader.get_mut().begin_row();
        loop {
            self.buffer.clear();
            let line = self.reader.get_ref().line();
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(error) => {
                    let why = error.to_string();
                    return Err(self.broken(why));
                }
            };
            match event {
                Event::Start(start) => {
                    if open.len() == DEEPEST {
                        return Err(self.broken("elements nest too deep".to_owned()));
                    }
                    open.push(Element {
                        name: name(&start),
                        line,
                        ..Element::default()
                    });
                }
                Event::End(_) => {
                    let Some(closed) = open.pop() else { return Ok(None) };
                    match open.last_mut() {
                        Some(parent) => parent.children.push(closed),
                        None => return Ok(Some(closed)),
                    }
                }
                Event::Text(text) => push(&mut open, &text.xml10_content()),
                Event::CData(text) => push(&mut open, &text.xml10_content()),
                Event::GeneralRef(entity) => {
                    let name = entity.xml10_content();
                    match text::entity_character(&name) {
                        Some(c) => push(&mut open, c.encode_utf8(&mut [0; 4])),
                        None => push(&mut open, &format!("&{name};")),
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

    fn broken(&self, why: String) -> Broken {
        Broken::Here {
            line: self.reader.get_ref().line(),
            why,
        }
    }
}

fn push(open: &mut [Element], text: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(text);
    }
}

fn name(start: &BytesStart) -> String {
    let mut name = String::from(start.local_name().as_ref());
    name.make_ascii_lowercase();
    name
}
