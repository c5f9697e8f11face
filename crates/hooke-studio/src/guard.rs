//! Who may ask: every request passes here before anything else looks at it.
//!
//! The studio steps simulations and writes files for one person. A page of another site that this
//! person has open must not be able to ask it for anything, whatever names resolve to this machine,
//! and neither must another user of the machine.
//!
//! The key of the printed address is exchanged, once, for a secret that the page keeps for its tab
//! and shows with every request: as `Authorization: Bearer`, and as a protocol of its socket. No
//! cookie: browsers send those to every port of the machine.

use crate::{Failure, News};
use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;

/// A refusal: its code and one sentence.
pub(crate) type Refused = (StatusCode, &'static str);

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// A caller with the secret.
    Known,
    /// Anyone else: the page itself has no secrets.
    Unauthenticated,
}

/// Where the key of an address is exchanged: the only address to which a caller without the key may post.
pub(crate) const EXCHANGE: &str = "/api/key";

/// Where a page opens its socket.
pub(crate) const SOCKET: &str = "/api/socket";

/// The protocol of the socket.
pub(crate) const PROTOCOL: &str = "hooke";

/// What stands before the secret among the protocols that a page offers.
const PROTOCOL_KEY: &str = "hooke.key.";

/// What is checked of every request.
pub(crate) struct Guard {
    /// What the page shows with every request.
    secret: String,
    keys: Mutex<Keys>,
    news: UnboundedSender<News>,
    /// Where the server listens.
    address: SocketAddr,
    /// What `Host` may say, in lower case.
    hosts: Vec<String>,
}

/// The keys in the addresses that were printed. Each opens the page once.
struct Keys {
    fresh: Option<String>,
    used: Vec<String>,
}

/// Random text that nobody can guess.
pub(crate) fn secret() -> Result<String, Failure> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Failure::NoRandomness(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Guard {
    /// For a server at `address`; `host` is the name it was asked to listen under.
    pub(crate) fn new(
        address: SocketAddr,
        host: &str,
        news: UnboundedSender<News>,
    ) -> Result<Self, Failure> {
        let port = address.port();
        let own = match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(ip)) => format!("[{ip}]"),
            _ => host.to_ascii_lowercase(),
        };
        let mut names = vec!["127.0.0.1".to_owned(), "localhost".into(), "[::1]".into()];
        if !names.contains(&own) {
            names.push(own);
        }
        let mut hosts: Vec<_> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.extend(names);
        }
        let keys = Mutex::new(Keys { fresh: None, used: Vec::new() });
        Ok(Self { secret: secret()?, keys, news, address, hosts })
    }

    /// An address that lets a person in, once.
    pub(crate) fn fresh_url(&self) -> Result<String, Failure> {
        let key = secret()?;
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).fresh = Some(key.clone());
        Ok(self.url(&key))
    }

    fn url(&self, key: &str) -> String {
        let ip = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => "127.0.0.1".into(),
            IpAddr::V6(ip) if ip.is_unspecified() => "[::1]".into(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("http://{ip}:{}/?token={key}", self.address.port())
    }

    /// Whether a request may go on, and who asks.
    pub(crate) fn admit(&self, request: &Request<Body>) -> Result<Caller, Refused> {
        let headers = request.headers();
        let host = self.host(request)?;
        if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
            return Err((StatusCode::METHOD_NOT_ALLOWED, "this method is not allowed"));
        }
        let path = request.uri().path();
        if !path.starts_with("/api/") {
            return match request.method() {
                &Method::POST => Err((StatusCode::METHOD_NOT_ALLOWED, "the page is read-only")),
                _ => Ok(Caller::Unauthenticated),
            };
        }
        let known = self.knows(request);
        if !known && path != EXCHANGE {
            return Err((
                StatusCode::UNAUTHORIZED,
                "open the address that hooke studio printed: it contains the key",
            ));
        }
        let origin = headers.get(header::ORIGIN).map(HeaderValue::as_bytes);
        let ours = origin.map(|origin| origin == format!("http://{host}").as_bytes());
        let changes = request.method() == Method::POST || path == SOCKET;
        if ours == Some(false) || (changes && ours.is_none()) {
            return Err((StatusCode::FORBIDDEN, "requests from other sites are refused"));
        }
        if request.method() == Method::POST {
            let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
            if !kind.trim().eq_ignore_ascii_case("application/json") {
                return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json"));
            }
        }
        Ok(if known { Caller::Known } else { Caller::Unauthenticated })
    }

    /// The host a request names, where it is ours.
    fn host(&self, request: &Request<Body>) -> Result<String, Refused> {
        let wrong = (StatusCode::MISDIRECTED_REQUEST, "this server has another name");
        let mut named = request.headers().get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else { return Err(wrong) };
        if request.uri().authority().is_some() {
            return Err(wrong);
        }
        let host = host.to_str().map_err(|_| wrong)?.to_ascii_lowercase();
        // Where every address of the machine is served, its numbers are right, but never a name:
        // a name can be made to resolve to us by anyone.
        let numbers = self.address.ip().is_unspecified()
            && host.parse::<SocketAddr>().is_ok_and(|at| at.port() == self.address.port());
        if numbers || self.hosts.contains(&host) { Ok(host) } else { Err(wrong) }
    }

    /// Whether a request shows the secret. A socket shows it as a protocol, as a page can give it
    /// no headers.
    fn knows(&self, request: &Request<Body>) -> bool {
        let values = |name| {
            let all = request.headers().get_all(name).into_iter();
            all.filter_map(|value| value.to_str().ok())
        };
        match request.uri().path() {
            SOCKET => values(header::SEC_WEBSOCKET_PROTOCOL)
                .flat_map(|list| list.split(','))
                .filter_map(|protocol| protocol.trim().strip_prefix(PROTOCOL_KEY))
                .any(|given| is_same(given, &self.secret)),
            _ => values(header::AUTHORIZATION)
                .filter_map(|value| value.strip_prefix("Bearer "))
                .any(|given| is_same(given, &self.secret)),
        }
    }

    /// Exchanges the key of an address for the secret. A key that was used before opens nothing: a
    /// fresh address is then printed on the terminal.
    pub(crate) fn exchange(&self, given: &str) -> Result<&str, Refused> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = keys.fresh.take_if(|key| is_same(given, key)) {
            keys.used.push(key);
            return Ok(&self.secret);
        }
        let sentence = if keys.used.iter().any(|key| is_same(given, key)) {
            if let (None, Ok(key)) = (&keys.fresh, secret()) {
                let _ = self.news.send(News::Fresh(self.url(&key)));
                keys.fresh = Some(key);
            }
            "this address was used before: open the new one that hooke studio printed"
        } else {
            "this address belongs to another run of hooke studio: open the one it printed"
        };
        Err((StatusCode::UNAUTHORIZED, sentence))
    }
}

/// Whether two secrets are the same, in a time that does not tell how much of them is.
fn is_same(given: &str, known: &str) -> bool {
    let (given, known) = (given.as_bytes(), known.as_bytes());
    given.len() == known.len()
        && given.iter().zip(known).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// Adds what keeps a browser from doing more with an answer than it is meant for.
pub(crate) fn seal(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for name in ["cross-origin-resource-policy", "cross-origin-opener-policy"] {
        headers.insert(name, HeaderValue::from_static("same-origin"));
    }
}

/// What the page may load: its own files, pictures it has fetched itself, and those in the style of its editor.
const POLICY: &str = "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri \
                      'none'; form-action 'none'; frame-ancestors 'none'";

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        let (news, _) = tokio::sync::mpsc::unbounded_channel();
        Guard::new(SocketAddr::from(([127, 0, 0, 1], 8017)), "127.0.0.1", news).expect("randomness")
    }

    fn guarded(host: &str) -> Result<Caller, StatusCode> {
        let request = Request::get("/").header(header::HOST, host).body(Body::empty());
        guard().admit(&request.expect("a request")).map_err(|(code, _)| code)
    }

    #[test]
    fn only_our_names_with_our_port() {
        for host in ["127.0.0.1:8017", "localhost:8017", "LOCALHOST:8017", "[::1]:8017"] {
            assert_eq!(guarded(host), Ok(Caller::Unauthenticated), "{host}");
        }
        for host in [
            "evil.example:8017",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1.evil.example:8017",
            "",
            "localhost.:8017",
            "0.0.0.0:8017",
            "127.1:8017",
            "localhost:8017@evil.example",
        ] {
            assert_eq!(guarded(host), Err(StatusCode::MISDIRECTED_REQUEST), "{host}");
        }
    }

    #[test]
    fn secrets_differ() {
        let (a, b) = (secret().expect("randomness"), secret().expect("randomness"));
        assert_eq!(a.len(), 64);
        assert_ne!(a, b);
    }
}
