//! The socket of a tab: messages in, what is told out, frames as the page has room for them.

use crate::guard;
use crate::limits;
use crate::mailbox::{Inbox, Outbox, Outgoing};
use crate::message::{self, Request};
use crate::routes::{Shared, Studio};
use crate::server::ended;
use crate::session;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;

pub(crate) async fn answer(State(studio): Shared, upgrade: WebSocketUpgrade) -> Response {
    let Ok(permit) = Arc::clone(&studio.sessions).try_acquire_owned() else {
        let sentence = "too many tabs are open: close one and reload this page";
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    };
    let upgrade = upgrade.protocols([guard::PROTOCOL]);
    upgrade.max_message_size(2 * limits::TEXT).max_frame_size(2 * limits::TEXT).on_upgrade(
        move |socket| async move {
            serve(socket, studio).await;
            drop(permit);
        },
    )
}

/// A tab, from its first message to its last.
async fn serve(mut socket: WebSocket, studio: Arc<Studio>) {
    let (inbox, outbox) = (Arc::new(Inbox::default()), Arc::new(Outbox::default()));
    outbox.event(&json!({ "is": "hello", "version": env!("CARGO_PKG_VERSION") }));
    if session::start(&studio, &inbox, &outbox).is_err() {
        return;
    }
    let mut stopped = studio.stopped.clone();
    let mut credit = 0_u32;
    let end = loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => match message::read(&text) {
                    Ok(Request::Credit { frames }) => {
                        credit = credit.saturating_add(frames).min(limits::CREDIT);
                    }
                    Ok(request) => {
                        if !inbox.push(request) {
                            break Some((close_code::POLICY, "too many waiting messages"));
                        }
                    }
                    Err(sentence) => {
                        outbox.event(&json!({ "is": "problem", "message": sentence }));
                    }
                },
                Some(Ok(Message::Binary(_))) => {
                    break Some((close_code::UNSUPPORTED, "messages must be text"));
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => break None,
            },
            () = outbox.wait() => {}
            () = ended(&mut stopped) => {
                let closing = json!({ "is": "closing" }).to_string();
                let _ = send(&mut socket, Message::text(closing)).await;
                break Some((close_code::AWAY, "the studio ends"));
            }
        }
        let outgoing = outbox.take(credit);
        let closed = outgoing.closed;
        match tell(&mut socket, outgoing).await {
            Some(frames) => credit -= frames.min(credit),
            None => break None,
        }
        if closed {
            break Some((close_code::ERROR, "the simulation ended"));
        }
    };
    inbox.close();
    if let Some((code, reason)) = end {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = send(&mut socket, Message::Close(Some(frame))).await;
    }
}

/// Sends what waits; how many frames went, or `None` where the page does not listen.
async fn tell(socket: &mut WebSocket, outgoing: Outgoing) -> Option<u32> {
    let texts = outgoing.events.into_iter().chain(outgoing.timeline);
    for text in texts.chain(outgoing.reports.into_iter().flatten()) {
        send(socket, Message::text(text)).await?;
    }
    let mut sent = 0;
    for frame in outgoing.frames.into_iter().flatten() {
        send(socket, Message::Binary(frame)).await?;
        sent += 1;
    }
    Some(sent)
}

async fn send(socket: &mut WebSocket, message: Message) -> Option<()> {
    tokio::time::timeout(limits::SENDING, socket.send(message)).await.ok()?.ok()
}
