/// A field of an item beside type, title, date and creators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The column, and the name in JSON.
    pub name: &'static str,
    /// The name in CSL-JSON.
    pub csl: &'static str,
    /// What it holds.
    pub about: &'static str,
}

/// The fields of an item beside type, title, date and creators.
pub const FIELDS: &[Field] = &[
    Field { name: "container_title", csl: "container-title", about: "journal, book or site it appeared in" },
    Field { name: "collection_title", csl: "collection-title", about: "series" },
    Field { name: "publisher", csl: "publisher", about: "publisher or institution" },
    Field { name: "publisher_place", csl: "publisher-place", about: "place of publication" },
    Field { name: "volume", csl: "volume", about: "volume" },
    Field { name: "issue", csl: "issue", about: "issue of a journal" },
    Field { name: "pages", csl: "page", about: "pages, like 12-34" },
    Field { name: "number", csl: "number", about: "number of a report, patent or standard" },
    Field { name: "edition", csl: "edition", about: "edition" },
    Field { name: "doi", csl: "DOI", about: "digital object identifier, like 10.1000/182" },
    Field { name: "isbn", csl: "ISBN", about: "international standard book number" },
    Field { name: "issn", csl: "ISSN", about: "international standard serial number" },
    Field { name: "url", csl: "URL", about: "web address" },
    Field { name: "accessed", csl: "accessed", about: "date of the last visit, YYYY-MM-DD" },
    Field { name: "language", csl: "language", about: "language code, like en or de" },
    Field { name: "abstract", csl: "abstract", about: "abstract" },
    Field { name: "event", csl: "event-title", about: "conference or event" },
    Field { name: "genre", csl: "genre", about: "kind of thesis, report or manuscript" },
];

/// The field of a name, written with `-` or `_`, in any case.
pub fn field(name: &str) -> Option<&'static Field> {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    FIELDS.iter().find(|field| field.name == name)
}

/// A type of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemType {
    /// The name, as in CSL.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// The fields a citation needs, `author` and `issued` included.
    pub needs: &'static [&'static str],
}

/// The types of items.
pub const ITEM_TYPES: &[ItemType] = &[
    ItemType {
        name: "article-journal",
        about: "article in a journal",
        needs: &["author", "issued", "container_title", "volume", "pages"],
    },
    ItemType {
        name: "article-magazine",
        about: "article in a magazine",
        needs: &["author", "issued", "container_title"],
    },
    ItemType { name: "article-newspaper", about: "article in a newspaper", needs: &["issued", "container_title"] },
    ItemType { name: "article", about: "preprint or working paper", needs: &["author", "issued"] },
    ItemType { name: "book", about: "book", needs: &["author", "issued", "publisher"] },
    ItemType {
        name: "chapter",
        about: "chapter of a book",
        needs: &["author", "issued", "container_title", "publisher", "pages"],
    },
    ItemType {
        name: "paper-conference",
        about: "paper in proceedings",
        needs: &["author", "issued", "container_title"],
    },
    ItemType { name: "thesis", about: "thesis", needs: &["author", "issued", "publisher", "genre"] },
    ItemType { name: "report", about: "report", needs: &["author", "issued", "publisher"] },
    ItemType { name: "dataset", about: "data set", needs: &["author", "issued", "publisher"] },
    ItemType { name: "software", about: "software", needs: &["author", "issued", "url"] },
    ItemType { name: "webpage", about: "web page", needs: &["url", "accessed"] },
    ItemType { name: "manuscript", about: "manuscript", needs: &["author"] },
    ItemType { name: "patent", about: "patent", needs: &["author", "issued", "number"] },
    ItemType { name: "standard", about: "standard", needs: &["issued", "number", "publisher"] },
    ItemType { name: "legislation", about: "law", needs: &["issued"] },
    ItemType { name: "speech", about: "talk", needs: &["author", "issued", "event"] },
    ItemType { name: "motion_picture", about: "film", needs: &["issued"] },
    ItemType { name: "entry-encyclopedia", about: "entry of an encyclopedia", needs: &["issued", "container_title"] },
    ItemType { name: "document", about: "anything else", needs: &[] },
];

/// The roles of creators.
pub const ROLES: &[&str] = &["author", "editor", "translator", "contributor", "director"];
