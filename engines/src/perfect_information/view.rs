//! The view of a game of perfect information: the whole state, and the viewer. As JSON it is the state's object with `viewer`
//! as its last field.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, forward_to_deserialize_any};

use super::PublicState;
use crate::game::{Game, Seat, State, Turn, View, Viewer};
use crate::rng::Rng;

/// A position of a game of perfect information as one viewer sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PublicView<G: Game> {
    #[serde(flatten)]
    state: G::State,
    viewer: Viewer,
}

impl<G: Game> PublicView<G> {
    /// The view of this viewer.
    pub fn new(state: G::State, viewer: Viewer) -> Self {
        Self { state, viewer }
    }

    /// The whole state, which every viewer may see.
    pub fn state(&self) -> &G::State {
        &self.state
    }
}

impl<G: Game<State: PublicState<G>>> PublicView<G> {
    /// The view of a state from outside. Without a viewer, the seat to move sees it.
    fn checked(state: G::State, viewer: Option<Viewer>) -> Result<Self, String> {
        let seats = state.seats();
        let check = |field: &str, seat: Seat| match seat.0 < seats {
            true => Ok(()),
            false if seats == 2 => Err(format!("{field}: there are seats 0 and 1")),
            false => Err(format!("{field}: there are seats 0 to {}", seats - 1)),
        };
        check("to_move", state.to_move())?;
        let viewer = viewer.unwrap_or(Viewer::Seat(state.to_move()));
        if let Viewer::Seat(seat) = viewer {
            check("viewer", seat)?;
        }
        state.audit()?;
        Ok(Self { state, viewer })
    }
}

impl<G: Game<State: PublicState<G>>> View<G> for PublicView<G> {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        self.state.turn()
    }

    fn legal(&self, out: &mut Vec<G::Move>) {
        if self.turn_is_viewers() {
            self.state.moves(out);
        }
    }

    fn premoves(&self, out: &mut Vec<G::Move>) {
        if let (Viewer::Seat(viewer), Turn::Of(seat)) = (self.viewer, self.state.turn())
            && viewer != seat
        {
            self.state.premoves(viewer, out);
        }
    }

    fn is_legal(&self, mv: &G::Move) -> bool {
        self.turn_is_viewers() && self.state.allows(mv)
    }

    fn guess(&self, _: &mut Rng) -> G::State {
        self.state.clone()
    }

    fn picture(&self) -> Option<String> {
        self.state.picture()
    }
}

impl<G: Game> PublicView<G> {
    fn turn_is_viewers(&self) -> bool {
        matches!(self.state.turn(), Turn::Of(seat) if self.viewer == Viewer::Seat(seat))
    }
}

/// The field that a view has besides those of its state.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Beside {
    /// The viewer; the seat to move if absent.
    viewer: Option<Viewer>,
}

const VIEWER: &str = "viewer";

impl<G: Game<State: JsonSchema>> JsonSchema for PublicView<G> {
    fn schema_name() -> Cow<'static, str> {
        "View".into()
    }

    fn schema_id() -> Cow<'static, str> {
        std::any::type_name::<Self>().into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (mut schema, beside) = (G::State::json_schema(generator), Beside::json_schema(generator));
        let viewer = beside.pointer("/properties/viewer").cloned().unwrap_or_default();
        if let Some(fields) = schema.pointer_mut("/properties").and_then(|fields| fields.as_object_mut()) {
            fields.insert(VIEWER.to_owned(), viewer);
        }
        schema.insert("description".to_owned(), "A position as one viewer sees it.".into());
        schema.insert("additionalProperties".to_owned(), false.into());
        schema
    }
}

impl<'de, G: Game<State: PublicState<G>>> Deserialize<'de> for PublicView<G> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields(PhantomData))
    }
}

/// Reads the fields of a view. They are not collected first, so that an error names its place.
struct Fields<G>(PhantomData<G>);

impl<'de, G: Game<State: PublicState<G>>> Visitor<'de> for Fields<G> {
    type Value = PublicView<G>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a position")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PublicView<G>, A::Error> {
        let mut viewer = None;
        let state = G::State::deserialize(StateFields { map, known: &[], viewer: &mut viewer })?;
        PublicView::checked(state, viewer.flatten()).map_err(A::Error::custom)
    }
}

/// The fields of the state among those of a view. Keeps the viewer, and refuses others.
struct StateFields<'a, A> {
    map: A,
    known: &'static [&'static str],
    viewer: &'a mut Option<Option<Viewer>>,
}

impl<'de, A: MapAccess<'de>> Deserializer<'de> for StateFields<'_, A> {
    type Error = A::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        known: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        visitor.visit_map(Self { known, ..self })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, A::Error> {
        Err(A::Error::custom("the state of a game of perfect information is a struct with named fields"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for StateFields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.map.next_key_seed(FieldName { known: self.known })? {
            if name != VIEWER {
                let name: StringDeserializer<A::Error> = name.into_deserializer();
                return seed.deserialize(name).map(Some);
            }
            if self.viewer.replace(self.map.next_value()?).is_some() {
                return Err(A::Error::duplicate_field(VIEWER));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// The name of a field of a view. `known`: those of the state.
struct FieldName {
    known: &'static [&'static str],
}

impl<'de> DeserializeSeed<'de> for FieldName {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        let mut all = self.known.iter().copied().chain([VIEWER]);
        if all.any(|known| known == name) {
            return Ok(name);
        }
        let all: Vec<_> = self.known.iter().chain(&[VIEWER]).map(|known| format!("`{known}`")).collect();
        Err(D::Error::custom(format_args!("unknown field `{name}`, expected one of {}", all.join(", "))))
    }
}
