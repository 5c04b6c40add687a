//! The values of a statement's parameters.

use std::borrow::Cow;

/// The value of a parameter; `None`: null, of this type.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::store) enum Value<'q> {
    Text(Option<Cow<'q, str>>),
    Bytes(Cow<'q, [u8]>),
    Bool(Option<bool>),
    /// 16 bits.
    Short(Option<i16>),
    /// 32 bits.
    Integer(Option<i32>),
    /// 64 bits.
    Long(Option<i64>),
    Real(Option<f64>),
}

impl<'q> From<&'q str> for Value<'q> {
    fn from(text: &'q str) -> Self {
        Self::Text(Some(Cow::Borrowed(text)))
    }
}

impl<'q> From<&'q String> for Value<'q> {
    fn from(text: &'q String) -> Self {
        Self::Text(Some(Cow::Borrowed(text)))
    }
}

impl<'q> From<&'q [u8]> for Value<'q> {
    fn from(bytes: &'q [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Some(Cow::Owned(text)))
    }
}

impl<'q> From<Option<&'q str>> for Value<'q> {
    fn from(text: Option<&'q str>) -> Self {
        Self::Text(text.map(Cow::Borrowed))
    }
}

impl<'q> From<&'q Option<String>> for Value<'q> {
    fn from(text: &'q Option<String>) -> Self {
        Self::Text(text.as_deref().map(Cow::Borrowed))
    }
}

impl From<Option<String>> for Value<'_> {
    fn from(text: Option<String>) -> Self {
        Self::Text(text.map(Cow::Owned))
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(Some(value))
    }
}

impl From<Option<bool>> for Value<'_> {
    fn from(value: Option<bool>) -> Self {
        Self::Bool(value)
    }
}

impl From<i16> for Value<'_> {
    fn from(value: i16) -> Self {
        Self::Short(Some(value))
    }
}

impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Self::Integer(Some(value))
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Self::Long(Some(value))
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(value: Option<i64>) -> Self {
        Self::Long(value)
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Self::Real(Some(value))
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(value: Option<f64>) -> Self {
        Self::Real(value)
    }
}
