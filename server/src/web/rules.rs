//! The rules of a game as sections, from the game's texts `rule.ID.title`, `rule.ID` and `rule.ID.example`. `teach/rules.js`
//! draws their pictures.

use std::fmt;

use maud::{Markup, html};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::web::files::asset;
use crate::web::visit::Language;
use crate::web::words::GameTexts;

/// The rules of a game in the visitor's language: the course of a match (`how`), one section for each rule, and last the note on
/// the variant. Parts that the game's texts lack are left out.
pub(in crate::web) fn explained(slug: &str, how: Option<&str>) -> Markup {
    let texts = GameTexts::of(slug);
    let text = |key: &str| texts.get(key).unwrap_or_default();
    let has_pictures = asset::find(&format!("games/{slug}/rules.js")).is_some();
    html! {
        @if let Some(how) = how { p.lead { (how) } }
        div.rules data-game=[has_pictures.then_some(slug)] {
            @for id in ids(slug) {
                section.rule data-rule=(id) {
                    h3 { (text(&format!("rule.{id}.title"))) }
                    @if has_pictures { div.picture aria-hidden="true" {} }
                    div {
                        p { (text(&format!("rule.{id}"))) }
                        p.example { (text(&format!("rule.{id}.example"))) }
                    }
                }
            }
        }
        @if let Some(variant) = texts.get("rule.variant") { p.variant { (variant) } }
    }
}

/// The rules of a game, in the order of its English texts, which is that of its pictures.
fn ids(slug: &str) -> Vec<String> {
    let rule = |key: &String| key.strip_prefix("rule.")?.strip_suffix(".title").map(str::to_owned);
    keys(slug).iter().filter_map(rule).collect()
}

/// The options of a deal that players can choose, each with its values: those that the game's texts name (`option.NAME`,
/// `option.NAME.VALUE`).
pub(in crate::web) fn options(slug: &str) -> Vec<(String, Vec<String>)> {
    let keys = keys(slug);
    let words =
        |key: &String| key.strip_prefix("option.").map(|rest| rest.split('.').map(str::to_owned).collect());
    let all: Vec<Vec<String>> = keys.iter().filter_map(words).collect();
    let values = |name: &String| -> Vec<String> {
        let value = |words: &Vec<String>| match words.as_slice() {
            [of, value] if of == name => Some(value.clone()),
            _ => None,
        };
        all.iter().filter_map(value).collect()
    };
    let name = |words: &Vec<String>| if let [name] = words.as_slice() { Some(name.clone()) } else { None };
    all.iter().filter_map(name).map(|name| (name.clone(), values(&name))).collect()
}

/// The keys of a game's texts, in the order of the English ones.
fn keys(slug: &str) -> Vec<String> {
    let file = asset::find(&format!("games/{slug}/{}.json", Language::ALL[0].tag));
    let keys: Option<Keys> = file.and_then(|file| serde_json::from_slice(&file.bytes).ok());
    keys.map_or_else(Vec::new, |keys| keys.0)
}

/// The keys of a JSON object in the order of its text, which a map of `serde_json` does not keep.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_of_the_text() {
        let keys: Keys = serde_json::from_str(r#"{"b": 1, "a": {"c": 2}, "0": "x"}"#).unwrap();
        assert_eq!(keys.0, ["b", "a", "0"]);
    }
}
