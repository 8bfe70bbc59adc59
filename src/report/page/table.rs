//! The tables of the page. What they are given is text; the templates escape it.

use askama::Template;
use askama::filters::HtmlSafe;

/// What stands in a cell.
#[derive(Template)]
#[template(path = "cell.html")]
pub enum Cell {
    Text(String),
    /// Words of a program, each on its own line.
    Code(Vec<String>),
    /// A number as people read it, with the exact one for programs, and what follows it.
    Number {
        exact: f64,
        shown: String,
        spread: String,
    },
}

/// The first cell of a row names it. On a narrow window every row becomes a card, which is why cells carry the name of
/// their column.
#[derive(Template)]
#[template(path = "table.html")]
pub struct Table {
    pub class: &'static str,
    pub caption: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

impl HtmlSafe for Cell {}
impl HtmlSafe for Table {}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn code(word: impl Into<String>) -> Self {
        Self::Code(vec![word.into()])
    }

    pub fn number(exact: f64, shown: String) -> Self {
        Self::Number { exact, shown, spread: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cell, Table};

    #[test]
    fn nothing_inserted_becomes_markup() {
        let evil = || "<script>alert('a' & \"b\")</script>".to_string();
        let number = Cell::Number { exact: 1.5, shown: evil(), spread: evil() };
        let rows = vec![vec![Cell::text(evil()), Cell::code(evil()), number]];
        let header = ["a", "\"><b>", "c"].map(String::from).to_vec();
        let page = Table { class: "wide", caption: evil(), header, rows }.to_string();
        for tag in ["<script", "<b>", "\">\"", "alert('"] {
            assert!(!page.contains(tag), "{page}");
        }
        assert!(page.contains("<data value=\"1.5\">") && page.contains("<code>&#60;script&#62;"), "{page}");
        assert!(page.ends_with("</tr>\n</tbody>\n</table>"), "{page}");
    }
}
