//! The addresses of the server and what stands behind each.

use crate::connections::Connection;
use crate::drafts::Drafts;
use crate::export::Exports;
use crate::guard::{self, Caller, Guard};
use crate::library::Library;
use crate::thumbnails::Thumbnails;
use crate::{catalog, import, limits, page, socket};
use axum::body::HttpBody;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// What all connections share.
pub(crate) struct Studio {
    pub(crate) guard: Guard,
    pub(crate) library: Library,
    pub(crate) exports: Exports,
    pub(crate) drafts: Drafts,
    pub(crate) thumbnails: Thumbnails,
    /// Tabs with a simulation.
    pub(crate) sessions: Arc<Semaphore>,
    /// Pictures are drawn one after the other: simulations go first.
    pub(crate) pictures: Semaphore,
    /// So are checks and imports worked off, which wait for no picture.
    pub(crate) checks: Semaphore,
    /// Whether all is to end.
    pub(crate) stopped: watch::Receiver<bool>,
}

pub(crate) type Shared = State<Arc<Studio>>;

/// Every address. Whatever is asked, the guard is first.
pub(crate) fn router(studio: Arc<Studio>) -> Router {
    Router::new()
        .route(guard::EXCHANGE, post(exchange))
        .route("/api/catalog", get(catalog::answer))
        .route("/api/thumbnail/{name}", get(thumbnail))
        .route("/api/scene/{name}", get(scene))
        .route("/api/check", post(check))
        .route("/api/import", post(dropped))
        .route("/api/save", post(save))
        .route("/api/download/{id}", get(download))
        .route(guard::SOCKET, get(socket::answer))
        .fallback(file_of_page)
        .layer(middleware::from_fn_with_state(Arc::clone(&studio), guarded))
        .with_state(studio)
}

async fn guarded(
    State(studio): Shared,
    Extension(connection): Extension<Arc<Connection>>,
    request: Request,
    next: Next,
) -> Response {
    let admitted = studio.guard.admit(&request);
    let known = admitted == Ok(Caller::Known);
    if !known {
        connection.note_request();
    }
    let mut response = match admitted {
        Ok(Caller::Known) if !connection.shows_key() => {
            let sentence = "too many connections are open: close a tab";
            (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response()
        }
        Ok(_) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    if !known {
        // Without the key, a connection serves one request.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    guard::seal(&mut response);
    response
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    token: String,
}

/// Exchanges the key of an address.
async fn exchange(State(studio): Shared, request: Request) -> Response {
    let reading = read(request, limits::KEY);
    let Token { token } = match tokio::time::timeout(limits::UNAUTHENTICATED_TIME, reading).await {
        Ok(Ok(token)) => token,
        Ok(Err(refused)) => return refused,
        Err(_) => {
            return (StatusCode::REQUEST_TIMEOUT, "the request takes too long").into_response();
        }
    };
    match studio.guard.exchange(&token) {
        Ok(key) => outgoing(&json!({ "key": key })),
        Err(refused) => refused.into_response(),
    }
}

async fn file_of_page(request: Request) -> Response {
    match page::file(request.uri().path()) {
        Some((kind, content)) => ([(header::CONTENT_TYPE, kind)], content).into_response(),
        None => (StatusCode::NOT_FOUND, "not found").into_response(),
    }
}

async fn thumbnail(State(studio): Shared, Path(name): Path<String>) -> Response {
    match Thumbnails::get(&studio, &name).await {
        Some(png) => ([(header::CONTENT_TYPE, "image/png")], png).into_response(),
        None => {
            (StatusCode::NOT_FOUND, "there is no such scene, or no picture of it").into_response()
        }
    }
}

async fn scene(State(studio): Shared, Path(name): Path<String>) -> Response {
    match studio.library.named(&name) {
        Some(scene) => {
            let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
            (kind, scene.text().to_owned()).into_response()
        }
        None => (StatusCode::NOT_FOUND, "there is no such scene").into_response(),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    text: String,
}

async fn check(State(studio): Shared, request: Request) -> Response {
    let Text { text } = match read(request, 2 * limits::TEXT).await {
        Ok(text) => text,
        Err(refused) => return refused,
    };
    let Ok(_permit) = studio.checks.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let shared = Arc::clone(&studio);
    answer(tokio::task::spawn_blocking(move || shared.library.check(&text)).await)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Dropped {
    name: String,
    base64: String,
}

async fn dropped(State(studio): Shared, request: Request) -> Response {
    let Dropped { name, base64 } = match read(request, limits::FILE / 3 * 4 + (1 << 16)).await {
        Ok(dropped) => dropped,
        Err(refused) => return refused,
    };
    let Ok(_permit) = studio.checks.acquire().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let shared = Arc::clone(&studio);
    let work = move || match import::scene_of(&shared.library, &name, &base64) {
        Ok(imported) => imported,
        Err(sentence) => json!({ "problem": sentence }),
    };
    answer(tokio::task::spawn_blocking(work).await)
}

/// Saves a text to the file of the command line. The page never names a file.
async fn save(State(studio): Shared, request: Request) -> Response {
    let Text { text } = match read(request, 2 * limits::TEXT).await {
        Ok(text) => text,
        Err(refused) => return refused,
    };
    let work = move || match studio.library.save(&text) {
        Ok(name) => json!({ "saved": name }),
        Err(sentence) => json!({ "problem": sentence }),
    };
    answer(tokio::task::spawn_blocking(work).await)
}

async fn download(State(studio): Shared, Path(id): Path<String>) -> Response {
    let Some(product) = studio.exports.find(&id) else {
        return (StatusCode::NOT_FOUND, "this file is no longer there").into_response();
    };
    let name = product.name.clone();
    match tokio::task::spawn_blocking(move || std::fs::read(product.path)).await {
        Ok(Ok(bytes)) => {
            let attachment = format!("attachment; filename=\"{name}\"");
            let kind = "application/octet-stream".to_owned();
            let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, attachment)];
            (headers, bytes).into_response()
        }
        _ => (StatusCode::NOT_FOUND, "this file is no longer there").into_response(),
    }
}

/// A body as what it should be, or the answer that says what is wrong.
async fn read<T: DeserializeOwned>(request: Request, most: usize) -> Result<T, Response> {
    let refused = |code: StatusCode, sentence: String| (code, sentence).into_response();
    let long = || {
        let sentence = format!("a request to this address has at most {most} bytes");
        refused(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    };
    let announced = request.body().size_hint().lower();
    if announced > most as u64 {
        return Err(long());
    }
    let body = axum::body::to_bytes(request.into_body(), most);
    let Ok(body) = tokio::time::timeout(limits::SENDING, body).await else {
        return Err(refused(StatusCode::REQUEST_TIMEOUT, "the request takes too long".into()));
    };
    let body = body.map_err(|_| long())?;
    serde_json::from_slice(&body)
        .map_err(|error| refused(StatusCode::BAD_REQUEST, error.to_string()))
}

/// What was worked out elsewhere, as JSON.
fn answer(outcome: Result<Value, tokio::task::JoinError>) -> Response {
    match outcome {
        Ok(value) => outgoing(&value),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal error").into_response(),
    }
}

/// JSON as an answer.
pub(crate) fn outgoing(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}
