//! The limits on what one address may create and hold, from outside: clients at different loopback addresses.

mod creations;
mod holdings;
mod payers;
mod proxies;
mod seats;
mod side_work;
mod under_load;

use http_body_util::Full;
use hyper::Request;
use serde_json::Value;

use crate::client::{TestResponse, TestServer, connect_from, exchange_on};

/// A client at a loopback address, perhaps with a token.
pub(crate) struct AddressClient {
    pub source: &'static str,
    pub token: Option<String>,
}

/// A client at this address without a token.
pub(crate) fn at(source: &'static str) -> AddressClient {
    AddressClient { source, token: None }
}

impl AddressClient {
    /// This client with a token.
    pub(crate) fn with(&self, token: &Value) -> Self {
        Self { source: self.source, token: Some(token.as_str().unwrap().to_owned()) }
    }

    /// One request on a connection of its own. `null` as the body: none.
    pub(crate) async fn send(
        &self,
        host: &TestServer,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut text = String::new();
        if !body.is_null() {
            request = request.header("content-type", "application/json");
            text = body.to_string();
        }
        let stream = connect_from(self.source, host.address()).await;
        exchange_on(stream, request.body(Full::new(text.into())).unwrap()).await
    }

    pub(crate) async fn get(&self, host: &TestServer, path: &str) -> TestResponse {
        self.send(host, "GET", path, &[], &Value::Null).await
    }

    pub(crate) async fn post(&self, host: &TestServer, path: &str, body: &Value) -> TestResponse {
        self.send(host, "POST", path, &[], body).await
    }

    /// A request without a body.
    pub(crate) async fn tell(&self, host: &TestServer, path: &str) -> TestResponse {
        self.post(host, path, &Value::Null).await
    }
}
