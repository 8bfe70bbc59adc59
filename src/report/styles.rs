//! An optimizer has the same color in every figure of the program.

use crate::optim;
use crate::plot::Style;

/// Returns the style of every line, given the names of the optimizers in order. A name may continue after a colon or a
/// space, as in `syncma:exact:4`.
pub fn styles<'a>(optimizers: impl IntoIterator<Item = &'a str>) -> Vec<Style> {
    let mut seen: Vec<&str> = Vec::new();
    let style = |name: &'a str| {
        let name = name.split([':', ' ']).next().unwrap_or_default();
        let twin = seen.iter().filter(|known| **known == name).count();
        seen.push(name);
        let known = optim::names();
        Style::new(known.iter().position(|other| *other == name).unwrap_or(known.len()), twin)
    };
    optimizers.into_iter().map(style).collect()
}

#[cfg(test)]
mod tests {
    use super::styles;

    #[test]
    fn a_color_belongs_to_an_optimizer() {
        let names = crate::optim::names();
        let all = styles(names);
        for (at, name) in names.into_iter().enumerate() {
            assert_eq!(styles([name]), [all[at]], "alone and among others, {name} looks the same");
            assert!(all[..at].iter().all(|other| other.color != all[at].color), "{name} has a color of its own");
        }
        let twins = styles(["syncma:exact:1", "cma-es", "syncma:exact:4", "syncma lambda0=2"]);
        assert_eq!(twins[0], all[0]);
        assert_eq!(twins[1], styles(["cma-es"])[0]);
        assert!(twins[2].color != twins[0].color && twins[3].color != twins[2].color, "shades of one color");
    }
}
