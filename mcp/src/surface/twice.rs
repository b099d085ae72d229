//! Finds a key that an object has twice: what parsers read of it differs, and none says that it dropped one.

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// Says which key of a JSON text, at any depth, stands twice in one object.
pub(crate) fn key_given_twice(text: &[u8]) -> Option<String> {
    let error = serde_json::from_slice::<Once>(text).err().filter(serde_json::Error::is_data)?;
    Some(error.to_string())
}

/// A JSON value whose objects have each key once; nothing of it is kept.
struct Once;

#[derive(serde::Deserialize, PartialEq, Eq, Hash)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Once {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while let Some(Self) = items.next_element()? {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut seen: HashSet<Key<'de>> = HashSet::new();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            if seen.contains(&key) {
                return Err(de::Error::custom(format_args!("`{}` is given twice in one object", key.0)));
            }
            seen.insert(key);
            let Self = members.next_value()?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::key_given_twice;

    #[test]
    fn a_key_is_found_at_any_depth_and_in_any_spelling() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"b":2,"\u0061":3}"#,
            r#"[{"x":[{"a":{},"a":null}]}]"#,
            r#"{"a":{"b":{"a":1,"a":2}}}"#,
        ] {
            let said = key_given_twice(text.as_bytes()).unwrap();
            assert!(said.starts_with("`a` is given twice in one object"), "{said}");
        }
        for text in
            [r#"{"a":{"a":[{"a":1},{"a":"a"}]},"A":-1.5e3,"":true,"a ":18446744073709551615}"#, "[]", "\"\\u0000\""]
        {
            assert_eq!(key_given_twice(text.as_bytes()), None, "{text}");
        }
    }
}
