//! The data of pages as files for spreadsheets.
//!
//! [`Rows`](crate::api::export::csv_rows::Rows) writes the bytes, [`file`](mod@file) makes a reply of them, and
//! [`record_file`] is a file of all records that match one filter, page by page. The address of the file of a page is
//! that of the page with `.csv` after its first part: `/en/vendor.csv/Acme` for `/en/vendor/Acme`
//! ([`address::spreadsheet`](super::address::spreadsheet)).

pub(crate) mod file;
pub(crate) mod record_file;
