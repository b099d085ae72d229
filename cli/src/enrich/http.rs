//! Polite requests: paced, retried, kept.

use super::{Cache, SourceError};
use serde_json::Value;
use std::time::{Duration, Instant};
use ureq::http::StatusCode;

/// How a provider is asked.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// What to call the provider.
    pub provider: String,
    /// The address its paths are added to.
    pub base_url: String,
    /// Who to write to about these requests.
    pub mailto: Option<String>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How many requests a second.
    pub rate_limit: u32,
    /// How often a request is sent again.
    pub retries: u32,
    /// Whether kept answers count.
    pub pace: Pace,
}

/// Where answers may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Kept answers, then the provider.
    Auto,
    /// Only kept answers.
    KeptOnly,
    /// Only the provider.
    LiveOnly,
}

/// Asks one provider.
pub struct HttpClient<'a> {
    options: HttpOptions,
    agent: ureq::Agent,
    cache: Option<Cache>,
    last: Option<Instant>,
    sleep: Box<dyn Fn(Duration) + 'a>,
    cancelled: &'a dyn Fn() -> bool,
}

/// A provider that asks to wait longer than this is taken to be closed for now.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LARGEST_BODY: u64 = 16 * 1024 * 1024;

impl<'a> HttpClient<'a> {
    /// A client with a cache, or none; `cancelled` is polled before every request and while waiting.
    pub fn new(options: HttpOptions, cache: Option<Cache>, cancelled: &'a dyn Fn() -> bool) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            .user_agent(user_agent(options.mailto.as_deref()))
            .build();
        let sleep = Box::new(std::thread::sleep);
        Self { agent: config.into(), options, cache, last: None, sleep, cancelled }
    }

    /// Waits by calling this instead.
    #[cfg(test)]
    pub(super) fn sleeping(mut self, sleep: impl Fn(Duration) + 'a) -> Self {
        self.sleep = Box::new(sleep);
        self
    }

    /// The provider's name.
    pub fn provider(&self) -> &str {
        &self.options.provider
    }

    /// Fetches the JSON at a path; `None` if there is nothing there, or nothing kept and no other way to know.
    ///
    /// # Errors
    /// When the provider can't be reached, fails again and again, or sends something other than JSON.
    pub fn fetch(&mut self, path: &str) -> Result<Option<Value>, SourceError> {
        let address = format!("{}{path}", self.options.base_url.trim_end_matches('/'));
        if self.options.pace != Pace::LiveOnly
            && let Some(cache) = &self.cache
            && let Some(body) = cache.find(&address).map_err(|error| self.failed(format!("the cache: {error}")))?
        {
            return body.map(|body| self.read(&body)).transpose();
        }
        if self.options.pace == Pace::KeptOnly {
            return Ok(None);
        }
        let body = self.request(&address)?;
        // Only what can be read is worth keeping.
        let value = body.as_deref().map(|body| self.read(body)).transpose()?;
        if let Some(cache) = &self.cache {
            cache.keep(&address, body.as_deref()).map_err(|error| self.failed(format!("the cache: {error}")))?;
        }
        Ok(value)
    }

    fn request(&mut self, address: &str) -> Result<Option<String>, SourceError> {
        let url = match &self.options.mailto {
            Some(mailto) => {
                format!("{address}{}mailto={}", if address.contains('?') { '&' } else { '?' }, encode(mailto))
            }
            None => address.to_owned(),
        };
        let mut attempt = 0;
        loop {
            self.keep_pace()?;
            let (error, asked) = match self.send(&url) {
                Ok(Answer::Body(body)) => return Ok(Some(body)),
                Ok(Answer::Nothing) => return Ok(None),
                Ok(Answer::Refused(status)) => return Err(self.failed(format!("answered {status}"))),
                Ok(Answer::Slower(wait)) => {
                    let seconds = wait.map(|wait| wait.as_secs());
                    (SourceError::RateLimited { provider: self.options.provider.clone(), seconds }, wait)
                }
                Ok(Answer::Broken(status, wait)) => (self.failed(format!("answered {status}")), wait),
                Err(message) => (self.failed(message), None),
            };
            let wait = asked.unwrap_or(FIRST_WAIT * 2_u32.pow(attempt));
            if attempt >= self.options.retries || wait > LONGEST_WAIT {
                return Err(error);
            }
            attempt += 1;
            self.wait(wait)?;
        }
    }

    fn send(&self, url: &str) -> Result<Answer, String> {
        let response = self.agent.get(url).header("accept", "application/json").call();
        let mut response = response.map_err(|error| error.to_string())?;
        let wait = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let wait = wait.map(Duration::from_secs);
        match response.status() {
            StatusCode::NOT_FOUND | StatusCode::GONE => Ok(Answer::Nothing),
            StatusCode::TOO_MANY_REQUESTS => Ok(Answer::Slower(wait)),
            status if status.is_success() => {
                let body = response.body_mut().with_config().limit(LARGEST_BODY).read_to_string();
                body.map(Answer::Body).map_err(|error| format!("its answer broke off: {error}"))
            }
            status if status.is_server_error() => Ok(Answer::Broken(status, wait)),
            status => Ok(Answer::Refused(status)),
        }
    }

    fn read(&self, body: &str) -> Result<Value, SourceError> {
        serde_json::from_str(body).map_err(|error| self.failed(format!("sent something other than JSON: {error}")))
    }

    /// Waits until the next request may be sent.
    fn keep_pace(&mut self) -> Result<(), SourceError> {
        let gap = Duration::from_secs(1) / self.options.rate_limit.max(1);
        if let Some(rest) = self.last.and_then(|last| gap.checked_sub(last.elapsed())) {
            self.wait(rest)?;
        }
        if (self.cancelled)() {
            return Err(SourceError::Cancelled);
        }
        self.last = Some(Instant::now());
        Ok(())
    }

    /// Waits in small steps, so that a caller who has lost interest is heard.
    fn wait(&self, mut rest: Duration) -> Result<(), SourceError> {
        while !rest.is_zero() {
            if (self.cancelled)() {
                return Err(SourceError::Cancelled);
            }
            let step = rest.min(Duration::from_millis(100));
            (self.sleep)(step);
            rest -= step;
        }
        Ok(())
    }

    fn failed(&self, message: String) -> SourceError {
        SourceError::Failed { provider: self.options.provider.clone(), message }
    }
}

impl std::fmt::Debug for HttpClient<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HttpClient").field("options", &self.options).finish_non_exhaustive()
    }
}

enum Answer {
    Body(String),
    Nothing,
    Slower(Option<Duration>),
    Broken(StatusCode, Option<Duration>),
    Refused(StatusCode),
}

/// Percent-encodes everything but what is safe in a path and a query.
pub(super) fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn user_agent(mailto: Option<&str>) -> String {
    let contact = mailto.map(|mailto| mailto.replace(|c: char| !c.is_ascii_graphic(), ""));
    let contact = contact.map_or(String::new(), |mailto| format!(" (mailto:{mailto})"));
    format!("mycli/{}{contact}", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::super::server::{Reply, Server};
    use super::*;
    use std::cell::RefCell;

    const NEVER: &dyn Fn() -> bool = &|| false;

    fn options(server: &Server) -> HttpOptions {
        HttpOptions {
            provider: "crossref".to_owned(),
            base_url: server.address(),
            mailto: Some("me@example.org".to_owned()),
            timeout: Duration::from_secs(5),
            rate_limit: 1000,
            retries: 3,
            pace: Pace::Auto,
        }
    }

    /// Fetches with waits recorded instead of waited.
    fn fetch(replies: Vec<Reply>) -> (Result<Option<Value>, SourceError>, Duration, Vec<String>) {
        let server = Server::start(replies);
        let waited = RefCell::new(Duration::ZERO);
        let client = HttpClient::new(options(&server), None, NEVER);
        let result = client.sleeping(|wait| *waited.borrow_mut() += wait).fetch("/works/x");
        (result, waited.into_inner(), server.requests())
    }

    #[test]
    fn an_answer_is_read_and_the_request_says_who_asks() {
        let (result, _, requests) = fetch(vec![Reply::json("{\"a\": 1}")]);
        assert_eq!(result.unwrap().unwrap()["a"], 1);
        assert_eq!(requests.len(), 1);
        assert!(requests[0].starts_with("GET /works/x?mailto=me%40example.org "), "{}", requests[0]);
        assert!(requests[0].to_lowercase().contains("user-agent: mycli/"), "{}", requests[0]);
    }

    #[test]
    fn a_slower_pace_is_kept_as_asked() {
        let (result, waited, requests) = fetch(vec![Reply::status(429).header("Retry-After: 7"), Reply::json("1")]);
        assert_eq!(result.unwrap(), Some(1.into()));
        assert_eq!(requests.len(), 2);
        assert!(waited >= Duration::from_secs(7) && waited < Duration::from_secs(8), "{waited:?}");
    }

    #[test]
    fn a_provider_that_never_has_time_is_left_alone() {
        let (result, _, requests) = fetch(vec![Reply::status(429).header("Retry-After: 1"); 9]);
        assert_eq!(result, Err(SourceError::RateLimited { provider: "crossref".to_owned(), seconds: Some(1) }));
        assert_eq!(requests.len(), 4);
        let (result, waited, requests) = fetch(vec![Reply::status(429).header("Retry-After: 3600"); 2]);
        assert_eq!(result, Err(SourceError::RateLimited { provider: "crossref".to_owned(), seconds: Some(3600) }));
        assert_eq!((waited, requests.len()), (Duration::ZERO, 1));
    }

    #[test]
    fn failures_are_tried_again_with_growing_waits() {
        let (result, waited, requests) = fetch(vec![Reply::status(503), Reply::hang_up(), Reply::json("true")]);
        assert_eq!(result.unwrap(), Some(true.into()));
        assert_eq!(requests.len(), 3);
        assert!(waited >= Duration::from_millis(1500), "{waited:?}");
        let (result, _, requests) = fetch(vec![Reply::status(500); 9]);
        assert!(matches!(&result, Err(SourceError::Failed { message, .. }) if message.contains("500")), "{result:?}");
        assert_eq!(requests.len(), 4);
    }

    #[test]
    fn what_no_repetition_mends_is_not_repeated() {
        let (result, _, requests) = fetch(vec![Reply::status(404)]);
        assert_eq!((result, requests.len()), (Ok(None), 1));
        let (result, _, requests) = fetch(vec![Reply::status(403)]);
        assert!(result.unwrap_err().to_string().contains("403"));
        assert_eq!(requests.len(), 1);
        let (result, _, requests) = fetch(vec![Reply::json("{\"a\": ")]);
        assert!(result.unwrap_err().to_string().contains("other than JSON"));
        assert_eq!(requests.len(), 1);
    }

    #[test]
    fn a_slow_answer_is_given_up() {
        let server = Server::start(vec![Reply::never()]);
        let options = HttpOptions { timeout: Duration::from_millis(50), retries: 0, ..options(&server) };
        let error = HttpClient::new(options, None, NEVER).fetch("/x").unwrap_err();
        assert!(error.to_string().contains("timeout"), "{error}");
    }

    #[test]
    fn kept_answers_need_no_provider() {
        let server = Server::start(vec![Reply::json("1"), Reply::status(404), Reply::json("2")]);
        let fetch = |pace: Pace, cache: Cache, path: &str| {
            let mut client = HttpClient::new(HttpOptions { pace, ..options(&server) }, Some(cache), NEVER);
            let result = client.fetch(path).unwrap();
            (result, client.cache.take().unwrap())
        };
        let cache = Cache::in_memory().unwrap();
        let (none, cache) = fetch(Pace::KeptOnly, cache, "/a");
        let (first, cache) = fetch(Pace::Auto, cache, "/a");
        let (missing, cache) = fetch(Pace::Auto, cache, "/b");
        let (again, cache) = fetch(Pace::Auto, cache, "/a");
        let (still_missing, cache) = fetch(Pace::KeptOnly, cache, "/b");
        let (live, _) = fetch(Pace::LiveOnly, cache, "/a");
        assert_eq!([none, first, missing, again], [None, Some(1.into()), None, Some(1.into())]);
        assert_eq!([still_missing, live], [None, Some(2.into())]);
        assert_eq!(server.requests().len(), 3);
    }

    #[test]
    fn a_caller_who_has_lost_interest_is_heard_while_waiting() {
        let server = Server::start(vec![Reply::status(429).header("Retry-After: 10")]);
        let waits = RefCell::new(0);
        let cancelled = || *waits.borrow() > 3;
        let client = HttpClient::new(options(&server), None, &cancelled);
        let result = client.sleeping(|_| *waits.borrow_mut() += 1).fetch("/x");
        assert_eq!(result, Err(SourceError::Cancelled));
        assert_eq!(*waits.borrow(), 4);
    }

    #[test]
    fn addresses_hold_nothing_that_ends_them() {
        assert_eq!(encode("10.1000/a b?c#d&e=<é>"), "10.1000%2Fa%20b%3Fc%23d%26e%3D%3C%C3%A9%3E");
    }
}
