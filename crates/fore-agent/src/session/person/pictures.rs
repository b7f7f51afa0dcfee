//! Pictures of the person for their next prompt. Their kind is read from themselves, and there is a bound to all of it.

use fore_model::Image;

/// Pictures of one prompt.
const MAX_PICTURES: usize = 8;
/// One picture, as it is sent; models take no larger ones.
const MAX_BYTES: usize = 5 << 20;
/// All pictures of a prompt together.
const MAX_ALL_BYTES: usize = 10 << 20;

/// How pictures begin that models can read, in base64.
const KINDS: [(&str, &str); 4] =
    [("iVBORw0KGgo", "image/png"), ("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp")];

/// The picture with the kind that it really is, beside those that wait already; the error says why it cannot be sent.
pub(super) fn readable(picture: Image, waiting: &[Image]) -> Result<Image, &'static str> {
    if waiting.len() >= MAX_PICTURES {
        return Err("A prompt can have eight pictures; the others were left out.");
    }
    let all: usize = waiting.iter().map(|picture| picture.base64.len()).sum();
    if picture.base64.len() > MAX_BYTES || all + picture.base64.len() > MAX_ALL_BYTES {
        return Err("A picture is too large and was left out.");
    }
    let is_base64 = picture.base64.len().is_multiple_of(4)
        && picture
            .base64
            .trim_end_matches('=')
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte));
    let kind = KINDS.iter().find(|(start, _)| is_base64 && picture.base64.starts_with(start));
    match kind {
        Some((_, media_type)) => Ok(Image { media_type: (*media_type).to_owned(), base64: picture.base64 }),
        None => Err("A picture was left out: only PNG, JPEG, GIF and WebP can be sent."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(base64: &str) -> Image {
        Image { media_type: "image/anything".into(), base64: base64.into() }
    }

    #[test]
    fn a_picture_is_what_its_bytes_say() {
        for (base64, kind) in [
            ("iVBORw0KGgo=", Some("image/png")),
            ("/9j/4AAQ", Some("image/jpeg")),
            ("R0lGODlh", Some("image/gif")),
            ("UklGRg==", Some("image/webp")),
            ("PHN2Zz4=", None),
            ("iVBORw0KGgo", None),
            ("/9j/ AAQ", None),
            ("", None),
        ] {
            assert_eq!(readable(picture(base64), &[]).ok().map(|found| found.media_type).as_deref(), kind, "{base64}");
        }
    }

    #[test]
    fn there_is_a_bound_to_one_and_to_all() {
        let large = |bytes: usize| picture(&format!("/9j/{}", "A".repeat(bytes - 4)));
        assert!(readable(large(MAX_BYTES), &[]).is_ok());
        assert!(readable(large(MAX_BYTES + 4), &[]).is_err());
        assert!(readable(large(MAX_BYTES), &[large(MAX_BYTES), large(4)]).is_err());
        assert!(readable(large(4), &vec![large(4); MAX_PICTURES]).is_err());
    }
}
