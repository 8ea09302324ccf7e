//! A visitor with a browser: it keeps cookies and follows redirects only when told to.

use std::{cell::RefCell, collections::BTreeMap};

use ureq::{
    Agent,
    http::{HeaderMap, Request},
};

use crate::support::TestServer;

pub struct Browser<'a> {
    server: &'a TestServer,
    agent: Agent,
    cookies: RefCell<BTreeMap<String, String>>,
    /// Headers of each request.
    headers: Vec<(String, String)>,
}

/// A response that was read to its end.
#[derive(Debug)]
pub struct Page {
    pub status: u16,
    pub html: String,
    pub headers: HeaderMap,
}

impl<'a> Browser<'a> {
    pub fn new(server: &'a TestServer) -> Browser<'a> {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .build();
        Browser {
            server,
            agent: config.into(),
            cookies: RefCell::default(),
            headers: Vec::new(),
        }
    }

    pub fn with(mut self, name: &str, value: &str) -> Browser<'a> {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn get(&self, path: &str) -> Page {
        self.send("GET", path, &[], "")
    }

    /// Sends a form as a page of this site does.
    pub fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let origin = self.server.address.clone();
        self.send("POST", path, &[("origin", &origin)], &form(fields))
    }

    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Page {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.server.address));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let cookies = self.cookie_line();
        if !cookies.is_empty() {
            request = request.header("cookie", cookies);
        }
        let mut response = if method == "POST" {
            let request = request.header("content-type", "application/x-www-form-urlencoded");
            self.agent.run(request.body(body.to_owned()).unwrap()).unwrap()
        } else {
            self.agent.run(request.body(()).unwrap()).unwrap()
        };
        for line in response.headers().get_all("set-cookie") {
            let pair = line.to_str().unwrap().split(';').next().unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
        }
        Page {
            status: response.status().as_u16(),
            html: response.body_mut().read_to_string().unwrap(),
            headers: response.headers().clone(),
        }
    }

    /// Signs in with a key, and expects it to succeed.
    pub fn sign_in(self, key: &str) -> Browser<'a> {
        let signed_in = self.submit("/en/account", &[("action", "sign-in"), ("key", key)]);
        assert_eq!(signed_in.status, 303, "{signed_in:?}");
        self
    }

    /// The header that sends the cookies; empty if there are none.
    pub fn cookie_line(&self) -> String {
        let cookies = self.cookies.borrow();
        let pairs = cookies.iter().filter(|(_, value)| !value.is_empty());
        let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("; ")
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.borrow_mut().insert(name.to_owned(), value.to_owned());
    }
}

impl Page {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The address that a redirect leads to.
    pub fn location(&self) -> &str {
        self.header("location")
            .unwrap_or_else(|| panic!("no redirect: {self:?}"))
    }

    /// The value of a hidden field.
    pub fn field(&self, name: &str) -> &str {
        let mark = format!("name=\"{name}\" value=\"");
        let (_, rest) = self
            .html
            .split_once(&mark)
            .unwrap_or_else(|| panic!("no field {name}: {}", self.html));
        rest.split('"').next().unwrap()
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{name}={}", procure::http::encoding::encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}
