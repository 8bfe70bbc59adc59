//! A drawing as an SVG: every stroke is an element, and text stays text.

use super::{Color, Drawing, Stroke, Text};
use crate::font::WEB_FONT;
use ab_glyph::Font;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

impl Drawing {
    /// Returns the drawing as SVG, with a title for screen readers.
    pub fn svg(&self, title: &str) -> String {
        let (w, h, title) = (self.width, self.height, escaped(title));
        let elements: String = self.strokes.iter().map(|stroke| self.element(stroke)).collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"Roboto,'Roboto figures',Helvetica,Arial,sans-serif\">\n\
             <title>{title}</title>\n<style>@font-face{{font-family:'Roboto figures';\
             src:url(data:font/woff2;base64,{})}}</style>\n\
             <rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n{elements}</svg>\n",
            STANDARD.encode(WEB_FONT)
        )
    }

    /// Returns a stroke as an element of an SVG.
    fn element(&self, stroke: &Stroke) -> String {
        match stroke {
            Stroke::Line { points, color, width, dashes } => {
                let dashes: Vec<String> = dashes.iter().map(f32::to_string).collect();
                let dashes = match dashes.is_empty() {
                    true => String::new(),
                    false => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
                };
                let (points, color) = (listed(points), hex(*color));
                format!(
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes}/>\n"
                )
            }
            Stroke::Area { points, color, opacity } => {
                let (points, color) = (listed(points), hex(*color));
                format!("<polygon points=\"{points}\" fill=\"{color}\" fill-opacity=\"{opacity}\"/>\n")
            }
            Stroke::Circle { center: (x, y), radius, color } => {
                format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"/>\n", hex(*color))
            }
            Stroke::Text(text) => self.text_element(text),
            Stroke::Spot { center: (x, y), text } => format!(
                "<circle class=\"spot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"none\" pointer-events=\"all\">\
                 <title>{}</title></circle>\n",
                escaped(text)
            ),
        }
    }

    fn text_element(&self, text: &Text) -> String {
        let Text { at: (x, y), size, color, upright, .. } = text;
        let start = self.start(text);
        let (x, y, turn) = match upright {
            true => (*x, y - start, format!(" transform=\"rotate(-90 {x:.1} {:.1})\"", y - start)),
            false => (x + start, *y, String::new()),
        };
        // The size of our letters is their height from top to bottom, that of an SVG is the font's em.
        let em = size * self.font.units_per_em().unwrap_or(1.0) / self.font.height_unscaled();
        let (wide, color, told) = (self.width_of(&text.text, *size), hex(*color), escaped(&text.text));
        format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{em:.2}\" fill=\"{color}\" textLength=\"{wide:.1}\" \
             lengthAdjust=\"spacingAndGlyphs\"{turn}>{told}</text>\n"
        )
    }
}

fn escaped(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    printable.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn hex((r, g, b): Color) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn listed(points: &[(f32, f32)]) -> String {
    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
}
