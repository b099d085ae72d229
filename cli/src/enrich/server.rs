//! A local HTTP server that behaves, and misbehaves, like a provider.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What the server does with one request.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<String>,
    body: String,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    HangUp,
    Never,
}

impl Reply {
    pub(crate) fn json(body: &str) -> Self {
        Self { status: 200, headers: Vec::new(), body: body.to_owned(), fault: None }
    }

    pub(crate) fn status(status: u16) -> Self {
        Self { status, ..Self::json("") }
    }

    /// Closes the connection without a word.
    pub(crate) fn hang_up() -> Self {
        Self { fault: Some(Fault::HangUp), ..Self::json("") }
    }

    /// Takes the request and never answers.
    pub(crate) fn never() -> Self {
        Self { fault: Some(Fault::Never), ..Self::json("") }
    }

    pub(crate) fn header(mut self, header: &str) -> Self {
        self.headers.push(header.to_owned());
        self
    }
}

/// A server with a list of replies, one a request.
pub(crate) struct Server {
    address: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            let mut held = Vec::new();
            let mut replies = replies.into_iter();
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                seen.lock().unwrap().push(read_request(&stream));
                let Some(reply) = replies.next() else { return };
                match reply.fault {
                    Some(Fault::HangUp) => drop(stream),
                    Some(Fault::Never) => held.push(stream),
                    None => answer(&mut stream, &reply),
                }
            }
        });
        Self { address, requests }
    }

    pub(crate) fn address(&self) -> String {
        self.address.clone()
    }

    /// The requests so far: first line and headers.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

fn read_request(stream: &TcpStream) -> String {
    let mut text = String::new();
    let mut reader = BufReader::new(stream);
    while reader.read_line(&mut text).is_ok_and(|length| length > 2) {}
    text
}

fn answer(stream: &mut TcpStream, reply: &Reply) {
    let mut text =
        format!("HTTP/1.1 {} Status\r\nConnection: close\r\nContent-Length: {}\r\n", reply.status, reply.body.len());
    for header in &reply.headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    let _ = stream.write_all(format!("{text}\r\n{}", reply.body).as_bytes());
}
