//! How single requirements are written: the value alone, or a table that says more.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::text::nearest;

/// What an undecided requirement comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Undecided {
    /// It fails: what was not shown does not count.
    #[default]
    Fail,
    /// It passes.
    Pass,
}

/// Lets a requirement be written as its value alone. `remote = "Self"` makes of the derived way a function of the type, which
/// reads the table.
macro_rules! or_alone {
    ($name:ident: $wanted:literal; $($visits:item)*) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Either;

                impl<'de> Visitor<'de> for Either {
                    type Value = $name;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($wanted)
                    }

                    $($visits)*

                    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<$name, M::Error> {
                        $name::deserialize(MapAccessDeserializer::new(map))
                    }
                }

                from.deserialize_any(Either)
            }
        }
    };
}

/// A fact that is to hold or not.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(super) struct Flag {
    /// Which.
    pub(super) is: bool,
    /// Its own word on what undecided comes to.
    pub(super) undecided: Option<Undecided>,
}

or_alone! { Flag: "true or false, or a table as in { is = true, undecided = \"pass\" }";
    fn visit_bool<E: de::Error>(self, is: bool) -> Result<Flag, E> {
        Ok(Flag { is, undecided: None })
    }
}

/// A figure that is not to be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(super) struct Limit {
    /// The most that it may be.
    pub(super) at_most: Amount,
    /// Its own word on what undecided comes to.
    pub(super) undecided: Option<Undecided>,
}

or_alone! { Limit: "a number from 0 on, or a table as in { at_most = 50, undecided = \"pass\" }";
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Limit, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Limit, E> {
        self.visit_f64(value as f64)
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Limit, E> {
        Ok(Limit { at_most: Amount::of(value).map_err(E::custom)?, undecided: None })
    }
}

/// A number that is not to be fallen short of.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(super) struct Least {
    /// The least that it may be.
    pub(super) at_least: u64,
    /// Its own word on what undecided comes to.
    pub(super) undecided: Option<Undecided>,
}

or_alone! { Least: "a whole number from 0 on, or a table as in { at_least = 4, undecided = \"pass\" }";
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Least, E> {
        let at_least = u64::try_from(value).map_err(|_| E::custom(format!("{value} is below 0")))?;
        Ok(Least { at_least, undecided: None })
    }
    fn visit_u64<E: de::Error>(self, at_least: u64) -> Result<Least, E> {
        Ok(Least { at_least, undecided: None })
    }
}

/// Faults that are not to be exceeded in so many reads.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(super) struct Few {
    /// The most that there may be.
    pub(super) at_most: u64,
    /// Reads without which nothing is shown.
    #[serde(default = "few_reads")]
    pub(super) reads_at_least: u64,
    /// Its own word on what undecided comes to.
    pub(super) undecided: Option<Undecided>,
}

/// Reads without which 'no fault' says little, where the policy asks for no other number.
const FEW_READS: u64 = 1000;

fn few_reads() -> u64 {
    FEW_READS
}

or_alone! { Few: "a whole number from 0 on, or a table as in { at_most = 0, reads_at_least = 100_000 }";
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Few, E> {
        let at_most = u64::try_from(value).map_err(|_| E::custom(format!("{value} is below 0")))?;
        self.visit_u64(at_most)
    }
    fn visit_u64<E: de::Error>(self, at_most: u64) -> Result<Few, E> {
        Ok(Few { at_most, reads_at_least: FEW_READS, undecided: None })
    }
}

/// The oldest kernel.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(super) struct Kernel {
    /// Its version, as in `5.10`.
    pub(super) at_least: Version,
    /// Its own word on what undecided comes to.
    pub(super) undecided: Option<Undecided>,
}

or_alone! { Kernel: "a version in quotes, as in \"5.10\", or a table as in { at_least = \"5.10\", undecided = \"pass\" }";
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Kernel, E> {
        Ok(Kernel { at_least: Version::try_from(text.to_owned()).map_err(E::custom)?, undecided: None })
    }
}

/// A figure from 0 on.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(try_from = "f64")]
pub(super) struct Amount(pub(super) f64);

impl Amount {
    fn of(value: f64) -> Result<Self, String> {
        match value {
            value if !value.is_finite() => Err(format!("{value} is no limit; take a number from 0 on")),
            value if value < 0.0 => Err(format!("{value} is below 0, so that nothing could meet it")),
            value => Ok(Self(value)),
        }
    }
}

impl TryFrom<f64> for Amount {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        Self::of(value)
    }
}

/// The numbers of a kernel's release, as far as they are numbers: `6.1.0-18-amd64` is 6, 1 and 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Version(Vec<u64>);

impl Version {
    /// Of a release.
    pub(super) fn of(release: &str) -> Option<Self> {
        let numbers = release.split(|c: char| !(c.is_ascii_digit() || c == '.')).next()?;
        let numbers = numbers.split('.').map_while(|number| number.parse().ok()).collect::<Vec<_>>();
        (!numbers.is_empty()).then_some(Self(numbers))
    }
}

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_plain = !text.is_empty() && text.split('.').all(|number| number.parse::<u64>().is_ok());
        Self::of(&text).filter(|_| is_plain).ok_or_else(|| format!("'{text}' is no version; one is written as in 5.10"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(u64::to_string).collect::<Vec<_>>().join("."))
    }
}

/// Words that a requirement may choose from.
pub(super) trait Vocabulary {
    /// All of them; none where any word may stand.
    const WORDS: &'static [&'static str];
}

/// Any word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Any;

impl Vocabulary for Any {
    const WORDS: &'static [&'static str] = &[];
}

/// A word that is to be one of these.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OneOf<V> {
    /// Those that are well.
    pub(super) is: Vec<String>,
    /// Its own word on what undecided comes to.
    pub(super) undecided: Option<Undecided>,
    of: PhantomData<V>,
}

impl<V: Vocabulary> OneOf<V> {
    fn of<E: de::Error>(is: Vec<String>, undecided: Option<Undecided>) -> Result<Self, E> {
        if is.is_empty() {
            return Err(E::custom("a list of no words, which nothing could meet"));
        }
        match is.iter().find(|word| !V::WORDS.is_empty() && !V::WORDS.contains(&word.as_str())) {
            Some(wrong) => {
                let hint = nearest::hint(wrong, V::WORDS.iter().copied());
                Err(E::custom(format!("'{wrong}' is none of {}{hint}", V::WORDS.join(", "))))
            }
            None => Ok(Self { is, undecided, of: PhantomData }),
        }
    }
}

/// One word or several.
#[derive(Debug)]
struct Words(Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        OneOf::<Any>::deserialize(from).map(|words| Self(words.is))
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    is: Words,
    undecided: Option<Undecided>,
}

impl<'de, V: Vocabulary> Deserialize<'de> for OneOf<V> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<V>(PhantomData<V>);

        impl<'de, V: Vocabulary> Visitor<'de> for Either<V> {
            type Value = OneOf<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a word in quotes, a list of some, or a table as in { is = \"tsc\", undecided = \"pass\" }")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<OneOf<V>, E> {
                OneOf::of(vec![word.to_owned()], None)
            }

            fn visit_seq<S: SeqAccess<'de>>(self, words: S) -> Result<OneOf<V>, S::Error> {
                OneOf::of(Vec::deserialize(SeqAccessDeserializer::new(words))?, None)
            }

            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<OneOf<V>, M::Error> {
                let Table { is, undecided } = serde::Deserialize::deserialize(MapAccessDeserializer::new(map))?;
                OneOf::of(is.0, undecided)
            }
        }

        from.deserialize_any(Either(PhantomData))
    }
}
