//! The addresses of pages, and links with parameters added, changed or removed.
//!
//! State is in the address: going back, reloading, sharing and bookmarking work. Every link is a path without a host,
//! so that it is valid through any proxy.

use std::borrow::Cow;

use crate::{
    catalog::suppliers::Party,
    http::{
        encoding::{encode, encode_pair, pairs},
        error::ApiError,
    },
    model::{
        Date, EntityType, Language, Role,
        commodity::{CommodityCode, Scheme},
        record::query_key,
    },
};

/// The parameters of an address, decoded, in their order. Empty values are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Parses a raw query string.
    pub(crate) fn parse(query: &str) -> Result<Parameters, ApiError> {
        let mut pairs = pairs(query)?;
        pairs.retain(|(_, value)| !value.trim().is_empty());
        Ok(Parameters(pairs))
    }

    /// The value of a parameter, without blanks around it. If it is repeated, the last one.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let values = self.0.iter().filter(|(known, _)| known == name);
        values.map(|(_, value)| value.trim()).next_back()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// These parameters with one set to a value, at its old place.
    pub(crate) fn with(&self, name: &str, value: &str) -> Parameters {
        let mut changed = self.clone();
        let old = changed.0.iter().position(|(known, _)| known == name);
        match old {
            Some(at) => {
                changed.0[at].1 = value.to_owned();
                let mut index = 0;
                changed.0.retain(|(known, _)| {
                    index += 1;
                    index - 1 == at || known != name
                });
            }
            None => changed.0.push((name.to_owned(), value.to_owned())),
        }
        changed
    }

    /// These parameters with one more value of a parameter.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Parameters {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// These parameters with the values that `change` returns for a name and a value; the others stay.
    pub(crate) fn map(mut self, change: impl Fn(&str, &str) -> Option<String>) -> Parameters {
        for (name, value) in &mut self.0 {
            if let Some(changed) = change(name, value.trim()) {
                *value = changed;
            }
        }
        self
    }

    /// These parameters without the named ones.
    pub(crate) fn without(&self, names: &[&str]) -> Parameters {
        let kept = self.0.iter().filter(|(name, _)| !names.contains(&name.as_str()));
        Parameters(kept.cloned().collect())
    }

    /// The query string, without `?`.
    pub(crate) fn query_string(&self) -> String {
        self.after("").trim_start_matches('?').to_owned()
    }

    /// The path with these parameters.
    pub(crate) fn after(&self, path: &str) -> String {
        let mut address = path.to_owned();
        for (index, (name, value)) in self.0.iter().enumerate() {
            address.push(if index == 0 { '?' } else { '&' });
            encode_pair(&mut address, name, value);
        }
        address
    }
}

/// Parameters that other sites add to shared links, in addition to those that begin with [`CAMPAIGN`].
const TRACKING: [&str; 4] = ["fbclid", "gclid", "msclkid", "mc_cid"];

const CAMPAIGN: &str = "utm_";

/// A raw query string without the parameters that other sites add to shared links.
pub(crate) fn without_tracking(query: &str) -> Cow<'_, str> {
    let is_tracking = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        TRACKING.contains(&name) || name.starts_with(CAMPAIGN)
    };
    if !query.split('&').any(|pair| is_tracking(&pair)) {
        return Cow::Borrowed(query);
    }
    let own: Vec<&str> = query.split('&').filter(|pair| !is_tracking(pair)).collect();
    Cow::Owned(own.join("&"))
}

/// A path with a raw query string, if there is one.
pub(crate) fn with_query(path: &str, query: &str) -> String {
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// The page of a language that exists under a fixed path, such as `search`; the home page without one.
pub(crate) fn page(language: Language, name: &str) -> String {
    match name {
        "" => format!("/{}", language.code()),
        _ => format!("/{}/{name}", language.code()),
    }
}

/// The hits of a search. The parameters have the names of the API; `kind` is the entity type.
pub(crate) fn search(language: Language, entity_type: EntityType, parameters: &Parameters) -> String {
    let mut all = vec![("kind".to_owned(), entity_type.name().to_owned())];
    all.extend(parameters.without(&["kind"]).0);
    Parameters(all).after(&page(language, "search"))
}

/// `search` for what ends from a day on, the earliest end first.
pub(crate) fn ending_from(search: &Parameters, day: Date) -> Parameters {
    let search = search.with("ending_after", &day.to_string());
    search.with("sort_by", "ending").with("sort_order", "asc")
}

pub(crate) fn record(language: Language, entity_type: EntityType, record_id: &str) -> String {
    format!("/{}/record/{entity_type}/{}", language.code(), encode(record_id))
}

pub(crate) fn vendor(language: Language, name: &str) -> String {
    format!("/{}/vendor/{}", language.code(), encode(of_name(Role::Vendor, name)))
}

/// The page of a supplier with all its names.
pub(crate) fn party(language: Language, party: Party, id: &str) -> String {
    format!("/{}/{}/{}", language.code(), party.noun(), encode(id))
}

/// The comparison of things of a type.
pub(crate) fn compare(language: Language, what: &str) -> String {
    format!("/{}/compare/{what}", language.code())
}

pub(crate) fn department(language: Language, name: &str) -> String {
    format!(
        "/{}/department/{}",
        language.code(),
        encode(of_name(Role::Department, name))
    )
}

/// The name, or as much of it as the server compares if an address with the whole one would be too long to be read.
fn of_name(role: Role, name: &str) -> &str {
    if name.len() <= MAX_NAME_BYTES {
        return name;
    }
    let compared = query_key(role, name);
    // A letter has up to four bytes, and one in what is compared.
    let beginnings = (1..=4).map(|bytes| &name[..name.floor_char_boundary(compared.len() * bytes)]);
    let mut same = beginnings.filter(|beginning| query_key(role, beginning) == compared);
    same.next().unwrap_or(name)
}

/// The length from which a name is cut for an address: encoded it has three times as many bytes.
const MAX_NAME_BYTES: usize = 2048;

/// The page of a commodity code. Digits alone are of UNSPSC; other codes have the name of their scheme in front.
pub(crate) fn commodity(language: Language, code: &CommodityCode) -> String {
    let text = match code.scheme() {
        Scheme::Unspsc => code.code(),
        Scheme::Gsin | Scheme::Object => code.key(),
    };
    format!("/{}/commodity/{}", language.code(), encode(text))
}

pub(crate) fn solicitation(language: Language, number: &str) -> String {
    format!("/{}/solicitation/{}", language.code(), encode(number))
}

pub(crate) fn worth(language: Language, record_id: &str) -> String {
    format!("/{}/tender/{}/worth", language.code(), encode(record_id))
}

/// The file with the bids on a tender.
pub(crate) fn bids_csv(language: Language, record_id: &str) -> String {
    format!("/{}/tender.csv/{}/bids", language.code(), encode(record_id))
}

/// The page that says how to cite a page of this site. `path` and `query` are raw.
pub(crate) fn cite(language: Language, path: &str, query: &str) -> String {
    format!("{}?of={}", page(language, "cite"), encode(&with_query(path, query)))
}

/// The file for spreadsheets with the data of a page: its path with `.csv` after its first part. `path` is
/// that of a page, raw or encoded.
pub(crate) fn spreadsheet(path: &str) -> String {
    let parts: Vec<&str> = path.splitn(4, '/').collect();
    match parts[..] {
        ["", language, page] => format!("/{language}/{page}.csv"),
        ["", language, page, rest] => format!("/{language}/{page}.csv/{rest}"),
        _ => path.to_owned(),
    }
}

/// The address of a page in another language; the home page for a path without a language. `path` and `query` are raw.
pub(crate) fn in_language(language: Language, path: &str, query: &str) -> String {
    let is_page = Language::ALL
        .into_iter()
        .find_map(|of| path.strip_prefix(&page(of, "")));
    let Some(rest) = is_page.filter(|rest| rest.is_empty() || rest.starts_with('/')) else {
        return page(language, "");
    };
    let separator = if query.is_empty() { "" } else { "?" };
    format!("/{}{rest}{separator}{query}", language.code())
}

/// A path of this site that a client sent as the page to go to next; `None` for any other text.
///
/// Browsers read `//host`, `/\host` and tabs in between as another site.
pub(crate) fn same_site_path(text: &str) -> Option<&str> {
    let is_page = ["/en", "/fr"].iter().any(|language| {
        let rest = text.strip_prefix(language);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
    });
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_page && is_plain && text.len() <= MAX_NEXT_BYTES).then_some(text)
}

/// The maximum length of the page to go to next, in bytes.
const MAX_NEXT_BYTES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_other_sites_are_left_out() {
        for (query, own) in [
            ("", ""),
            ("q=utm_x", "q=utm_x"),
            ("fbclid=1&q=a+b&utm_source=mail&utm_term=%zz&limit=2", "q=a+b&limit=2"),
            ("gclid", ""),
        ] {
            assert_eq!(without_tracking(query), own);
        }
    }

    #[test]
    fn parameters_are_changed_at_their_place() {
        let query = Parameters::parse("q=a+b&vendor=&kind=x&q=c").unwrap();
        assert_eq!(query.get("q"), Some("c"));
        assert_eq!(query.get("vendor"), None);
        assert_eq!(query.with("q", "d&e").after("/en/search"), "/en/search?q=d%26e&kind=x");
        assert_eq!(query.with("year", "2024").after(""), "?q=a%20b&kind=x&q=c&year=2024");
        assert_eq!(query.without(&["q"]).after("/en/search"), "/en/search?kind=x");
        assert_eq!(query.without(&["q", "kind"]).after("/en/search"), "/en/search");
        assert!(Parameters::parse("q=%zz").is_err());
    }

    #[test]
    fn names_are_one_segment() {
        assert_eq!(
            vendor(Language::French, "R&D/É Inc."),
            "/fr/vendor/R%26D%2F%C3%89%20Inc."
        );
        assert_eq!(worth(Language::English, "a/b"), "/en/tender/a%2Fb/worth");
        assert_eq!(page(Language::English, ""), "/en");
        for (code, address) in [
            ("72100000", "/en/commodity/7210"),
            ("n7030", "/en/commodity/gsin%3An7030"),
        ] {
            let code = CommodityCode::parse(code).unwrap();
            assert_eq!(commodity(Language::English, &code), address);
        }
        let query = Parameters::parse("q=x&kind=award").unwrap();
        assert_eq!(
            search(Language::English, EntityType::Tender, &query),
            "/en/search?kind=tender&q=x"
        );
    }

    #[test]
    fn a_page_has_its_file_at_an_address_of_its_own() {
        for (path, file) in [
            ("/en/sources", "/en/sources.csv"),
            ("/fr/vendor/a%2Fb/c.csv", "/fr/vendor.csv/a%2Fb/c.csv"),
            ("/en/record/tender/a|b", "/en/record.csv/tender/a|b"),
        ] {
            assert_eq!(spreadsheet(path), file);
        }
    }

    #[test]
    fn the_other_language_keeps_path_and_parameters() {
        assert_eq!(in_language(Language::French, "/en", ""), "/fr");
        assert_eq!(in_language(Language::French, "/assets/x", "a=b"), "/fr");
        assert_eq!(
            in_language(Language::English, "/fr/vendor/a%2Fb", "with=c"),
            "/en/vendor/a%2Fb?with=c"
        );
    }

    #[test]
    fn only_pages_of_this_site_are_next() {
        for text in ["/en", "/fr/search?q=a%20b", "/en?x", "/en/"] {
            assert_eq!(same_site_path(text), Some(text));
        }
        for text in [
            "",
            "/",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example/en",
            "/english",
            "/en\\..\\x",
            "/en\r\nset-cookie: a=b",
            "/en/ x",
            "/assets/x",
            "/tender",
            "/en/é",
        ] {
            assert_eq!(same_site_path(text), None, "{text}");
        }
        assert_eq!(same_site_path(&format!("/en/{}", "x".repeat(MAX_NEXT_BYTES))), None);
    }

    #[test]
    fn a_long_name_has_an_address_that_finds_the_same() {
        let name = "é".repeat(2_000);
        let address = vendor(Language::English, &name);
        assert!(address.len() < 16 << 10, "{}", address.len());
        let shown = crate::http::encoding::decode(address.strip_prefix("/en/vendor/").unwrap()).unwrap();
        assert_eq!(query_key(Role::Vendor, &shown), query_key(Role::Vendor, &name));
        assert_eq!(of_name(Role::Vendor, "Acme"), "Acme");
    }
}
