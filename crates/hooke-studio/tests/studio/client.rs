//! A client of our own: it says exactly what a test wants said, also what no browser would.

use hooke_studio::{First, News, Options, serve};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A studio that runs for this test.
pub struct Server {
    pub port: u16,
    /// The key in the address that was printed.
    pub token: String,
    /// What requests show, once the page was opened.
    pub secret: String,
    news: mpsc::Receiver<News>,
}

/// An answer to a request.
#[derive(Debug)]
pub struct Answer {
    pub code: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, v)| v.trim())
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Starts a studio on a free port.
pub fn server() -> Server {
    server_with(None)
}

/// A studio whose page is open.
pub fn server_with(first: Option<First>) -> Server {
    let mut server = closed_server(first);
    let exchanged = server.exchange(&server.token).json();
    server.secret = exchanged["key"].as_str().expect("a key").to_owned();
    server
}

/// A studio whose page nobody has opened yet.
pub fn closed_server(first: Option<First>) -> Server {
    let (sender, news) = mpsc::channel();
    std::thread::spawn(move || {
        let saves = "not-used".into();
        let (host, port, memory) = ("127.0.0.1".into(), Some(0), None);
        let options = Options { host, port, first, saves, memory };
        serve(options, |news| _ = sender.send(news)).expect("the studio starts");
    });
    let Ok(News::Listening { url, exposed: false }) = news.recv_timeout(PATIENCE) else {
        panic!("the studio does not listen");
    };
    let (port, token) = address(&url);
    Server { port, token, secret: String::new(), news }
}

/// The port and the key of an address.
fn address(url: &str) -> (u16, String) {
    let rest = url.strip_prefix("http://127.0.0.1:").expect("loopback");
    let (port, token) = rest.split_once("/?token=").expect("a token");
    (port.parse().expect("a port"), token.to_owned())
}

impl Server {
    /// The key of a fresh address, where one was printed.
    pub fn fresh(&self, patience: Duration) -> Option<String> {
        match self.news.recv_timeout(patience).ok()? {
            News::Fresh(url) => Some(address(&url).1),
            _ => panic!("other news"),
        }
    }

    /// Exchanges the key of an address, as a page that was never here.
    pub fn exchange(&self, token: &str) -> Answer {
        let (host, origin) = (self.host(), format!("http://{}", self.host()));
        let headers =
            [("host", host.as_str()), ("origin", &origin), ("content-type", "application/json")];
        self.ask("POST /api/key", &headers, json!({ "token": token }).to_string().as_bytes())
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// What a request shows.
    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.secret)
    }

    /// What a socket shows.
    pub fn protocols(&self) -> String {
        format!("hooke, hooke.key.{}", self.secret)
    }

    /// Sends bytes as they are, and reads all that comes back.
    pub fn raw(&self, request: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // The server may answer and close before all is sent.
        let _ = stream.write_all(request);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let end = all.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let code = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { code, head, body: all[end + 4..].to_vec() })
    }

    /// A request with these header lines and nothing else.
    pub fn ask(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut request = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() {
            request.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        self.raw(&[request.as_bytes(), body].concat()).expect("an answer")
    }

    /// What our own page gets.
    pub fn get(&self, path: &str) -> Answer {
        let (host, bearer) = (self.host(), self.bearer());
        self.ask(&format!("GET {path}"), &[("host", &host), ("authorization", &bearer)], b"")
    }

    /// What our own page posts.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let (host, bearer, origin) =
            (self.host(), self.bearer(), format!("http://{}", self.host()));
        let headers = [
            ("host", host.as_str()),
            ("authorization", &bearer),
            ("origin", &origin),
            ("content-type", "application/json"),
        ];
        self.ask(&format!("POST {path}"), &headers, body.to_string().as_bytes())
    }

    /// The answer to an upgrade with these headers, and the stream where it succeeded.
    pub fn upgrade(&self, headers: &[(&str, &str)]) -> (u16, TcpStream) {
        let (code, _, stream) = self.upgrade_told(headers);
        (code, stream)
    }

    /// As [`Server::upgrade`], with the head of the answer.
    pub fn upgrade_told(&self, headers: &[(&str, &str)]) -> (u16, String, TcpStream) {
        let mut request = String::from(
            "GET /api/socket HTTP/1.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("sent");
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
            head.push(byte[0]);
        }
        let head = String::from_utf8_lossy(&head).into_owned();
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        (code, head, stream)
    }

    /// A socket as our own page opens it.
    pub fn socket(&self) -> Socket {
        let (host, protocols, origin) =
            (self.host(), self.protocols(), format!("http://{}", self.host()));
        let headers =
            [("host", host.as_str()), ("sec-websocket-protocol", &protocols), ("origin", &origin)];
        let (code, head, stream) = self.upgrade_told(&headers);
        assert_eq!(code, 101);
        // The key is not sent back.
        assert!(head.contains("sec-websocket-protocol: hooke\r\n"), "{head}");
        assert!(!head.contains(&self.secret), "{head}");
        let mut socket = Socket { stream, opened: Value::Null };
        assert_eq!(socket.next_text()["is"], "hello");
        socket
    }

    /// A socket on which a scene is open.
    pub fn open(&self, scene: &str) -> Socket {
        let mut socket = self.socket();
        socket.say(json!({ "do": "open", "scene": scene }));
        socket.opened = socket.until("opened");
        socket
    }
}

/// A socket of a tab.
pub struct Socket {
    pub stream: TcpStream,
    pub opened: Value,
}

/// What a socket brings.
#[derive(Debug)]
pub enum Heard {
    Text(Value),
    Frame(Frame),
    Closed(u16),
}

/// A frame of a run.
#[derive(Debug)]
pub struct Frame {
    pub run: u32,
    pub step: u32,
    pub positions: Vec<[f32; 3]>,
}

impl Socket {
    pub fn say(&mut self, message: Value) {
        self.send(1, message.to_string().as_bytes());
    }

    /// Sends a frame of the protocol; a mask of zeros leaves the payload as it is.
    pub fn send(&mut self, opcode: u8, payload: &[u8]) {
        let mut frame = vec![0x80 | opcode];
        match payload.len() {
            n @ 0..126 => frame.push(0x80 | n as u8),
            n @ 126..65536 => {
                frame.push(0x80 | 126);
                frame.extend((n as u16).to_be_bytes());
            }
            n => {
                frame.push(0x80 | 127);
                frame.extend((n as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(payload);
        // The server may have closed it already, which the reader notices.
        let _ = self.stream.write_all(&frame);
    }

    fn exact(&mut self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        self.stream.read_exact(&mut bytes).ok().map(|()| bytes)
    }

    pub fn next(&mut self) -> Heard {
        let Some(head) = self.exact(2) else { return Heard::Closed(0) };
        let size = match head[1] & 0x7f {
            126 => self.exact(2).map(|n| u64::from(u16::from_be_bytes([n[0], n[1]]))),
            127 => self.exact(8).and_then(|n| Some(u64::from_be_bytes(n.try_into().ok()?))),
            n => Some(u64::from(n)),
        };
        let payload = size.and_then(|size| self.exact(size as usize));
        let Some(payload) = payload else { return Heard::Closed(0) };
        match head[0] & 0x0f {
            1 => Heard::Text(serde_json::from_slice(&payload).expect("JSON")),
            2 => Heard::Frame(frame(&payload)),
            8 => Heard::Closed(payload.first_chunk().map_or(0, |code| u16::from_be_bytes(*code))),
            _ => self.next(),
        }
    }

    pub fn next_text(&mut self) -> Value {
        loop {
            match self.next() {
                Heard::Text(text) => return text,
                Heard::Frame(_) => {}
                Heard::Closed(code) => panic!("closed: {code}"),
            }
        }
    }

    /// The next message of a kind; others are passed over. A problem is a failure unless it is what
    /// is waited for.
    pub fn until(&mut self, kind: &str) -> Value {
        let clock = Instant::now();
        while clock.elapsed() < PATIENCE {
            let text = self.next_text();
            if text["is"] == kind {
                return text;
            }
            assert_ne!(text["is"], "problem", "{text}");
        }
        panic!("no message of the kind {kind}");
    }

    /// The next frame, which is asked for.
    pub fn frame(&mut self) -> Frame {
        self.say(json!({ "do": "credit", "frames": 1 }));
        loop {
            match self.next() {
                Heard::Frame(frame) => return frame,
                Heard::Text(text) => assert_ne!(text["is"], "problem", "{text}"),
                Heard::Closed(code) => panic!("closed: {code}"),
            }
        }
    }

    /// The frame after a single step.
    pub fn step(&mut self) -> Frame {
        self.say(json!({ "do": "step" }));
        self.until("paused");
        self.until("report");
        self.frame()
    }

    /// How it was closed.
    pub fn close_code(&mut self) -> u16 {
        loop {
            if let Heard::Closed(code) = self.next() {
                return code;
            }
        }
    }
}

fn frame(payload: &[u8]) -> Frame {
    let (words, rest) = payload.as_chunks::<4>();
    assert!(rest.is_empty() && words.len() >= 4);
    let flags = u32::from_le_bytes(words[3]);
    let numbers: Vec<f32> = words[4..].iter().map(|word| f32::from_le_bytes(*word)).collect();
    assert!(numbers.iter().all(|number| number.is_finite()), "a number that is not finite");
    let parts = 3 + 3 * (flags & 1) as usize + (flags >> 1 & 1) as usize;
    assert_eq!(numbers.len() % parts, 0);
    let count = numbers.len() / parts;
    let (positions, _) = numbers[..3 * count].as_chunks::<3>();
    Frame {
        run: u32::from_le_bytes(words[0]),
        step: u32::from_le_bytes(words[1]),
        positions: positions.to_vec(),
    }
}
