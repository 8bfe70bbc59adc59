//! Text inside HTML. Whatever comes from a file or a user passes through [`escape`].

/// Text that may stand in an element or in a quoted attribute.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            c => safe.push(c),
        }
    }
    safe
}

/// An element around plain text.
pub fn element(tag: &str, text: &str) -> String {
    format!("<{tag}>{}</{tag}>", escape(text))
}

/// A number as people read it, with the exact one for programs.
pub fn number(exact: f64, shown: &str) -> String {
    format!("<data value=\"{exact}\">{}</data>", escape(shown))
}

/// A table whose cells are HTML already; the first cell of a row names it. On a narrow window every row becomes a card,
/// which is why cells carry the name of their column.
pub fn table(class: &str, caption: &str, header: &[String], rows: &[Vec<String>]) -> String {
    let columns: String = header.iter().map(|name| format!("<th scope=\"col\">{}</th>", escape(name))).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(header).enumerate().map(|(column, (cell, name))| match column {
            0 => format!("<th scope=\"row\">{cell}</th>"),
            _ => format!("<td data-name=\"{}\"><span>{cell}</span></td>", escape(name)),
        });
        format!("<tr>{}</tr>\n", cells.collect::<String>())
    };
    let body: String = rows.iter().map(line).collect();
    format!(
        "<table class=\"{class}\">\n<caption>{}</caption>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{body}</tbody>\n\
         </table>\n",
        escape(caption)
    )
}

/// `1 run`, `2 runs`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// `a`, `a and b`, `a, b and c`.
pub fn list(items: &[&str], and: &str) -> String {
    match items {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} {and} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{element, escape, list, table};

    #[test]
    fn nothing_inserted_becomes_markup() {
        let evil = "<script>alert('a' & \"b\")</script>";
        assert_eq!(escape(evil), "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;");
        assert_eq!(element("b", "<i>"), "<b>&lt;i&gt;</b>");
        let header = ["a".to_string(), "\"><b>".to_string()];
        let page = table("x", "<u>", &header, &[vec![escape(evil), escape(evil)]]);
        for tag in ["<script", "<u>", "<b>"] {
            assert!(!page.contains(tag), "{page}");
        }
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(list(&["a"], "or"), "a");
        assert_eq!(list(&["a", "b", "c"], "or"), "a, b or c");
    }
}
