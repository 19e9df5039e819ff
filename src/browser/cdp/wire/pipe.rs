//! The connection to a browser that this program started: messages through a pipe, each followed by a NUL byte.

use std::io;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{ChildStdin, ChildStdout},
};

use super::{MAX_MESSAGE, Reader, Writer};

#[derive(Debug)]
pub(in crate::browser::cdp) struct PipeReader(BufReader<ChildStdout>);

impl PipeReader {
    pub(in crate::browser::cdp) fn new(output: ChildStdout) -> Self {
        Self(BufReader::with_capacity(64 << 10, output))
    }
}

impl Reader for PipeReader {
    async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut message = Vec::new();
        loop {
            let buffer = self.0.fill_buf().await?;
            if buffer.is_empty() {
                // An incomplete last message is dropped.
                return Ok(None);
            }
            let end = buffer.iter().position(|byte| *byte == 0);
            let taken = end.unwrap_or(buffer.len());
            if message.len() + taken > MAX_MESSAGE {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            message.extend_from_slice(&buffer[..taken]);
            self.0.consume(taken + usize::from(end.is_some()));
            if end.is_some() {
                return Ok(Some(message));
            }
        }
    }
}

/// The writing end of the pipe. Closing it ends the browser.
#[derive(Debug)]
pub(in crate::browser::cdp) struct PipeWriter(ChildStdin);

impl PipeWriter {
    pub(in crate::browser::cdp) const fn new(input: ChildStdin) -> Self {
        Self(input)
    }
}

impl Writer for PipeWriter {
    async fn send(&mut self, mut message: Vec<u8>) -> io::Result<()> {
        message.push(0);
        self.0.write_all(&message).await?;
        self.0.flush().await
    }
}
