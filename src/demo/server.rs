//! The shop's server: accepts connections, reads requests and writes responses, with limits and time-outs, until it is
//! stopped.
//!
//! It knows nothing about the shop: it passes each complete request to a function and writes the response that the function
//! returns.

use std::{sync::Arc, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, watch},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::http::{self, Request, Response, Status};

/// Maximum time that the server waits for the next complete request on a connection. Source: chosen.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum time that a client may take to receive one response. Source: chosen.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time for which the server waits for unfinished responses when the shop is stopped. Source: chosen.
const STOP_GRACE: Duration = Duration::from_secs(2);
/// Time for which the server still reads after the last response on a connection, so that the client gets the response
/// before the connection closes. Source: chosen.
const LINGER: Duration = Duration::from_millis(500);
/// Pause after a failed accept, which usually means that the process has no free file handles. Source: chosen.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Maximum number of simultaneous connections; further ones wait in the listener's queue. Source: chosen; a browser
/// opens six for each host.
const MAX_CONNECTIONS: usize = 64;
/// Maximum number of bytes that one read from a connection returns. Source: chosen.
const READ_CHUNK: usize = 4096;

pub(super) type Handler = dyn Fn(&Request) -> Response + Send + Sync;

/// Accepts and serves connections until the sender of `stop` is dropped, then waits for unfinished responses, for at
/// most [`STOP_GRACE`].
pub(super) async fn serve(
    listener: TcpListener,
    handler: Arc<Handler>,
    mut stop: watch::Receiver<()>,
) {
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = stop.changed() => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        // Remove connections that have ended, so that they do not accumulate in a long-lived shop.
        while connections.try_join_next().is_some() {}
        let Some((stream, slot)) = accepted else {
            sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (handler, stop) = (Arc::clone(&handler), stop.clone());
        connections.spawn(async move {
            converse(stream, &*handler, stop).await;
            drop(slot);
        });
    }
    drop(listener);
    // Connections that are still open after the grace period are closed when the set is dropped.
    let _ = timeout(STOP_GRACE, async {
        while connections.join_next().await.is_some() {}
    })
    .await;
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    let (stream, _) = listener.accept().await.ok()?;
    Some((stream, slot))
}

enum Read {
    Request(Box<Request>),
    Refused(Status),
    /// The client has closed the connection, has not sent a single byte in time, or cannot be reached.
    Gone,
}

async fn converse(mut stream: TcpStream, handler: &Handler, mut stop: watch::Receiver<()>) {
    let mut arrived = Vec::new();
    loop {
        let read = tokio::select! {
            _ = stop.changed() => return,
            read = next_request(&mut stream, &mut arrived) => read,
        };
        let (response, keep_alive) = match read {
            Read::Request(request) => (handler(&request), request.keep_alive),
            Read::Refused(status) => (Response::refusal(status), false),
            Read::Gone => return,
        };
        let bytes = response.into_bytes(keep_alive);
        if !matches!(
            timeout(WRITE_TIMEOUT, stream.write_all(&bytes)).await,
            Ok(Ok(()))
        ) {
            return;
        }
        if !keep_alive {
            return close(stream).await;
        }
    }
}

async fn next_request(stream: &mut TcpStream, arrived: &mut Vec<u8>) -> Read {
    let reading = async {
        loop {
            match http::parse(arrived) {
                Ok(Some((request, taken))) => {
                    arrived.drain(..taken);
                    return Read::Request(Box::new(request));
                }
                Ok(None) => {}
                Err(status) => return Read::Refused(status),
            }
            let mut chunk = [0; READ_CHUNK];
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return Read::Gone,
                Ok(n) => arrived.extend_from_slice(&chunk[..n]),
            }
        }
    };
    match timeout(READ_TIMEOUT, reading).await {
        Ok(read) => read,
        Err(_) if arrived.is_empty() => Read::Gone,
        Err(_) => Read::Refused(Status::RequestTimeout),
    }
}

/// Closes the sending side of a connection, then continues to read for [`LINGER`]. Without that, closing a socket with
/// unread bytes would make the system discard the response before the client has read it.
async fn close(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let mut scrap = [0; READ_CHUNK];
    let _ = timeout(LINGER, async {
        while matches!(stream.read(&mut scrap).await, Ok(n) if n > 0) {}
    })
    .await;
}
