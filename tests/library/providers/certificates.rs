//! Certificates: a key goes only to a server whose certificate the system trusts.
//!
//! Trust is read from the environment, which a process cannot change for itself, so the client runs in a process of its own:
//! this program again, with the one test below. The certificates in `fixtures/tls` are valid until the year 2126, and the key
//! of the authority that signed them was thrown away.

use std::{
    env,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    thread,
};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use webwise::{
    LlmClient as _,
    llm::{GenAi, GenAiOptions, Provider},
    secret::Secret,
};

use super::support::{KEY, request};

/// The server's address, in the environment of the client.
const SERVER: &str = "WEBWISE_TEST_TLS_SERVER";
const REPLY: &str =
    r#"{"model": "m", "choices": [{"message": {"role": "assistant", "content": "hello"}}]}"#;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/tls")
        .join(name)
}

/// Starts a server that answers this number of connections. Returns its address, and the number of requests that arrived.
fn server(connections: usize) -> (String, thread::JoinHandle<usize>) {
    let chain = vec![CertificateDer::from_pem_file(file("server.pem")).unwrap()];
    let key = PrivateKeyDer::from_pem_file(file("server.key.pem")).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!(
        "https://localhost:{}/v1",
        listener.local_addr().unwrap().port()
    );
    let answer = move || {
        let socket = listener.accept().unwrap().0;
        let session = ServerConnection::new(config.clone()).unwrap();
        let mut stream = BufReader::new(StreamOwned::new(session, socket));
        let (mut line, mut length) = (String::new(), 0);
        while line != "\r\n" {
            line.clear();
            // A client that does not trust the certificate sends no request.
            if !matches!(stream.read_line(&mut line), Ok(1..)) {
                return false;
            }
            let line = line.to_ascii_lowercase();
            if let Some(bytes) = line.strip_prefix("content-length:") {
                length = bytes.trim().parse().unwrap();
            }
        }
        stream.read_exact(&mut vec![0; length]).unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        let length = REPLY.len();
        write!(
            stream.get_mut(),
            "{head}\r\ncontent-length: {length}\r\n\r\n{REPLY}"
        )
        .unwrap();
        true
    };
    let answered = move || (0..connections).filter(|_| answer()).count();
    (address, thread::spawn(answered))
}

/// Asks the server, and prints what came of it.
#[tokio::main(flavor = "current_thread")]
async fn ask(server: &str) {
    let mut options = GenAiOptions::new(Provider::OpenAi, "m");
    options.base_url = Some(server.parse().unwrap());
    options.api_key = Some(Secret::new(KEY));
    match GenAi::new(options).unwrap().complete(&request()).await {
        Ok(reply) => println!("answered: {}", reply.text),
        Err(error) => println!("failed: {error}"),
    }
}

#[test]
fn only_a_server_whose_certificate_the_system_trusts_is_asked() {
    if let Ok(server) = env::var(SERVER) {
        ask(&server);
        return;
    }
    let (address, answered) = server(2);
    let client = |trusted: &str| {
        let name =
            "providers::certificates::only_a_server_whose_certificate_the_system_trusts_is_asked";
        let output = Command::new(env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(SERVER, &address)
            .env("SSL_CERT_FILE", file(trusted))
            .env_remove("SSL_CERT_DIR")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = client("authority.pem");
    assert!(said.contains("answered: hello"), "{said}");
    // The file exists and holds a certificate, but not that of an authority.
    let said = client("server.pem");
    assert!(said.contains("failed:"), "{said}");
    assert!(said.contains("certificate"), "{said}");
    assert_eq!(answered.join().unwrap(), 1, "the key was sent");
}
