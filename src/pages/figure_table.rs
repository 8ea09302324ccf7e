//! A table of figures with a title: one row for each year, name or code.

/// The table. Without rows it is not shown.
#[derive(Debug)]
pub(crate) struct FigureTable {
    /// The HTML id of its title.
    pub(crate) id: &'static str,
    pub(crate) title: String,
    /// The head of the first column, and those of the figures.
    pub(crate) of: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<FigureRow>,
    /// What the table leaves out.
    pub(crate) note: Option<String>,
}

/// A row: what its figures are of, and the figures in the order of the columns.
#[derive(Debug)]
pub(crate) struct FigureRow {
    pub(crate) name: String,
    pub(crate) href: Option<String>,
    pub(crate) values: Vec<String>,
}
