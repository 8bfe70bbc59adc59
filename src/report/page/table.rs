//! The tables of the page. They hold plain text, which the templates escape.

use askama::Template;
use askama::filters::HtmlSafe;

/// The content of a cell.
#[derive(Template)]
#[template(path = "cell.html")]
pub enum Cell {
    Text(String),
    /// Fragments of code, each on its own line.
    Code(Vec<String>),
    /// A number formatted for people, the exact one for programs, and text that follows it.
    Number {
        exact: f64,
        shown: String,
        spread: String,
    },
}

/// A table whose first cell in each row is the row's name. In a narrow window every row becomes a card, which is why
/// cells carry the name of their column.
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
