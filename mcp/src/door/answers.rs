//! Tools and outcomes as MCP carries them.

use crate::refusal::Refusal;
use crate::run::Outcome;
use crate::run::bound::{Form, Media};
use crate::surface::Tool;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents, ToolAnnotations};

/// The member of a result's `_meta` that says what was left out of the output.
const TRUNCATED: &str = "clap-facade/truncated";

pub(super) fn listed(tool: Tool) -> rmcp::model::Tool {
    let annotations = serde_json::Value::Object(tool.annotations());
    let annotations: ToolAnnotations = serde_json::from_value(annotations).unwrap_or_default();
    rmcp::model::Tool::new(tool.name, tool.description, tool.input_schema).with_annotations(annotations)
}

pub(super) fn answer(outcome: Outcome) -> CallToolResult {
    let mut blocks = Vec::new();
    if let Some(media) = outcome.media {
        blocks.push(content(&media));
    }
    if !outcome.text.is_empty() {
        blocks.push(ContentBlock::text(outcome.text));
    }
    if !outcome.notes.is_empty() {
        blocks.push(ContentBlock::text(outcome.notes.join("\n")));
    }
    if blocks.is_empty() {
        blocks.push(ContentBlock::text("(no output)"));
    }
    let result = if outcome.failed { CallToolResult::error(blocks) } else { CallToolResult::success(blocks) };
    let meta = outcome.truncated.map(|truncated| {
        let mut meta = MetaObject::new();
        meta.insert(TRUNCATED.to_owned(), truncated.to_json());
        meta
    });
    result.with_meta(meta)
}

fn content(media: &Media) -> ContentBlock {
    let data = media.base64();
    match media.form {
        Form::Image => ContentBlock::image(data, media.mime),
        Form::Audio => ContentBlock::audio(data, media.mime),
        Form::Blob => ContentBlock::resource(ResourceContents::blob(data, "output:///blob").with_mime_type(media.mime)),
    }
}

/// A refusal is a tool error, so that the model can correct itself.
pub(super) fn refused(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.to_json().to_string())])
}
