//! Suggests the most similar known name for an unknown one.

/// A name below this Jaro-Winkler similarity is another name, not a slip.
const NEAR: f64 = 0.8;

/// Returns the known name most similar to `wanted`, if any is similar at all.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &str| {
        let inside = !wanted.is_empty() && (name.contains(&wanted) || wanted.contains(name));
        strsim::jaro_winkler(&wanted, name) + if inside { 1.0 } else { 0.0 }
    };
    let scored = known.into_iter().map(|name| (likeness(name), name));
    scored.filter(|(score, _)| *score > NEAR).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

/// An unknown name, with the most similar known one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("unknown {what} `{name}`\n  known: {known}{}", .nearest.map_or(String::new(), |near| format!("\nhint: did you mean `{near}`?")))]
pub struct UnknownName {
    what: &'static str,
    name: String,
    known: String,
    /// The known name most similar to the given one, if any is similar at all.
    pub nearest: Option<&'static str>,
}

/// Returns the value with this name.
///
/// # Errors
/// If there is none. The error suggests the most similar name.
pub fn find<T: Copy>(what: &'static str, name: &str, all: &[T], word: fn(T) -> &'static str) -> Result<T, UnknownName> {
    all.iter().copied().find(|&t| word(t) == name).ok_or_else(|| {
        let words: Vec<_> = all.iter().map(|&t| word(t)).collect();
        let nearest = nearest(name, words.iter().copied());
        UnknownName { what, name: name.into(), known: words.join(", "), nearest }
    })
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_part_or_a_slip_finds_its_name_and_nonsense_finds_none() {
        let known = ["swimmer", "hopper", "half-cheetah", "walker", "ant", "humanoid"];
        assert_eq!(nearest("cheetah", known), Some("half-cheetah"));
        assert_eq!(nearest("hoper", known), Some("hopper"));
        assert_eq!(nearest("Ant-v4", known), Some("ant"));
        assert_eq!(nearest("swimer", known), Some("swimmer"));
        for nonsense in ["zzz", "ppo", "sac"] {
            assert_eq!(nearest(nonsense, known), None, "{nonsense}");
            assert_eq!(
                nearest(nonsense, ["syncma", "cma-es", "dd-cma", "tr-cma", "turbo", "ars", "annealing"]),
                None,
                "{nonsense}"
            );
        }
    }
}
