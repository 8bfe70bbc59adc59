//! What was found, for people and other programs: one format per folder.

mod draft;
pub mod html;
pub mod traces;
