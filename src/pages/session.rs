//! The session of a visitor who signed in: a signed token in a cookie.
//!
//! The token holds the database id of the key and when it ends, never the key. It is signed with a secret of the state
//! database, so no session is stored, and servers that share the database accept each other's sessions. The account is
//! looked up for each request: a revoked key ends its sessions at once.

use std::{
    collections::{BTreeSet, HashMap},
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
    /// Of each key, the sessions whose visitor signed out.
    ended: Mutex<HashMap<i64, EndedSessions>>,
}

/// The sessions of one key whose visitor signed out. So the sign-outs of one key bring back no session of another one.
#[derive(Default)]
struct EndedSessions {
    /// When they would have ended, and their random part.
    sessions: BTreeSet<(i64, String)>,
    /// All sessions of the key that would end until then are over. It takes the place of those that are remembered no
    /// more.
    all_until: i64,
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

/// The maximum number of ended sessions of a key that are remembered until their own end. A further one also ends those
/// of the key that were begun before the oldest of these.
const MAX_ENDED: usize = 100;

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
            ended.retain(|_, of_key| of_key.forget_until(now.timestamp()));
            ended.entry(session.key_id).or_default().add(session);
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
        let of_key = ended.get(&session.key_id);
        let is_ended = is_over || of_key.is_some_and(|of_key| of_key.has(&session));
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

impl EndedSessions {
    fn add(&mut self, session: &Session) {
        if self.sessions.len() >= MAX_ENDED
            && let Some((ends_at, _)) = self.sessions.pop_first()
        {
            self.all_until = self.all_until.max(ends_at);
        }
        self.sessions.insert((session.ends_at, session.nonce.clone()));
    }

    fn has(&self, session: &Session) -> bool {
        session.ends_at <= self.all_until || self.sessions.contains(&(session.ends_at, session.nonce.clone()))
    }

    /// Forgets what would be over by now anyway. Returns whether anything is left.
    fn forget_until(&mut self, now: i64) -> bool {
        self.sessions = self.sessions.split_off(&(now, String::new()));
        self.all_until > now || !self.sessions.is_empty()
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
        let of_other_key = pair(&sessions.start(2, now()).unwrap());
        let other = sessions.of(&headers(&of_other_key), now()).unwrap();
        sessions.end(Some(&other), now()).unwrap();
        let cookies: Vec<String> = (0..MAX_ENDED + 10)
            .map(|_| pair(&sessions.start(1, now()).unwrap()))
            .collect();
        let newer = pair(&sessions.start(1, now() + TimeDelta::seconds(1)).unwrap());
        for cookie in &cookies {
            let session = sessions.of(&headers(cookie), now());
            // The last ones are over already, because they are as old as those that are remembered no more.
            sessions.end(session.as_ref(), now()).unwrap();
        }
        assert_eq!(sessions.ended.lock().unwrap()[&1].sessions.len(), MAX_ENDED);
        // None works again, whether it is remembered or not, and that of another key stays ended.
        for cookie in cookies.iter().chain([&of_other_key]) {
            assert_eq!(sessions.of(&headers(cookie), now()), None);
        }
        assert!(sessions.of(&headers(&newer), now()).is_some());
        sessions.end(None, now()).unwrap();
        let later = Session {
            key_id: 1,
            ends_at: (now() + LIFETIME * 3).timestamp(),
            nonce: "later".to_owned(),
        };
        sessions.end(Some(&later), now() + LIFETIME * 2).unwrap();
        let ended = sessions.ended.lock().unwrap();
        assert_eq!((ended.len(), ended[&1].sessions.len()), (1, 1));
    }

    proptest! {
        #[test]
        fn no_cookie_panics(cookie in "(procure_session=)?[0-9a-f.;= ]{0,80}") {
            let sessions = Sessions::new([7; 32], false);
            prop_assert_eq!(sessions.of(&headers(&cookie), now()), None);
        }
    }
}
