//! What a request carries behind its head: read whole and bounded, and taken apart as JSON by a table, as parameters are.
//!
//! A [`Member`] row is declared once, in the table of its endpoint; reading, the wording of a 422, the nearest name and the description of the
//! interface only walk the rows. What is read here is small: `LONGEST` bytes and `MOST_VALUES` values, so a worker may do it.

use std::{cell::Cell, collections::HashSet, fmt, time::Duration};

use actix_web::{HttpMessage, HttpRequest, http::header, web::Payload};
use bytes::Bytes;
use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};

use crate::http::{
    error::{ApiError, quoted},
    params::{Value, nearest},
    refusal::Refusal,
};

/// Spec silent: the longest body, in bytes.
pub const LONGEST: usize = 1 << 20;

/// Spec silent: the most values (texts, numbers, lists, objects) of a body, so that no megabyte of brackets costs many.
pub const MOST_VALUES: usize = 10_000;

/// What an endpoint does with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: one that comes is not looked at.
    Nothing,
    /// Any, of whatever type: it is read, and means nothing.
    Anything,
    /// A JSON object, or none.
    MaybeJson,
    /// A JSON object.
    Json,
}

/// A member of the JSON objects that are read into a `B`.
pub struct Member<B: 'static> {
    pub name: &'static str,
    pub about: &'static str,
    pub shape: Shape<B>,
}

/// What a member's value is, with its place.
pub enum Shape<B: 'static> {
    /// What a parameter would be, with numbers and truth values written as JSON has them.
    One(Value<B>),
    /// A list of texts.
    Texts(fn(&mut B) -> &mut Vec<String>),
    /// A list of objects, which have a table of their own.
    Objects(fn(&mut B) -> &mut Vec<Object>),
}

/// A JSON object, no member of which is given twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object(Vec<(String, Json)>);

#[derive(Clone, Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    /// As a parameter would have it.
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Object),
}

/// Reads the body, within so much time; without one, or with one that means nothing, there is none.
///
/// Spec silent: a body of no stated type is read as JSON; one of blanks only counts as none.
pub async fn read(
    takes: Takes,
    request: &HttpRequest,
    payload: Payload,
    time: Duration,
) -> Result<Option<Object>, ApiError> {
    if takes == Takes::Nothing {
        return Ok(None);
    }
    let bytes = whole(payload, time).await?;
    match takes {
        Takes::Nothing | Takes::Anything => Ok(None),
        Takes::MaybeJson if bytes.trim_ascii().is_empty() => Ok(None),
        Takes::Json if bytes.trim_ascii().is_empty() => Err(ApiError::unprocessable(
            "a body is required: a JSON object, sent as application/json",
        )),
        Takes::MaybeJson | Takes::Json => {
            check_type(request)?;
            Object::parse(&bytes).map(Some)
        }
    }
}

async fn whole(payload: Payload, time: Duration) -> Result<Bytes, ApiError> {
    match tokio::time::timeout(time, payload.to_bytes_limited(LONGEST)).await {
        Ok(Ok(Ok(bytes))) => Ok(bytes),
        Ok(Ok(Err(_))) => Err(ApiError::bad_request(
            "the body broke off before its end; send it whole",
        )),
        Ok(Err(_)) => Err(Refusal::BodyTooLong.into()),
        Err(_) => Err(Refusal::Timeout.into()),
    }
}

/// Whether the headers say JSON, or nothing.
fn check_type(request: &HttpRequest) -> Result<(), ApiError> {
    let text = |name| {
        let value = request.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    if let Some(coding) =
        text(header::CONTENT_ENCODING).filter(|coding| !coding.trim().eq_ignore_ascii_case("identity"))
    {
        return Err(ApiError::unsupported_media_type(format!(
            "the body is coded as {}; send it plain",
            quoted(&coding)
        )));
    }
    let is_json = match request.mime_type() {
        Ok(None) => true,
        Ok(Some(mime)) => {
            let is_utf8 = mime.get_param("charset").is_none_or(|charset| charset == "utf-8");
            let is_json = mime.subtype() == "json" || mime.suffix().is_some_and(|suffix| suffix == "json");
            mime.type_() == "application" && is_json && is_utf8
        }
        Err(_) => false,
    };
    match is_json {
        true => Ok(()),
        false => Err(ApiError::unsupported_media_type(format!(
            "the body is of the type {}; send application/json, in UTF-8",
            quoted(&text(header::CONTENT_TYPE).unwrap_or_default())
        ))),
    }
}

impl Object {
    /// Reads JSON; an error names line and column.
    pub fn parse(bytes: &[u8]) -> Result<Object, ApiError> {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        let left = Cell::new(MOST_VALUES);
        let read = Seed(&left).deserialize(&mut json);
        match read.and_then(|read| json.end().map(|()| read)) {
            Ok(Json::Object(object)) => Ok(object),
            Ok(other) => Err(ApiError::unprocessable(format!(
                "the body must be a JSON object; it is {}",
                other.what()
            ))),
            Err(error) if error.is_data() => Err(ApiError::unprocessable(format!("the body: {error}"))),
            Err(error) => Err(ApiError::unprocessable(format!(
                "the body cannot be read as JSON: {error}"
            ))),
        }
    }

    /// Takes down what was said, by a table.
    pub fn read<B: Default>(self, table: &'static [Member<B>]) -> Result<B, ApiError> {
        self.read_at("", table)
    }

    /// The same of an object inside another, `within` being what stands before its members' names in an error: `items[3].`.
    ///
    /// Spec silent: a member that is null, or a blank text, counts as absent, as an empty parameter does.
    pub fn read_at<B: Default>(self, within: &str, table: &'static [Member<B>]) -> Result<B, ApiError> {
        let mut said = B::default();
        for (name, value) in self.0 {
            let Some(member) = table.iter().find(|member| member.name == name) else {
                let near = nearest(&name, table.iter().map(|member| member.name)).unwrap_or_default();
                let name = quoted(&format!("{within}{name}"));
                return Err(ApiError::unprocessable(format!(
                    "unknown member {name}; nearest is '{near}'"
                )));
            };
            member
                .take(&mut said, value)
                .map_err(|(place, why)| ApiError::unprocessable(format!("member '{within}{name}{place}': {why}")))?;
        }
        Ok(said)
    }
}

/// Where inside a member something is wrong, and what.
type Wrong = (String, String);

impl<B> Member<B> {
    fn take(&self, said: &mut B, value: Json) -> Result<(), Wrong> {
        let here = |why: String| (String::new(), why);
        match (&self.shape, value) {
            (_, Json::Null) => Ok(()),
            (Shape::One(typed), value) => {
                let text = scalar(typed, value).map_err(here)?;
                match text.trim() {
                    "" => Ok(()),
                    text => typed.set(said, self.name, text).map_err(here),
                }
            }
            (Shape::Texts(slot), Json::List(list)) => {
                *slot(said) = each(list, |value| match value {
                    Json::Text(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
                    Json::Text(_) => Err("is empty".to_owned()),
                    other => Err(format!("must be a text, not {}", other.what())),
                })?;
                Ok(())
            }
            (Shape::Objects(slot), Json::List(list)) => {
                *slot(said) = each(list, |value| match value {
                    Json::Object(object) => Ok(object),
                    other => Err(format!("must be an object, not {}", other.what())),
                })?;
                Ok(())
            }
            (Shape::Texts(_), other) => Err(here(format!("must be a list of texts, not {}", other.what()))),
            (Shape::Objects(_), other) => Err(here(format!("must be a list of objects, not {}", other.what()))),
        }
    }
}

fn each<T>(list: Vec<Json>, read: impl Fn(Json) -> Result<T, String>) -> Result<Vec<T>, Wrong> {
    let list = list.into_iter().enumerate();
    list.map(|(number, value)| read(value).map_err(|why| (format!("[{number}]"), why)))
        .collect()
}

/// A value as a parameter would write it, if it is of the JSON type that goes with the parameter's.
fn scalar<B>(typed: &Value<B>, value: Json) -> Result<String, String> {
    let wanted = match typed {
        Value::Integer { .. } | Value::Number(_) => "a number",
        Value::OneOf {
            list: ["true", "false"],
            ..
        } => "true or false",
        _ => "a text",
    };
    match value {
        Json::Number(text) if wanted == "a number" => Ok(text),
        Json::Bool(value) if wanted == "true or false" => Ok(value.to_string()),
        Json::Text(text) if wanted == "a text" => Ok(text),
        other => Err(format!("must be {wanted}, not {}", other.what())),
    }
}

impl Json {
    fn what(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "true or false",
            Json::Number(_) => "a number",
            Json::Text(_) => "a text",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }
}

/// Reads one value, as long as there are values left.
struct Seed<'c>(&'c Cell<usize>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Json, D::Error> {
        let Some(left) = self.0.get().checked_sub(1) else {
            return Err(D::Error::custom(format!(
                "it holds over {MOST_VALUES} values; send less"
            )));
        };
        self.0.set(left);
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.to_string()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Number(number.to_string()))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Seed(self.0))? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let (mut object, mut met) = (Vec::new(), HashSet::new());
        while let Some(name) = members.next_key::<String>()? {
            if !met.insert(name.clone()) {
                return Err(A::Error::custom(format!("member {} is given twice", quoted(&name))));
            }
            object.push((name, members.next_value_seed(Seed(self.0))?));
        }
        Ok(Json::Object(Object(object)))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    use super::*;
    use crate::http::params::Said;

    #[derive(Debug, Default, PartialEq)]
    struct Body {
        name: Option<Said<String>>,
        years: Option<Said<u64>>,
        texts: Vec<String>,
        objects: Vec<Object>,
    }

    static TABLE: &[Member<Body>] = &[
        Member {
            name: "name",
            about: "",
            shape: Shape::One(Value::NamePart(|b| &mut b.name)),
        },
        Member {
            name: "years",
            about: "",
            shape: Shape::One(Value::Integer {
                min: 1,
                max: 20,
                slot: |b| &mut b.years,
            }),
        },
        Member {
            name: "texts",
            about: "",
            shape: Shape::Texts(|b| &mut b.texts),
        },
        Member {
            name: "objects",
            about: "",
            shape: Shape::Objects(|b| &mut b.objects),
        },
    ];

    fn read(json: &str) -> Result<Body, ApiError> {
        Object::parse(json.as_bytes())?.read(TABLE)
    }

    #[test]
    fn what_is_said_is_taken_down() {
        let body = read(r#" {"name":" Ville ","years":5.0,"texts":["a"," b "],"objects":[{"name":"x"},{}]} "#).unwrap();
        assert_eq!(body.name.unwrap().value, "Ville");
        assert_eq!(body.years.unwrap().value, 5);
        assert_eq!(body.texts, ["a", "b"]);
        assert_eq!(body.objects.len(), 2);
        let inner = body.objects.into_iter().next().unwrap().read_at("objects[0].", TABLE);
        assert_eq!(
            inner.unwrap_err().detail,
            "member 'objects[0].name': 'x' is too short; give at least 3 letters or digits"
        );
        assert_eq!(read(r#"{"name":null,"texts":null,"years":null}"#), Ok(Body::default()));
        assert_eq!(read(r#"{"name":"  "}"#), Ok(Body::default()));
    }

    #[test]
    fn what_cannot_be_taken_is_named() {
        let check = |json: &str, detail: &str| {
            let error = read(json).unwrap_err();
            assert_eq!(
                (error.status.as_u16(), error.detail.as_str()),
                (422, detail),
                "{json:.80}"
            );
        };
        for (json, detail) in [
            (
                "{",
                "the body cannot be read as JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                "{\n \"name\": }",
                "the body cannot be read as JSON: expected value at line 2 column 10",
            ),
            (
                "{} x",
                "the body cannot be read as JSON: trailing characters at line 1 column 4",
            ),
            ("[]", "the body must be a JSON object; it is a list"),
            ("\"x\"", "the body must be a JSON object; it is a text"),
            (
                "{\"name\":\"a\",\n\"name\":\"b\"}",
                "the body: member 'name' is given twice at line 2 column 6",
            ),
            (
                r#"{"x":{"a":1,"a":2}}"#,
                "the body: member 'a' is given twice at line 1 column 15",
            ),
            (r#"{"nam":"abc"}"#, "unknown member 'nam'; nearest is 'name'"),
            (r#"{"name":1}"#, "member 'name': must be a text, not a number"),
            (r#"{"years":"5"}"#, "member 'years': must be a number, not a text"),
            (r#"{"years":21}"#, "member 'years': '21' is not an integer from 1 to 20"),
            (
                r#"{"years":1.5}"#,
                "member 'years': '1.5' is not an integer from 1 to 20",
            ),
            (
                r#"{"texts":"a"}"#,
                "member 'texts': must be a list of texts, not a text",
            ),
            (r#"{"texts":["a",""]}"#, "member 'texts[1]': is empty"),
            (r#"{"texts":[["a"]]}"#, "member 'texts[0]': must be a text, not a list"),
            (
                r#"{"objects":[{},7]}"#,
                "member 'objects[1]': must be an object, not a number",
            ),
            (
                r#"{"objects":{}}"#,
                "member 'objects': must be a list of objects, not an object",
            ),
        ] {
            check(json, detail);
        }
        let deep = "[".repeat(100_000);
        assert!(read(&deep).unwrap_err().detail.contains("recursion limit exceeded"));
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert!(read(&many).unwrap_err().detail.contains("over 10000 values"));
        assert!(
            Object::parse(b"{\"name\":\"\xff\"}")
                .unwrap_err()
                .detail
                .contains("invalid unicode")
        );
    }

    #[test]
    fn types_that_are_json() {
        for (header, is_taken) in [
            (None, true),
            (Some("application/json"), true),
            (Some("Application/JSON; charset=UTF-8"), true),
            (Some("application/vnd.x+json"), true),
            (Some("application/json; charset=latin1"), false),
            (Some("text/json"), false),
            (Some("application/x-www-form-urlencoded"), false),
            (Some("multipart/form-data; boundary=x"), false),
            (Some("json"), false),
            (Some(""), false),
        ] {
            let mut request = TestRequest::post();
            if let Some(header) = header {
                request = request.insert_header(("content-type", header));
            }
            let taken = check_type(&request.to_http_request());
            assert_eq!(taken.is_ok(), is_taken, "{header:?} {taken:?}");
            assert!(taken.is_ok() || taken.is_err_and(|error| error.status == 415));
        }
        for (coding, is_taken) in [("identity", true), ("gzip", false)] {
            let request = TestRequest::post().insert_header(("content-encoding", coding));
            assert_eq!(check_type(&request.to_http_request()).is_ok(), is_taken, "{coding}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(json in r#"([{}\[\],:"a1-]|"name"|"texts"|"objects"|null|true|1e9){0,40}"#) {
            let _ = read(&json);
        }

        #[test]
        fn nor_do_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Object::parse(&bytes);
        }
    }
}
