//! The connection to a browser that this program did not start: messages through a WebSocket.

use std::io;

use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async_with_config,
    tungstenite::{self, Message, protocol::WebSocketConfig},
};

use super::{MAX_MESSAGE, Reader, Writer};

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

#[derive(Debug)]
pub(in crate::browser::cdp) struct SocketReader(SplitStream<Stream>);

#[derive(Debug)]
pub(in crate::browser::cdp) struct SocketWriter(SplitSink<Stream, Message>);

/// Connects to a browser. `address` has the form `ws://host:port/devtools/browser/<id>`.
pub(in crate::browser::cdp) async fn connect(
    address: &str,
) -> io::Result<(SocketReader, SocketWriter)> {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE));
    // `true` switches off Nagle's algorithm: calls are small and follow each other, so none should wait for the next.
    let (stream, _) = connect_async_with_config(address, Some(config), true)
        .await
        .map_err(broken)?;
    let (writer, reader) = stream.split();
    Ok((SocketReader(reader), SocketWriter(writer)))
}

impl Reader for SocketReader {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match self.0.next().await {
                None | Some(Ok(Message::Close(_))) => return Ok(None),
                Some(Ok(Message::Text(text))) => return Ok(Some(text.as_bytes().to_vec())),
                // A lower layer answers pings.
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(broken(error)),
            }
        }
    }
}

impl Writer for SocketWriter {
    async fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        let text = String::from_utf8(message)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        self.0.send(Message::text(text)).await.map_err(broken)
    }
}

fn broken(error: tungstenite::Error) -> io::Error {
    match error {
        tungstenite::Error::Io(error) => error,
        other => io::Error::other(other),
    }
}
