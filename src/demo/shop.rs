//! Starts and stops the shop, and lists the orders that were placed.

use std::{
    fmt,
    io::ErrorKind as IoErrorKind,
    net::Ipv4Addr,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use url::Url;

use super::{order::Order, routes, server, state::State, state::USER};
use crate::base::{Error, ErrorKind, Result};

/// Options of a [`Shop`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ShopOptions {
    /// Port on 127.0.0.1. Default: 0, which selects a free port.
    pub port: u16,
    /// Seed from which the order numbers, the password and some details of the pages are derived. These details are
    /// the wording, the element ids, and the sequence of products and choices. Default: 0.
    pub seed: u64,
}

impl ShopOptions {
    /// Sets the port on 127.0.0.1; 0 selects a free port.
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Sets the seed from which the order numbers, the password and some details of the pages are derived.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

/// A running demo shop. The shop stops when this value is dropped.
///
/// ```
/// use webwise::demo::{Shop, ShopOptions};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let shop = Shop::start(ShopOptions::default().with_seed(7)).await?;
/// assert_eq!(shop.url().host_str(), Some("127.0.0.1"));
/// assert!(shop.orders().is_empty());
/// shop.stop().await;
/// # Ok::<(), webwise::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Shop {
    url: Url,
    state: Arc<Mutex<State>>,
    stop: watch::Sender<()>,
    server: JoinHandle<()>,
}

impl Shop {
    /// Starts a shop on this machine's loopback address 127.0.0.1. The shop runs in the current tokio runtime.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] if the port cannot be opened, for example because it is in use or not allowed. The
    /// error names the port.
    pub async fn start(options: ShopOptions) -> Result<Self> {
        let failed = |error: std::io::Error| {
            let reason = match error.kind() {
                IoErrorKind::AddrInUse => "the port is in use",
                IoErrorKind::PermissionDenied => "the port is not allowed for this user",
                _ => "the port cannot be opened",
            };
            Error::new(ErrorKind::Unavailable, "shop.start")
                .with("port", options.port)
                .with("reason", reason)
                .with_source(error)
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))
            .await
            .map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let url = Url::parse(&format!("http://127.0.0.1:{port}/")).map_err(|e| {
            Error::new(ErrorKind::InvalidInput, "shop.start")
                .with("port", port)
                .with_source(e)
        })?;

        let state = Arc::new(Mutex::new(State::new(options.seed)));
        let shared = Arc::clone(&state);
        let handler: Arc<server::Handler> = Arc::new(move |request: &_| {
            // If a request panicked, the lock is poisoned, but the state is still consistent between two requests.
            routes::respond(
                &mut shared.lock().unwrap_or_else(PoisonError::into_inner),
                request,
            )
        });
        let (stop, stopped) = watch::channel(());
        let server = tokio::spawn(server::serve(listener, handler, stopped));
        Ok(Self {
            url,
            state,
            stop,
            server,
        })
    }

    /// Returns the address of the shop's home page.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the user name that the login page accepts.
    pub fn user(&self) -> &'static str {
        USER
    }

    /// Returns the password that the login page accepts. No page shows the password. It is derived from
    /// [`ShopOptions::seed`].
    pub fn password(&self) -> String {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .password
            .clone()
    }

    /// Returns the orders that the shop has accepted so far, oldest first.
    pub fn orders(&self) -> Vec<Order> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .orders
            .clone()
    }

    /// Stops the shop. Waits until its port is closed and unfinished responses are sent. Responses that take
    /// longer than 2 s are cut off.
    pub async fn stop(self) {
        drop(self.stop);
        // The server's task ends by itself. If it panicked, it has ended as well, so the error is ignored.
        let _ = self.server.await;
    }
}

impl fmt::Debug for Shop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shop")
            .field("url", &self.url.as_str())
            .field("orders", &self.orders().len())
            .finish_non_exhaustive()
    }
}
