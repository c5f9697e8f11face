//! Who is let in: loopback, names, key, origin, methods, files, headers (S1 to S7, S11).

use crate::client::{PATIENCE, Server, closed_server, server};
use serde_json::json;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Every address there is, and some there are not.
const PATHS: [&str; 9] = [
    "/",
    "/index.html",
    "/assets/x.js",
    "/api/catalog",
    "/api/scene/flag",
    "/api/thumbnail/flag",
    "/api/download/x",
    "/api/socket",
    "/nothing",
];

/// S1: other addresses of this machine do not answer.
#[test]
fn only_this_machine_is_listened_to() {
    let server = server();
    // The address that packets to the outside would leave from; nothing is sent.
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").expect("a socket");
    let outside = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    let Ok(outside) = outside else { return };
    if outside.ip().is_loopback() || outside.ip().is_unspecified() {
        return;
    }
    let own = TcpListener::bind((outside.ip(), 0)).expect("an address of our own");
    assert!(TcpStream::connect(own.local_addr().expect("an address")).is_ok());
    assert!(TcpStream::connect((outside.ip(), server.port)).is_err());
}

/// S2: the name is checked first, on every path and on the upgrade.
#[test]
fn other_names_are_refused_everywhere() {
    let server = server();
    let port = server.port;
    let (bearer, host) = (server.bearer(), server.host());
    for path in PATHS {
        for wrong in [
            format!("evil.example:{port}"),
            "evil.example".into(),
            "127.0.0.1".into(),
            format!("127.0.0.1:{}", port ^ 1),
            format!("127.0.0.1.evil.example:{port}"),
            format!("localhost.evil.example:{port}"),
            format!("localhost:{port}@evil.example"),
            format!("0.0.0.0:{port}"),
            String::new(),
        ] {
            let answer = server.ask(
                &format!("GET {path}"),
                &[("host", &wrong), ("authorization", &bearer)],
                b"",
            );
            assert!([400, 421].contains(&answer.code), "{path} {wrong}: {answer:?}");
        }
        let twice = [("host", host.as_str()), ("host", "evil.example"), ("authorization", &bearer)];
        let answer = server.ask(&format!("GET {path}"), &twice, b"");
        assert!([400, 421].contains(&answer.code), "{path}: {answer:?}");
        let none = server.ask(&format!("GET {path}"), &[("authorization", &bearer)], b"");
        assert!([400, 421].contains(&none.code), "{path}: {none:?}");
    }
    let origin = format!("http://{host}");
    let absolute = server.ask(
        "GET http://evil.example/api/catalog",
        &[("host", &host), ("authorization", &bearer), ("origin", &origin)],
        b"",
    );
    assert_eq!(absolute.code, 421);
    let rebound = format!("evil.example:{port}");
    let (code, _) = server.upgrade(&[
        ("host", &rebound),
        ("sec-websocket-protocol", &server.protocols()),
        ("origin", &format!("http://{rebound}")),
    ]);
    assert_eq!(code, 421);
    for fine in [format!("LocalHost:{port}"), format!("[::1]:{port}"), format!("127.0.0.1:{port}")]
    {
        let answer =
            server.ask("GET /api/catalog", &[("host", &fine), ("authorization", &bearer)], b"");
        assert_eq!(answer.code, 200, "{fine}");
    }
}

/// S3: nothing without the key, which no cookie and no address carries.
#[test]
fn nothing_without_the_key() {
    let server = server();
    let (host, secret, token) = (server.host(), &server.secret, &server.token);
    let origin = format!("http://{host}");
    assert!(token.len() >= 32 && secret.len() >= 32);
    assert_ne!(token, secret);
    assert_ne!(*token, crate::client::server().token);
    let zeros = "0".repeat(secret.len());
    for path in PATHS.into_iter().filter(|path| path.starts_with("/api")) {
        for (name, value) in [
            ("authorization", String::new()),
            ("authorization", "Bearer".into()),
            ("authorization", "Bearer ".into()),
            ("authorization", secret.clone()),
            ("authorization", format!("Bearer {zeros}")),
            ("authorization", format!("Bearer {secret}x")),
            ("authorization", format!("Bearer {token}")),
            ("authorization", format!("Basic {secret}")),
            ("cookie", format!("hooke={secret}")),
            ("cookie", format!("hooke-{}={secret}", server.port)),
            ("x-key", secret.clone()),
        ] {
            let answer =
                server.ask(&format!("GET {path}"), &[("host", &host), (name, &value)], b"");
            assert_eq!(answer.code, 401, "{path} {name}: {value}");
        }
        for key in [token, secret] {
            let answer = server.ask(&format!("GET {path}?token={key}"), &[("host", &host)], b"");
            assert_eq!(answer.code, 401, "no address carries a key: {path}");
        }
    }
    assert_eq!(server.get("/api/catalog").code, 200);
    for protocols in [
        String::new(),
        "hooke".into(),
        format!("hooke, {secret}"),
        format!("hooke, hooke.key.{zeros}"),
        format!("hooke, hooke.key.{secret}x"),
        format!("hooke, hooke.key.{token}"),
    ] {
        let (code, _) = server.upgrade(&[
            ("host", &host),
            ("origin", &origin),
            ("authorization", &server.bearer()),
            ("sec-websocket-protocol", &protocols),
        ]);
        assert_eq!(code, 401, "{protocols}");
    }
}

/// S3: the key in the address is exchanged for another, once, and no answer sets a cookie.
#[test]
fn the_key_in_the_address_is_used_once() {
    let server = closed_server(None);
    let host = server.host();
    let page = server.ask(&format!("GET /?token={}", server.token), &[("host", &host)], b"");
    assert_eq!((page.code, page.header("set-cookie")), (200, None));
    assert!(!page.text().contains(&server.token));
    let wrong = server.exchange("0123");
    assert_eq!(wrong.code, 401);
    let exchanged = server.exchange(&server.token);
    assert_eq!((exchanged.code, exchanged.header("set-cookie")), (200, None));
    let key = exchanged.json()["key"].as_str().expect("a key").to_owned();
    assert_ne!(key, server.token);
    assert!(server.fresh(Duration::ZERO).is_none());

    let again = server.exchange(&server.token);
    assert_eq!(again.code, 401);
    assert!(again.text().contains("used before"), "{again:?}");
    let fresh = server.fresh(PATIENCE).expect("another address is printed");
    assert_ne!(fresh, server.token);
    assert_eq!(server.exchange(&server.token).code, 401);
    assert!(server.fresh(Duration::from_millis(200)).is_none(), "one waits to be used");
    assert_eq!(server.exchange(&fresh).json()["key"], key.as_str(), "one key for all tabs");
    let bearer = format!("Bearer {key}");
    let known = [("host", host.as_str()), ("authorization", &bearer)];
    assert_eq!(server.ask("GET /api/catalog", &known, b"").code, 200, "who is in stays in");
}

/// S3: only our own page exchanges a key, by a small request.
#[test]
fn the_exchange_is_guarded() {
    let server = closed_server(None);
    let (host, token) = (server.host(), &server.token);
    let (origin, body) = (format!("http://{host}"), json!({ "token": token }).to_string());
    let json_kind = ("content-type", "application/json");
    for (headers, code) in [
        (vec![("host", "evil.example"), ("origin", "http://evil.example"), json_kind], 421),
        (vec![("host", host.as_str()), json_kind], 403),
        (vec![("host", host.as_str()), ("origin", "http://evil.example"), json_kind], 403),
        (vec![("host", host.as_str()), ("origin", "null"), json_kind], 403),
        (vec![("host", host.as_str()), ("origin", &origin), ("content-type", "text/plain")], 415),
    ] {
        assert_eq!(
            server.ask("POST /api/key", &headers, body.as_bytes()).code,
            code,
            "{headers:?}"
        );
    }
    assert_eq!(server.ask("GET /api/key", &[("host", &host)], b"").code, 405);
    assert_eq!(server.exchange(&"x".repeat(4000)).code, 413);
    assert_eq!(server.exchange(token).code, 200, "none of these has used it up");
}

/// S4: only our own page opens a socket or posts.
#[test]
fn other_origins_are_refused() {
    let server = server();
    let (port, host, bearer) = (server.port, server.host(), server.bearer());
    let wrong = [
        "null".to_owned(),
        String::new(),
        "http://evil.example".into(),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".into(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1.evil.example:{port}"),
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{port}/"),
    ];
    for origin in &wrong {
        let protocols = server.protocols();
        let (code, _) = server.upgrade(&[
            ("host", &host),
            ("sec-websocket-protocol", &protocols),
            ("origin", origin),
        ]);
        assert_eq!(code, 403, "{origin}");
        let headers = [
            ("host", host.as_str()),
            ("authorization", &bearer),
            ("origin", origin),
            ("content-type", "application/json"),
        ];
        let answer = server.ask("POST /api/check", &headers, br#"{"text":""}"#);
        assert_eq!(answer.code, 403, "{origin}");
        let answer = server.ask("GET /api/catalog", &headers[..3], b"");
        assert_eq!(answer.code, 403, "{origin}");
    }
    let (code, _) =
        server.upgrade(&[("host", &host), ("sec-websocket-protocol", &server.protocols())]);
    assert_eq!(code, 403, "no origin at all");
    server.socket();
}

/// S5 and S11: no answer opens itself to other sites, and all say what a browser may do with them.
#[test]
fn every_answer_is_sealed() {
    let server = server();
    let (host, bearer) = (server.host(), server.bearer());
    let exchange = format!("/?token={}", server.token);
    for path in PATHS.into_iter().chain([exchange.as_str()]) {
        for headers in [
            &[("host", host.as_str()), ("authorization", &bearer)][..],
            &[("host", host.as_str())],
            &[("host", "evil.example"), ("origin", "http://evil.example")],
        ] {
            let answer = server.ask(&format!("GET {path}"), headers, b"");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
            assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
            assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
            assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"));
            let policy = answer.header("content-security-policy").expect("a policy");
            assert!(policy.starts_with("default-src 'self';"), "{policy}");
            assert!(!policy.contains("unsafe"), "{policy}");
            let head = answer.head.to_ascii_lowercase();
            assert!(!head.contains("access-control-") && !head.contains("set-cookie"), "{head}");
        }
    }
    let preflight = server.ask(
        "OPTIONS /api/check",
        &[
            ("host", &host),
            ("origin", "http://evil.example"),
            ("access-control-request-method", "POST"),
        ],
        b"",
    );
    assert!(
        preflight.code >= 400 && !preflight.head.to_ascii_lowercase().contains("access-control-")
    );
}

/// S6: what changes something is a POST with JSON; a GET changes nothing.
#[test]
fn changes_are_posted_as_json() {
    let server = server();
    let (host, bearer) = (server.host(), server.bearer());
    let origin = format!("http://{host}");
    for path in ["/api/check", "/api/import", "/api/save", "/api/key"] {
        assert_eq!(server.get(path).code, 405, "{path}");
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
            let headers = [
                ("host", host.as_str()),
                ("authorization", &bearer),
                ("origin", &origin),
                ("content-type", kind),
            ];
            let answer = server.ask(&format!("POST {path}"), &headers, br#"{"text":""}"#);
            assert_eq!(answer.code, 415, "{path} {kind}");
        }
    }
    for method in ["PUT", "DELETE", "PATCH", "TRACE", "CONNECT"] {
        let answer = server.ask(
            &format!("{method} /api/catalog"),
            &[("host", &host), ("authorization", &bearer)],
            b"",
        );
        assert!(answer.code >= 400, "{method}: {answer:?}");
    }
    assert_eq!(server.post("/", &json!({})).code, 405);
}

/// S7: files come from the program, whatever a path looks like; scenes by their names alone.
#[test]
fn no_path_leads_outside() {
    let server = server();
    assert!(server.get("/").text().contains("<html"));
    let outside = [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/Cargo.toml",
        "/assets/../../Cargo.toml",
        "//etc/passwd",
        "/etc/passwd",
        "/@fs/etc/passwd",
        "/src/lib.rs",
        "/assets/..%5c..%5cCargo.toml",
        "/index.html%00.js",
        "/index.html?raw",
        "/api/scene/..%2fflag",
        "/api/scene/%2fetc%2fpasswd",
        "/api/scene/flag.toml",
        "/api/scene/@",
        "/api/thumbnail/..%2fflag",
        "/api/download/..%2f..%2fetc%2fpasswd",
        "/api/download/export-1.hooke",
    ];
    for path in outside {
        let answer = server.get(path);
        let fine = answer.code == 404 || (path == "/index.html?raw" && answer.code == 200);
        assert!(fine, "{path}: {answer:?}");
        assert!(!answer.text().contains("root:") && !answer.text().contains("[package]"));
    }
    let scene = server.get("/api/scene/flag");
    assert_eq!(scene.code, 200);
    assert!(scene.text().starts_with("format = 1"));
    assert_eq!(scene.header("content-type"), Some("text/plain; charset=utf-8"));
}

/// The scenes, methods and materials are those of the registries.
#[test]
fn the_catalog_is_that_of_the_registries() {
    let server = server();
    let catalog = server.get("/api/catalog").json();
    let names = |list: &str| -> Vec<String> {
        let list = catalog[list].as_array().expect("a list");
        list.iter().map(|entry| entry["name"].as_str().expect("a name").to_owned()).collect()
    };
    let scenes: Vec<_> = hooke_scene::gallery().iter().map(|entry| entry.name).collect();
    assert_eq!(names("scenes"), scenes);
    let methods: Vec<_> = hooke::methods::METHODS.iter().map(|method| method.name).collect();
    assert_eq!(names("methods"), methods);
    assert_eq!(names("materials").len(), hooke_scene::materials::MATERIALS.len());
    for scene in catalog["scenes"].as_array().expect("a list") {
        for field in ["title", "doc", "group"] {
            assert!(scene[field].as_str().is_some_and(|text| !text.is_empty()), "{scene}");
        }
        // Rigid bodies alone have no method for particles, all other scenes have one.
        let name = scene["name"].as_str().expect("a name");
        let compiled = hooke_scene::Scene::gallery(name).expect("a scene").compile();
        let rigid_alone = compiled.expect("a model").is_rigid_alone();
        let known = scene["method"].as_str().is_some_and(|method| methods.contains(&method));
        assert!(if rigid_alone { scene["method"].is_null() } else { known }, "{scene}");
    }
    for method in catalog["methods"].as_array().expect("a list") {
        for setting in method["settings"].as_array().expect("a list") {
            let kind = setting["kind"].as_str().expect("a kind");
            assert!(["number", "integer", "flag", "choice"].contains(&kind), "{setting}");
            assert!(!setting["default"].is_null(), "{setting}");
        }
    }
    assert_eq!(catalog["schema"]["type"], "object");
}

/// The address is found again under every name of this machine.
#[test]
fn the_page_is_there_without_a_key() {
    let server: Server = server();
    let host = server.host();
    let page = server.ask("GET /", &[("host", &host)], b"");
    assert_eq!((page.code, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(!page.text().contains(&server.token) && !page.text().contains(&server.secret));
    assert!((host.as_str()).to_socket_addrs().is_ok());
}
