//! What a server answered, as the model and the person get it: bounded, the whole text in a file, pictures passed on.

use crate::{event::ShownCall, output::Output};
use fore_mcp::{McpContent, McpResult};
use fore_model::{Image, ResultPart};
use fore_store::Outputs;

/// Bytes of text that the model gets of one result.
const MAX_TEXT_BYTES: usize = 40_000;
/// What a tool may ask for instead.
const MAX_ASKED_BYTES: usize = 160_000;
/// Bytes of one picture, and how many.
const MAX_IMAGE_BYTES: usize = 3_750_000;
const MAX_IMAGES: usize = 8;
/// What a person is shown behind the line.
const MAX_SHOWN_BYTES: usize = 10_000;
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The result of a tool. `wanted` is how many characters the tool asks for.
pub(crate) fn result_output(result: McpResult, wanted: Option<u64>, outputs: &Outputs) -> Output {
    let McpResult { mut content, structured, is_error } = result;
    let has_text = content.iter().any(|part| matches!(part, McpContent::Text(text) if !text.trim().is_empty()));
    if let Some(structured) = structured.filter(|_| !has_text) {
        content.push(McpContent::Text(format!("{structured:#}")));
    }
    let most = wanted.and_then(|wanted| usize::try_from(wanted).ok()).unwrap_or(MAX_TEXT_BYTES);
    let output = content_output(content, most.clamp(MAX_TEXT_BYTES, MAX_ASKED_BYTES), outputs);
    Output { is_error, ..output }
}

/// The contents of a resource.
pub(crate) fn resource_output(content: Vec<McpContent>, outputs: &Outputs) -> Output {
    content_output(content, MAX_TEXT_BYTES, outputs)
}

fn content_output(content: Vec<McpContent>, most: usize, outputs: &Outputs) -> Output {
    let (mut text, mut images, mut left) = (String::new(), Vec::new(), 0_usize);
    let mut add = |part: &str| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part);
    };
    for part in content {
        match part {
            McpContent::Text(words) => add(&words),
            McpContent::Image { mime, data } => {
                let fits = IMAGE_TYPES.contains(&mime.as_str()) && data.len() <= MAX_IMAGE_BYTES;
                if fits && images.len() < MAX_IMAGES {
                    images.push(ResultPart::Image(Image::from_bytes(mime, &data)));
                } else {
                    left += 1;
                }
            }
            McpContent::Resource { uri, text: words } => add(&format!("[{uri}]\n{words}")),
            McpContent::Link { uri, name } => add(&format!("[the resource {uri} ({name}); McpRead reads it]")),
            McpContent::NotShown(what) => add(&format!("[not shown: {what}]")),
        }
    }
    if left > 0 {
        add(&format!("[not shown: {}, too large or of another kind]", fore_text::count(left, "picture")));
    }
    if text.is_empty() && images.is_empty() {
        text.push_str("(no output)");
    }
    let line = match (text.lines().count(), images.len()) {
        (lines, 0) => fore_text::count(lines, "line"),
        (0, pictures) => fore_text::count(pictures, "picture"),
        (lines, pictures) => format!("{}, {}", fore_text::count(lines, "line"), fore_text::count(pictures, "picture")),
    };
    let shown = ShownCall::text(line, fore_text::output(fore_text::cut::bytes(&text, MAX_SHOWN_BYTES)));
    let words = (!text.is_empty()).then(|| ResultPart::Text(bounded(text, most, outputs)));
    Output { model: words.into_iter().chain(images).collect(), is_error: false, shown, fact: None }
}

/// The start and the end of a long text, with the file that has all of it.
fn bounded(text: String, most: usize, outputs: &Outputs) -> String {
    let Some(ends) = fore_text::cut::ends(&text, most) else { return text };
    let kept = outputs.new_file().and_then(|mut file| {
        file.write(text.as_bytes())?;
        let path = file.path().display().to_string();
        outputs.done(file);
        Ok(path)
    });
    let place = match kept {
        Ok(path) => format!("all of it is in {path}; read it there with Read or Grep"),
        Err(error) => format!("the rest could not be kept: {error}"),
    };
    format!("{}\n[… {} bytes are left out; {place}]\n{}", ends.start, ends.left_out, ends.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_store::{Home, SessionId};
    use serde_json::json;

    fn with_outputs(check: impl FnOnce(&Outputs)) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(&folder.path().join("home")).unwrap();
        check(&Outputs::open(&home, SessionId::fresh()).unwrap());
    }

    fn text(output: &Output) -> String {
        let parts = output.model.iter().map(|part| match part {
            ResultPart::Text(text) => text.clone(),
            ResultPart::Image(image) => format!("<{}>", image.media_type),
        });
        parts.collect::<Vec<_>>().join("|")
    }

    #[test]
    fn texts_links_and_pictures_are_handed_on_and_the_rest_is_named() {
        with_outputs(|outputs| {
            let content = vec![
                McpContent::Text("one".into()),
                McpContent::Image { mime: "image/png".into(), data: vec![1, 2, 3] },
                McpContent::Image { mime: "image/tiff".into(), data: vec![1] },
                McpContent::Resource { uri: "note:1".into(), text: "two".into() },
                McpContent::Link { uri: "note:2".into(), name: "second".into() },
                McpContent::NotShown("sound (audio/wav)".into()),
            ];
            let output = result_output(McpResult { content, structured: None, is_error: true }, None, outputs);
            assert!(output.is_error);
            assert_eq!(
                text(&output),
                "one\n[note:1]\ntwo\n[the resource note:2 (second); McpRead reads it]\n[not shown: sound (audio/wav)]\n\
                 [not shown: 1 picture, too large or of another kind]|<image/png>"
            );
            assert_eq!(output.shown.line, "6 lines, 1 picture");
            let structured = McpResult { structured: Some(json!({"a": 1})), ..McpResult::default() };
            assert_eq!(text(&result_output(structured, None, outputs)), "{\n  \"a\": 1\n}");
            assert_eq!(text(&result_output(McpResult::default(), None, outputs)), "(no output)");
        });
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "reads the file as the person would")]
    fn a_long_result_is_cut_in_the_middle_and_whole_in_a_file() {
        with_outputs(|outputs| {
            let long = format!("start{}end", "x".repeat(100_000));
            let content = || vec![McpContent::Text(long.clone())];
            let said = text(&resource_output(content(), outputs));
            assert!(said.len() < 41_000 && said.starts_with("start") && said.ends_with("end"), "{}", said.len());
            let path = outputs.path().join("0001.txt");
            assert!(said.contains(&format!("all of it is in {};", path.display())), "{said:.200}");
            assert_eq!(std::fs::read_to_string(path).unwrap(), long);
            let asked = McpResult { content: content(), structured: None, is_error: false };
            assert_eq!(text(&result_output(asked, Some(500_000), outputs)), long, "the tool asked for more");
        });
    }
}
