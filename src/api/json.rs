//! JSON request bodies: parsing with errors that name the member, and the types that members are made of.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Number, Value as Json, json};

use crate::http::{error::ApiError, parameter_error::Reason, quoted::quoted};

/// The maximum number of elements of a list, so that a body of brackets only does not cost much memory.
pub const MAX_ELEMENTS: usize = 10_000;

/// An object; derived types alone would also accept a list of their members' values.
#[derive(Debug, Default)]
pub(crate) struct Object<T>(pub(crate) T);

/// A list. `null` counts as absent.
#[derive(Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// A text that is parsed into a `T`. `null` and a blank text count as absent.
#[derive(Debug)]
pub(crate) struct Optional<T>(pub(crate) Option<T>);

/// A text that is parsed into a `T`. It must not be blank.
#[derive(Debug)]
pub(crate) struct Required<T>(pub(crate) T);

/// An integer from `MIN` to `MAX`, both included. `null` counts as absent.
#[derive(Debug, Default)]
pub(crate) struct Integer<const MIN: u64, const MAX: u64>(pub(crate) Option<u64>);

/// `true` or `false`. `null` counts as absent.
#[derive(Debug, Default)]
pub(crate) struct Boolean(pub(crate) Option<bool>);

/// What a text of a body is parsed into.
pub(crate) trait FromText: Sized {
    /// Parses a trimmed text that is not empty. An error states the reason without the member's name.
    fn from_text(text: &str) -> Result<Self, Reason>;

    /// The JSON schema of the texts it is parsed from.
    fn schema() -> Json;
}

/// Parses a body that must be a JSON object.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize::<_, Object<T>>(&mut json)
        .map_err(|error| invalid(&error.path().to_string(), error.inner()))?;
    json.end().map_err(|error| invalid(ROOT, &error))?;
    Ok(parsed.0)
}

/// The path of the body itself.
const ROOT: &str = ".";

/// The 422 for a body that cannot be parsed; `path` is that of the member, such as `items[3].gsin`.
fn invalid(path: &str, error: &serde_json::Error) -> ApiError {
    if !error.is_data() {
        return ApiError::unprocessable(format!("the body cannot be parsed as JSON: {error}"));
    }
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = error.to_string().replace('`', "'");
    let message = message.strip_suffix(&position).unwrap_or(&message);
    let subject = match path {
        ROOT => "the body".to_owned(),
        _ => format!("member {}:", quoted(path)),
    };
    let repeated = message.strip_prefix("duplicate field '");
    if let Some(name) = repeated.and_then(|rest| rest.strip_suffix('\'')) {
        let member = if path == ROOT {
            name.to_owned()
        } else {
            format!("{path}.{name}")
        };
        return ApiError::unprocessable(format!("member {}: given twice; give it once", quoted(&member)));
    }
    // `serde` repeats the client's text, of any length, in these two messages.
    ApiError::unprocessable(match message.rsplit_once(", expected ") {
        Some((what, expected)) if what.starts_with("unknown field ") => {
            format!("unknown member {}; expected {expected}", quoted(path))
        }
        Some((what, expected)) if what.starts_with("invalid type: ") => format!("{subject} must be {expected}"),
        _ => format!("{}: {message}", subject.trim_end_matches(':')),
    })
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Object<T>, D::Error> {
        json.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Object)
    }
}

impl<T: JsonSchema> JsonSchema for Object<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<List<T>, D::Error> {
        json.deserialize_any(ListVisitor(PhantomData))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> Result<List<T>, E> {
        Ok(List::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<List<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            if list.len() == MAX_ELEMENTS {
                return Err(A::Error::custom(format!(
                    "has over {MAX_ELEMENTS} elements; send fewer"
                )));
            }
            list.push(element);
        }
        Ok(List(list))
    }
}

impl<T: JsonSchema> JsonSchema for List<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("ListOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["array", "null"], "items": generator.subschema_for::<T>()})
    }
}

impl<T> Default for Optional<T> {
    fn default() -> Optional<T> {
        Optional(None)
    }
}

impl<'de, T: FromText> Deserialize<'de> for Optional<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Optional<T>, D::Error> {
        let text = Option::<Cow<str>>::deserialize(json)?;
        match text.as_deref().map(str::trim) {
            None | Some("") => Ok(Optional(None)),
            Some(text) => T::from_text(text)
                .map(|value| Optional(Some(value)))
                .map_err(D::Error::custom),
        }
    }
}

impl<T: FromText> JsonSchema for Optional<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Optional".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = T::schema();
        schema["type"] = json!([schema["type"], "null"]);
        if let Some(Json::Array(values)) = schema.get_mut("enum") {
            values.push(Json::Null);
        }
        into_schema(schema)
    }
}

impl<'de, T: FromText> Deserialize<'de> for Required<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Required<T>, D::Error> {
        let text = Cow::<str>::deserialize(json)?;
        match text.trim() {
            "" => Err(D::Error::custom("is empty; give a text or leave it out")),
            text => T::from_text(text).map(Required).map_err(D::Error::custom),
        }
    }
}

impl<T: FromText> JsonSchema for Required<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Required".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = T::schema();
        if schema.get("enum").is_none() {
            schema["pattern"] = json!("\\S");
        }
        into_schema(schema)
    }
}

fn into_schema(schema: Json) -> Schema {
    Schema::try_from(schema).expect("a JSON object is a schema")
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Integer<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Integer<MIN, MAX>, D::Error> {
        let Some(number) = Option::<Number>::deserialize(json)? else {
            return Ok(Integer(None));
        };
        // In JSON, `5.0` is an integer too.
        let integer = number
            .as_f64()
            .filter(|float| float.fract() == 0.0)
            .map(|float| float as i128);
        match integer.map(u64::try_from) {
            Some(Ok(integer)) if (MIN..=MAX).contains(&integer) => Ok(Integer(Some(integer))),
            _ => Err(D::Error::custom(format!(
                "'{number}' is not an integer from {MIN} to {MAX}"
            ))),
        }
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for Integer<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Integer".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "null"], "minimum": MIN, "maximum": MAX})
    }
}

impl<'de> Deserialize<'de> for Boolean {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Boolean, D::Error> {
        Option::<bool>::deserialize(json).map(Boolean)
    }
}

impl JsonSchema for Boolean {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Boolean".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["boolean", "null"]})
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, PartialEq)]
    struct Text(String);

    impl FromText for Text {
        fn from_text(text: &str) -> Result<Text, Reason> {
            match text {
                "bad" => Err(Reason::NoLetter(text.to_owned())),
                text => Ok(Text(text.to_owned())),
            }
        }

        fn schema() -> Json {
            json!({"type": "string"})
        }
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Body {
        name: Optional<Text>,
        years: Integer<1, 20>,
        texts: List<Required<Text>>,
        objects: List<Object<Body>>,
    }

    fn read(json: &str) -> Result<Body, ApiError> {
        parse(json.as_bytes())
    }

    #[test]
    fn valid_members_are_parsed() {
        let body = read(r#" {"name":" Ville ","years":5.0,"texts":["a"," b "],"objects":[{"name":"x"},{}]} "#).unwrap();
        assert_eq!(body.name.0, Some(Text("Ville".to_owned())));
        assert_eq!(body.years.0, Some(5));
        assert_eq!(
            body.texts.0.iter().map(|text| &*text.0.0).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert_eq!(body.objects.0.len(), 2);
        for absent in [r#"{"name":null,"texts":null,"years":null}"#, r#"{"name":"  "}"#, "{}"] {
            let body = read(absent).unwrap();
            assert!(body.name.0.is_none() && body.texts.0.is_empty() && body.years.0.is_none());
        }
    }

    #[test]
    fn an_error_names_the_member() {
        for (json, detail) in [
            (
                "{",
                "the body cannot be parsed as JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                "{\n \"name\": }",
                "the body cannot be parsed as JSON: expected value at line 2 column 10",
            ),
            (
                "{} x",
                "the body cannot be parsed as JSON: trailing characters at line 1 column 4",
            ),
            ("[]", "the body must be a JSON object"),
            ("\"x\"", "the body must be a JSON object"),
            (
                "{\"name\":\"a\",\n\"name\":\"b\"}",
                "member 'name': given twice; give it once",
            ),
            (
                r#"{"objects":[{},{"name":"a","name":"b"}]}"#,
                "member 'objects[1].name': given twice; give it once",
            ),
            (
                r#"{"objects":[{},{"nam":"abc"}]}"#,
                "unknown member 'objects[1].nam'; expected one of 'name', 'years', 'texts', 'objects'",
            ),
            (r#"{"name":1}"#, "member 'name': must be a string"),
            (
                r#"{"name":"bad"}"#,
                "member 'name': 'bad' has no letter or digit; give at least one",
            ),
            (r#"{"years":"5"}"#, "member 'years': must be a JSON number"),
            (r#"{"years":21}"#, "member 'years': '21' is not an integer from 1 to 20"),
            (r#"{"years":-1}"#, "member 'years': '-1' is not an integer from 1 to 20"),
            (
                r#"{"years":1.5}"#,
                "member 'years': '1.5' is not an integer from 1 to 20",
            ),
            (r#"{"texts":"a"}"#, "member 'texts': must be a list"),
            (
                r#"{"texts":["a",""]}"#,
                "member 'texts[1]': is empty; give a text or leave it out",
            ),
            (r#"{"texts":[["a"]]}"#, "member 'texts[0]': must be a string"),
            (r#"{"objects":[{},7]}"#, "member 'objects[1]': must be a JSON object"),
            (r#"{"objects":[["x"]]}"#, "member 'objects[0]': must be a JSON object"),
            (r#"{"objects":{}}"#, "member 'objects': must be a list"),
        ] {
            let error = read(json).unwrap_err();
            assert_eq!(
                (error.status.as_u16(), error.detail.as_str()),
                (422, detail),
                "{json:.80}"
            );
        }
        let many = format!("{{\"texts\":[{}\"a\"]}}", "\"a\",".repeat(MAX_ELEMENTS));
        assert_eq!(
            read(&many).unwrap_err().detail,
            "member 'texts': has over 10000 elements; send fewer"
        );
        let long = format!("{{\"years\":\"{0}\",\"{0}\":1}}", "x".repeat(100_000));
        assert_eq!(read(&long).unwrap_err().detail, "member 'years': must be a JSON number");
        let invalid_unicode = parse::<Body>(b"{\"name\":\"\xff\"}").unwrap_err();
        assert!(invalid_unicode.detail.contains("invalid unicode"));
    }

    proptest! {
        #[test]
        fn no_json_panics(json in r#"([{}\[\],:"a1-]|"name"|"texts"|"objects"|null|true|1e9){0,40}"#) {
            let _ = read(&json);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = parse::<Body>(&bytes);
        }
    }
}
