//! Listening: connections, their limits, and an end within three seconds of Ctrl-C.

use crate::connections::Connections;
use crate::drafts::Drafts;
use crate::export::Exports;
use crate::guard::Guard;
use crate::library::{First, Library};
use crate::routes::{self, Studio};
use crate::thumbnails::Thumbnails;
use crate::{Failure, limits};
use axum::Extension;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;

/// How the studio is served.
pub struct Options {
    /// Under which name or address: anything but this machine's own is open to others.
    pub host: String,
    /// On which port; 0 takes any that is free, `None` 8017 or else any that is free.
    pub port: Option<u16>,
    /// What the page opens first.
    pub first: Option<First>,
    /// The folder in which scenes are saved that were changed and stand in no file.
    pub saves: PathBuf,
    /// The memory that all tabs may take together (bytes); by default, what a run may take.
    pub memory: Option<u64>,
}

/// What the person at the terminal is told.
pub enum News {
    /// The studio listens.
    Listening {
        /// The address to open. It carries a key that opens the page once.
        url: String,
        /// Whether other machines can reach it.
        exposed: bool,
    },
    /// An address was opened a second time: this is another one.
    Fresh(String),
    /// A scene that was changed in the page was saved here.
    Saved(PathBuf),
}

/// The port when nothing is said.
const PORT: u16 = 8017;

/// How long connections have to end once all is to end.
const FAREWELL: Duration = Duration::from_millis(1500);

/// Serves the studio until Ctrl-C; `tell` is called with what there is to tell, first of all that
/// it listens.
pub fn serve(options: Options, tell: impl FnMut(News)) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(Failure::Threads)?;
    let ended = runtime.block_on(listen(options, tell));
    // Pictures and simulations at work are not waited for.
    runtime.shutdown_background();
    ended
}

async fn listen(options: Options, mut tell: impl FnMut(News)) -> Result<(), Failure> {
    let Options { host, port, first, saves, memory } = options;
    let unknown = || Failure::Host(host.clone());
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let find = |port: u16| -> Result<SocketAddr, Failure> {
        (bare, port).to_socket_addrs().map_err(|_| unknown())?.next().ok_or_else(unknown)
    };
    let mut wanted = find(port.unwrap_or(PORT))?;
    let mut bound = TcpListener::bind(wanted).await;
    if bound.is_err() && port.is_none() {
        wanted = find(0)?;
        bound = TcpListener::bind(wanted).await;
    }
    let listener = bound.map_err(|error| Failure::Address(wanted, error))?;
    let address = listener.local_addr().map_err(|error| Failure::Address(wanted, error))?;
    let (stop, stopped) = watch::channel(false);
    let (teller, mut news) = mpsc::unbounded_channel();
    let library = Library::new(first, limits::memory(memory))?;
    let studio = Arc::new(Studio {
        guard: Guard::new(address, bare, teller)?,
        exports: Exports::new(&library),
        library,
        drafts: Drafts::default(),
        thumbnails: Thumbnails::default(),
        sessions: Arc::new(Semaphore::new(limits::SESSIONS)),
        pictures: Semaphore::new(1),
        checks: Semaphore::new(1),
        stopped: stopped.clone(),
    });
    let mut end = std::pin::pin!(interrupted());
    let (url, exposed) = (studio.guard.fresh_url()?, !address.ip().is_loopback());
    tell(News::Listening { url, exposed });

    let router = routes::router(Arc::clone(&studio));
    let connections = Connections::new();
    let mut tasks = JoinSet::new();
    loop {
        let (stream, _) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                // Too many open files, say: others may end soon.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            Some(outgoing) = news.recv() => {
                tell(outgoing);
                continue;
            }
            Some(_) = tasks.join_next() => continue,
            () = &mut end => break,
        };
        let connection = connections.enter();
        let service = router.clone().layer(Extension(Arc::clone(&connection)));
        let service = TowerToHyperService::new(service);
        let mut stopped = stopped.clone();
        let _ = stream.set_nodelay(true);
        tasks.spawn(async move {
            let served = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits::PATIENCE)
                .max_buf_size(limits::HEAD)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            let mut served = std::pin::pin!(served);
            tokio::select! {
                _ = &mut served => {}
                () = connection.expired() => {}
                () = ended(&mut stopped) => {
                    served.as_mut().graceful_shutdown();
                    let _ = served.await;
                }
            }
            connection.forget();
        });
    }
    let saved = studio.drafts.save(&studio.library, &saves, |path| tell(News::Saved(path)));
    let _ = stop.send(true);
    let all = async { while tasks.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(FAREWELL, all).await;
    let sessions = studio.sessions.acquire_many(limits::SESSIONS as u32);
    let _ = tokio::time::timeout(FAREWELL / 2, sessions).await;
    studio.library.clear();
    saved
}

/// Waits until all is to end.
pub(crate) async fn ended(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Listens from now on for the person or the system that asks to end.
#[cfg(unix)]
fn interrupted() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    async fn heard(signal: &mut Option<Signal>) {
        match signal {
            Some(signal) => _ = signal.recv().await,
            None => std::future::pending().await,
        }
    }
    let mut interrupted = signal(SignalKind::interrupt()).ok();
    let mut terminated = signal(SignalKind::terminate()).ok();
    async move {
        tokio::select! {
            () = heard(&mut interrupted) => {}
            () = heard(&mut terminated) => {}
        }
    }
}

/// Listens for the person who asks to end.
#[cfg(not(unix))]
async fn interrupted() {
    let _ = tokio::signal::ctrl_c().await;
}
