//! Tests of the text of files and of the places of errors.

use super::*;

#[test]
fn place_of_an_error_counts_lines_and_characters() {
    let text = "[ 5♠ 6♠ ]\nzwei ♥x";
    let error = HarnessFileError::at(text, text.find('x').unwrap(), "this is wrong");
    assert_eq!(error.to_string(), "line 2, column 7: this is wrong");
    assert_eq!(HarnessFileError::at_part(text, &text[2..3], "").column, 3);
    assert_eq!(HarnessFileError::at(text, text.len() + 5, "").line, 2, "a place behind the end is the end");
}

/// Windows shells write UTF-16 when output is redirected, and editors add byte order marks.
#[test]
fn text_may_have_a_byte_order_mark_or_be_wide() {
    let text = "5♠\r\n6♥";
    let little: Vec<u8> =
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    for bytes in [text.as_bytes(), &marked, &little, &big] {
        assert_eq!(text_of(bytes).unwrap(), text);
    }
    assert_eq!(
        text_of(b"\xff\xfe5").unwrap_err().to_string(),
        "line 1, column 1: this is damaged text in UTF-16"
    );
    let broken = text_of("a\nb♠".as_bytes()).map(|text| text.len()).unwrap();
    assert_eq!(broken, 6);
    let error = text_of(b"a\nb\xe2\x99").unwrap_err();
    assert_eq!(error.to_string(), "line 2, column 2: this byte is not text in UTF-8");
}
