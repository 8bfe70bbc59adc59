//! Serializes a symmetric matrix as its lower triangle, column by column: half the bytes and no copy in memory.

use std::fmt;

use nalgebra::DMatrix;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserializer, Serializer};

pub fn serialize<S: Serializer>(a: &DMatrix<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    let n = a.nrows();
    let mut sequence = serializer.serialize_seq(Some(n * (n + 1) / 2))?;
    for j in 0..n {
        for v in &a.as_slice()[j * n + j..(j + 1) * n] {
            sequence.serialize_element(v)?;
        }
    }
    sequence.end()
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DMatrix<f64>, D::Error> {
    deserializer.deserialize_seq(LowerTriangle)
}

struct LowerTriangle;

impl<'de> Visitor<'de> for LowerTriangle {
    type Value = DMatrix<f64>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the n(n+1)/2 numbers of a lower triangle")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut numbers = Vec::<f64>::new();
        while let Some(v) = sequence.next_element()? {
            numbers.push(v);
        }
        let n = (((8 * numbers.len() + 1) as f64).sqrt() as usize - 1) / 2;
        if n * (n + 1) / 2 != numbers.len() {
            return Err(A::Error::invalid_length(numbers.len(), &self));
        }
        let mut a = DMatrix::zeros(n, n);
        let mut rest = numbers.as_slice();
        for j in 0..n {
            let (column, later) = rest.split_at(n - j);
            a.as_mut_slice()[j * n + j..(j + 1) * n].copy_from_slice(column);
            rest = later;
        }
        Ok(a)
    }
}
