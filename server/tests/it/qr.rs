//! `POST /v1/qr`: that a camera can read the codes is tested in the browser.

use serde_json::json;

use crate::client::TestServer;

#[tokio::test]
async fn text_is_drawn_as_a_square_code() {
    let host = TestServer::start(&[]).await;
    for bytes in [1, 60, 500] {
        let drawn = host.post("/v1/qr", json!({ "text": "a".repeat(bytes) })).await.json();
        let rows: Vec<&str> =
            drawn["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        let size = rows.len();
        assert!(size >= 21 && size % 4 == 1, "a QR code has 17 + 4 n rows: {size}");
        assert!(rows.iter().all(|row| row.len() == size && row.bytes().all(|b| b == b'0' || b == b'1')));
        // The three marks in the corners.
        for (row, range) in [(0, 0..7), (0, size - 7..size), (size - 1, 0..7)] {
            assert_eq!(&rows[row][range], "1111111");
        }
    }
    for bytes in [0, 501] {
        host.post("/v1/qr", json!({ "text": "a".repeat(bytes) })).await.problem(422, "bad_field");
    }
    host.post("/v1/qr", json!({})).await.problem(422, "bad_field");
}
