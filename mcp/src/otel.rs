//! OpenTelemetry: a span for each call, and one for each command that it runs.
//!
//! The spans are made in any build, as `tracing` spans of the target [`TARGET`] with the attributes of OpenTelemetry's
//! semantic conventions for MCP; without a subscriber they cost next to nothing. They hold no arguments and no output. This
//! module takes them to a collector, and leaves everything else that is traced in the process alone.
//!
//! [`Facade::start`](crate::Facade::start) calls [`install`] by itself. A program that has a subscriber of its own adds
//! [`layer`] to it.

use opentelemetry::trace::{Tracer, TracerProvider};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

pub use crate::run::SPANS as TARGET;

/// The variables that name a collector, as OpenTelemetry has them.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// Sends what is still to be sent when it is dropped.
#[derive(Debug)]
pub struct Exporting(SdkTracerProvider);

impl Drop for Exporting {
    fn drop(&mut self) {
        let _ = self.0.shutdown();
    }
}

/// Sends spans by OTLP over HTTP where the environment names a collector; `None` where it names none, or where the process
/// has a subscriber already.
///
/// `service` is what the spans are said to come from, unless `OTEL_SERVICE_NAME` says otherwise.
pub fn install(service: &str) -> Option<Exporting> {
    ENDPOINTS.iter().find(|variable| std::env::var_os(variable).is_some_and(|value| !value.is_empty()))?;
    let exporter = match SpanExporter::builder().with_http().with_protocol(Protocol::HttpBinary).build() {
        Ok(exporter) => exporter,
        Err(error) => {
            tracing::error!("no spans are sent: {error}");
            return None;
        }
    };
    let name = std::env::var("OTEL_SERVICE_NAME").ok().filter(|name| !name.is_empty());
    let resource = Resource::builder().with_service_name(name.unwrap_or_else(|| service.to_owned())).build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let subscriber = Registry::default().with(layer(provider.tracer("clap-facade")));
    match tracing::subscriber::set_global_default(subscriber) {
        Ok(()) => Some(Exporting(provider)),
        Err(_) => {
            tracing::warn!(
                "no spans are sent: this process has a subscriber of its own; add `clap_facade::otel::layer` to it"
            );
            None
        }
    }
}

/// Returns the layer that hands the facade's spans, and nothing else, to a tracer.
pub fn layer<S, T>(tracer: T) -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    T: Tracer + Send + Sync + 'static,
    T::Span: Send + Sync,
{
    let ours = filter_fn(|metadata| metadata.target() == TARGET);
    tracing_opentelemetry::layer().with_tracer(tracer).with_location(false).with_threads(false).with_filter(ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::InProcess;
    use crate::run::{Caller, Principal};
    use clap::{Arg, Command};
    use opentelemetry_sdk::error::OTelSdkResult;
    use opentelemetry_sdk::trace::{SpanData, SpanExporter};
    use serde_json::{Map, json};
    use std::sync::{Arc, Mutex};

    /// Keeps the spans that it gets.
    #[derive(Clone, Debug, Default)]
    struct Collected(Arc<Mutex<Vec<SpanData>>>);

    impl SpanExporter for Collected {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            self.0.lock().unwrap().extend(batch);
            Ok(())
        }
    }

    fn attribute(span: &SpanData, name: &str) -> Option<String> {
        span.attributes.iter().find(|pair| pair.key.as_str() == name).map(|pair| pair.value.to_string())
    }

    #[test]
    fn a_call_and_its_command_are_spans_without_what_was_said() {
        let exporter = Collected::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        let subscriber = Registry::default().with(layer(provider.tracer("test")));
        let executor = InProcess::new(|_, io| Ok(write!(io.stdout, "hunter2-out").map(|()| 3)?));
        let tree = Command::new("app").subcommand(Command::new("show").arg(Arg::new("word")));
        let pipeline = crate::Facade::new(tree).executor(executor).audit("/dev/null").build().unwrap();
        let caller = Caller::new(Principal::default(), "test");
        let arguments = |name: &str| {
            Map::from_iter([("name".to_owned(), json!(name)), ("flags".to_owned(), json!({ "word": "hunter2-in" }))])
        };
        tracing::subscriber::with_default(subscriber, || {
            tracing::info_span!("somebody else's").in_scope(|| ());
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                assert!(pipeline.call("command_run", arguments("show"), &caller).await.unwrap().failed);
                assert!(pipeline.call("command_run", arguments("none"), &caller).await.is_err());
            });
        });
        let spans = exporter.0.lock().unwrap();
        let [command, call, refused] = spans.as_slice() else { panic!("{spans:?}") };
        assert_eq!((command.name.as_ref(), call.name.as_ref()), ("show", "tools/call command_run"));
        assert_eq!(command.parent_span_id, call.span_context.span_id());
        assert_eq!(attribute(command, "process.exit.code").as_deref(), Some("3"));
        for (name, value) in [
            ("mcp.method.name", "tools/call"),
            ("gen_ai.tool.name", "command_run"),
            ("mcp.session.id", "test"),
            ("clap_facade.operation", "show"),
            ("clap_facade.effect", "mutating"),
            ("error.type", "tool_error"),
        ] {
            assert_eq!(attribute(call, name).as_deref(), Some(value), "{name}");
        }
        assert_eq!(attribute(refused, "error.type").as_deref(), Some("UNKNOWN_OPERATION"));
        assert!(!format!("{spans:?}").contains("hunter2"), "neither arguments nor output");
    }
}
