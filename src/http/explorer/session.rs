//! The session of a visitor who signed in: a signed token in a cookie.
//!
//! The token holds the database id of the key and when it ends, never the key. It is signed with a secret of the state
//! database, so no session is stored, and servers that share the database accept each other's sessions. The account is
//! looked up for each request: a revoked key ends its sessions at once.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use actix_web::http::header::{self, HeaderMap, HeaderValue};
use anyhow::Context;
use chrono::{DateTime, TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::storage::hex::hex;

/// The secret that tokens are signed with.
pub(crate) type Secret = [u8; 32];

/// Makes and checks sessions.
pub(crate) struct Sessions {
    secret: Secret,
    /// Whether browsers send the cookie over TLS only.
    is_secure: bool,
    /// Sessions whose visitor signed out: when they would have ended, and their random part.
    ended: Mutex<BTreeSet<(i64, String)>>,
}

/// A valid session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) key_id: i64,
    /// Seconds since 1970.
    ends_at: i64,
    /// Makes the sessions of a key differ.
    nonce: String,
}

/// How long a session lasts.
const LIFETIME: TimeDelta = TimeDelta::hours(12);

/// The maximum number of ended sessions that are remembered until their own end.
const MAX_ENDED: usize = 10_000;

/// The names of the cookie. Browsers accept the first one over TLS only, and only from this host.
const SECURE_NAME: &str = "__Host-procure_session";
const NAME: &str = "procure_session";

impl Sessions {
    pub(crate) fn new(secret: Secret, is_secure: bool) -> Sessions {
        Sessions {
            secret,
            is_secure,
            ended: Mutex::default(),
        }
    }

    /// A secret for this process, where the state database has none.
    pub(crate) fn random_secret() -> anyhow::Result<Secret> {
        let mut secret = Secret::default();
        getrandom::fill(&mut secret).context("generating the secret of sessions")?;
        Ok(secret)
    }

    /// The cookie that starts a session of a key.
    pub(crate) fn start(&self, key_id: i64, now: DateTime<Utc>) -> anyhow::Result<HeaderValue> {
        let mut nonce = [0; 12];
        getrandom::fill(&mut nonce).context("generating a session")?;
        let session = Session {
            key_id,
            ends_at: (now + LIFETIME).timestamp(),
            nonce: hex(&nonce),
        };
        let token = format!(
            "{}.{}",
            session.signed_text(),
            hex(&self.sign("session", &session.signed_text()))
        );
        self.cookie(&token, LIFETIME.num_seconds())
    }

    /// The cookie that ends a session in the browser. Its token is refused from now on.
    pub(crate) fn end(&self, session: Option<&Session>, now: DateTime<Utc>) -> anyhow::Result<HeaderValue> {
        if let Some(session) = session {
            let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
            *ended = ended.split_off(&(now.timestamp(), String::new()));
            if ended.len() >= MAX_ENDED {
                ended.pop_first();
            }
            ended.insert((session.ends_at, session.nonce.clone()));
        }
        self.cookie("", 0)
    }

    /// The session that the cookies of a request hold, if it is valid.
    pub(crate) fn of(&self, headers: &HeaderMap, now: DateTime<Utc>) -> Option<Session> {
        let lines = headers.get_all(header::COOKIE);
        let pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'));
        let tokens = pairs.filter_map(|pair| pair.trim().split_once('='));
        let mut tokens = tokens.filter(|(name, _)| *name == self.name()).map(|(_, token)| token);
        tokens.find_map(|token| self.check(token, now))
    }

    /// The token that forms of a session must send along.
    pub(crate) fn form_token(&self, session: &Session) -> String {
        hex(&self.sign("form", &session.signed_text())[..20])
    }

    /// Whether a form sent the token of its session.
    pub(crate) fn is_form_token(&self, session: &Session, token: &str) -> bool {
        // The signature is compared in constant time; it is longer than the token.
        unhex(token).is_some_and(|token| {
            let code = self.code("form", &session.signed_text());
            token.len() == 20 && code.verify_truncated_left(&token).is_ok()
        })
    }

    fn check(&self, token: &str, now: DateTime<Utc>) -> Option<Session> {
        let (text, signature) = token.rsplit_once('.')?;
        let code = self.code("session", text);
        code.verify_slice(&unhex(signature)?).ok()?;
        let mut parts = text.split('.');
        let session = Session {
            key_id: parts.next()?.parse().ok()?,
            ends_at: parts.next()?.parse().ok()?,
            nonce: parts.next()?.to_owned(),
        };
        let is_over = session.ends_at <= now.timestamp();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ended = is_over || ended.contains(&(session.ends_at, session.nonce.clone()));
        (!is_ended).then_some(session)
    }

    fn code(&self, purpose: &str, text: &str) -> Hmac<Sha256> {
        let code = Hmac::<Sha256>::new_from_slice(&self.secret);
        let mut code = code.expect("HMAC takes a key of any length");
        code.update(purpose.as_bytes());
        code.update(b"\0");
        code.update(text.as_bytes());
        code
    }

    fn sign(&self, purpose: &str, text: &str) -> [u8; 32] {
        self.code(purpose, text).finalize().into_bytes().into()
    }

    fn name(&self) -> &'static str {
        if self.is_secure { SECURE_NAME } else { NAME }
    }

    fn cookie(&self, token: &str, max_age: i64) -> anyhow::Result<HeaderValue> {
        let secure = if self.is_secure { "; Secure" } else { "" };
        let name = self.name();
        let cookie = format!("{name}={token}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}");
        HeaderValue::try_from(cookie).context("writing a cookie")
    }
}

impl Session {
    fn signed_text(&self) -> String {
        format!("{}.{}.{}", self.key_id, self.ends_at, self.nonce)
    }
}

/// The bytes of a hexadecimal text; `None` if it is not one, or longer than a signature.
fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if digits.len() > 64 || !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
    digits.chunks_exact(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-03-01T12:00:00Z".parse().unwrap()
    }

    fn headers(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::COOKIE, HeaderValue::from_str(cookie).unwrap());
        headers
    }

    fn pair(cookie: &HeaderValue) -> String {
        cookie.to_str().unwrap().split(';').next().unwrap().to_owned()
    }

    #[test]
    fn a_session_lasts_until_its_end_or_until_the_visitor_signs_out() {
        let sessions = Sessions::new([7; 32], false);
        let cookie = sessions.start(42, now()).unwrap();
        let text = cookie.to_str().unwrap();
        assert!(text.starts_with("procure_session=42."), "{text}");
        assert!(
            text.ends_with("; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict"),
            "{text}"
        );
        let cookie = pair(&cookie);
        let session = sessions.of(&headers(&format!("a=b; {cookie}")), now()).unwrap();
        assert_eq!(session.key_id, 42);
        assert_eq!(sessions.of(&headers(&cookie), now() + LIFETIME), None);
        let other = pair(&sessions.start(42, now()).unwrap());
        assert_ne!(cookie, other);
        let end = sessions.end(Some(&session), now()).unwrap();
        assert!(end.to_str().unwrap().starts_with("procure_session=; Path=/; Max-Age=0"));
        assert_eq!(sessions.of(&headers(&cookie), now()), None);
        assert!(sessions.of(&headers(&other), now()).is_some());
        let restarted = Sessions::new([7; 32], false);
        assert!(restarted.of(&headers(&other), now()).is_some());
    }

    #[test]
    fn another_secret_or_a_changed_token_is_refused() {
        let sessions = Sessions::new([7; 32], false);
        let cookie = pair(&sessions.start(42, now()).unwrap());
        assert_eq!(Sessions::new([8; 32], false).of(&headers(&cookie), now()), None);
        for changed in [
            cookie.replacen("42", "43", 1),
            cookie.replacen('.', ".9", 1),
            format!("{cookie}0"),
            cookie[..cookie.len() - 2].to_owned(),
            "procure_session=".to_owned(),
            "procure_session=...".to_owned(),
        ] {
            assert_eq!(sessions.of(&headers(&changed), now()), None, "{changed}");
        }
        // A wrong cookie of the same name, such as of another service on the host, hides no valid one.
        let both = format!("procure_session=x; {cookie}");
        assert!(sessions.of(&headers(&both), now()).is_some());
    }

    #[test]
    fn behind_tls_the_cookie_is_bound_to_the_host() {
        let sessions = Sessions::new([7; 32], true);
        let cookie = sessions.start(1, now()).unwrap();
        let text = cookie.to_str().unwrap();
        assert!(
            text.starts_with("__Host-procure_session=1.") && text.ends_with("; Secure"),
            "{text}"
        );
    }

    #[test]
    fn a_form_token_belongs_to_its_session() {
        let sessions = Sessions::new([7; 32], false);
        let session = |key_id| {
            let cookie = pair(&sessions.start(key_id, now()).unwrap());
            sessions.of(&headers(&cookie), now()).unwrap()
        };
        let (one, other) = (session(1), session(1));
        let token = sessions.form_token(&one);
        assert!(sessions.is_form_token(&one, &token));
        assert!(!sessions.is_form_token(&other, &token));
        for wrong in ["", "00", &token[..38], &token.replacen(&token[..1], "x", 1)] {
            assert!(!sessions.is_form_token(&one, wrong), "{wrong}");
        }
    }

    #[test]
    fn ended_sessions_take_bounded_memory() {
        let sessions = Sessions::new([7; 32], false);
        for number in 0..MAX_ENDED + 10 {
            let session = Session {
                key_id: 1,
                ends_at: now().timestamp() + 60,
                nonce: number.to_string(),
            };
            sessions.end(Some(&session), now()).unwrap();
        }
        assert_eq!(sessions.ended.lock().unwrap().len(), MAX_ENDED);
        sessions.end(None, now()).unwrap();
        let later = Session {
            key_id: 1,
            ends_at: now().timestamp() + 600,
            nonce: "later".to_owned(),
        };
        sessions.end(Some(&later), now() + TimeDelta::seconds(61)).unwrap();
        assert_eq!(sessions.ended.lock().unwrap().len(), 1);
    }

    proptest! {
        #[test]
        fn no_cookie_panics(cookie in "(procure_session=)?[0-9a-f.;= ]{0,80}") {
            let sessions = Sessions::new([7; 32], false);
            prop_assert_eq!(sessions.of(&headers(&cookie), now()), None);
        }
    }
}
