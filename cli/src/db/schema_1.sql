-- Every journaled table has one INTEGER key `id` that is never used twice, so that a row can be
-- named for ever. Nothing cascades: a deletion names each row it takes along, so that it can be undone.
CREATE TABLE items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE COLLATE NOCASE,
  type TEXT NOT NULL,
  title TEXT NOT NULL,
  issued TEXT,
  container_title TEXT, collection_title TEXT, publisher TEXT, publisher_place TEXT,
  volume TEXT, issue TEXT, pages TEXT, number TEXT, edition TEXT,
  doi TEXT, isbn TEXT, issn TEXT, url TEXT, accessed TEXT,
  language TEXT, abstract TEXT, event TEXT, genre TEXT,
  extra TEXT,
  added_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  trashed_at TEXT,
  year INTEGER GENERATED ALWAYS AS (CAST(issued AS INTEGER)) VIRTUAL
);
CREATE INDEX items_doi ON items (lower(doi));
CREATE INDEX items_trashed ON items (trashed_at);

CREATE TABLE creators (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  family TEXT NOT NULL DEFAULT '',
  given TEXT NOT NULL DEFAULT '',
  literal TEXT NOT NULL DEFAULT '',
  UNIQUE (family, given, literal)
);
CREATE TABLE item_creators (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL REFERENCES items (id),
  creator_id INTEGER NOT NULL REFERENCES creators (id),
  role TEXT NOT NULL,
  position INTEGER NOT NULL
);
CREATE INDEX item_creators_item ON item_creators (item_id, position);
CREATE INDEX item_creators_creator ON item_creators (creator_id);

CREATE TABLE tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE item_tags (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL REFERENCES items (id),
  tag_id INTEGER NOT NULL REFERENCES tags (id),
  added_at TEXT NOT NULL,
  UNIQUE (item_id, tag_id)
);
CREATE INDEX item_tags_tag ON item_tags (tag_id);

-- A collection's path is the names from the top, joined by `/`; a name holds no `/`.
CREATE TABLE collections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  parent_id INTEGER REFERENCES collections (id),
  about TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX collections_name ON collections (coalesce(parent_id, 0), name COLLATE NOCASE);
CREATE INDEX collections_parent ON collections (parent_id);
CREATE TABLE collection_items (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection_id INTEGER NOT NULL REFERENCES collections (id),
  item_id INTEGER NOT NULL REFERENCES items (id),
  added_at TEXT NOT NULL,
  UNIQUE (collection_id, item_id)
);
CREATE INDEX collection_items_item ON collection_items (item_id);

CREATE VIEW collection_paths AS
WITH RECURSIVE paths (id, path) AS (
  SELECT id, name FROM collections WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, p.path || '/' || c.name FROM collections c JOIN paths p ON c.parent_id = p.id
)
SELECT id, path FROM paths;

CREATE TABLE notes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER REFERENCES items (id),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX notes_item ON notes (item_id);

CREATE TABLE attachments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL REFERENCES items (id),
  title TEXT NOT NULL,
  path TEXT NOT NULL,
  media_type TEXT NOT NULL,
  size INTEGER,
  sha256 TEXT,
  added_at TEXT NOT NULL,
  UNIQUE (item_id, path)
);

CREATE TABLE reading_list (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  item_id INTEGER NOT NULL UNIQUE REFERENCES items (id),
  state TEXT NOT NULL CHECK (state IN ('queued', 'reading', 'done')),
  priority INTEGER NOT NULL DEFAULT 0,
  added_at TEXT NOT NULL,
  started_at TEXT,
  finished_at TEXT
);

CREATE TABLE searches (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  query TEXT NOT NULL,
  filters TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE TABLE settings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  value TEXT NOT NULL
);

CREATE TABLE workflow_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  path TEXT,
  digest TEXT NOT NULL,
  state TEXT NOT NULL,
  steps TEXT NOT NULL,
  done INTEGER NOT NULL,
  error TEXT,
  started_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  archived_at TEXT
);

-- The journal. A change of table `file` has the path in `file`, and the bytes before in `content`.
CREATE TABLE journal_runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  operation TEXT NOT NULL,
  summary TEXT NOT NULL,
  digest TEXT NOT NULL,
  changes INTEGER NOT NULL,
  undoes INTEGER REFERENCES journal_runs (id),
  applied_at TEXT NOT NULL
);
CREATE TABLE journal_changes (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES journal_runs (id),
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  table_name TEXT NOT NULL,
  row_id INTEGER,
  file TEXT,
  before TEXT,
  after TEXT,
  content BLOB
);
CREATE INDEX journal_changes_run ON journal_changes (run_id);
CREATE INDEX journal_changes_row ON journal_changes (table_name, row_id);

-- Full-text search: one row an item, rebuilt by the triggers below whenever a part of it changes.
CREATE VIEW item_texts AS
SELECT i.id, i.key, i.title, i.abstract,
  concat_ws(' ', i.container_title, i.collection_title, i.publisher, i.event) AS venue,
  (SELECT group_concat(concat_ws(' ', c.given, c.family, c.literal), '; ')
     FROM item_creators ic JOIN creators c ON c.id = ic.creator_id WHERE ic.item_id = i.id) AS creators,
  (SELECT group_concat(t.name, '; ')
     FROM item_tags it JOIN tags t ON t.id = it.tag_id WHERE it.item_id = i.id) AS tags,
  (SELECT group_concat(n.title || ' ' || n.body, char(10)) FROM notes n WHERE n.item_id = i.id) AS notes
FROM items i;
CREATE VIRTUAL TABLE items_fts USING fts5 (
  key, title, abstract, venue, creators, tags, notes, tokenize = 'porter unicode61 remove_diacritics 2'
);

CREATE TRIGGER items_fts_insert AFTER INSERT ON items BEGIN
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id = new.id;
END;
CREATE TRIGGER items_fts_update AFTER UPDATE ON items BEGIN
  DELETE FROM items_fts WHERE rowid = old.id;
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id = new.id;
END;
CREATE TRIGGER items_fts_delete AFTER DELETE ON items BEGIN
  DELETE FROM items_fts WHERE rowid = old.id;
END;
CREATE TRIGGER item_creators_fts_insert AFTER INSERT ON item_creators BEGIN
  DELETE FROM items_fts WHERE rowid IN (new.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (new.item_id);
END;
CREATE TRIGGER item_creators_fts_update AFTER UPDATE ON item_creators BEGIN
  DELETE FROM items_fts WHERE rowid IN (old.item_id, new.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_creators_fts_delete AFTER DELETE ON item_creators BEGIN
  DELETE FROM items_fts WHERE rowid IN (old.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (old.item_id);
END;
CREATE TRIGGER item_tags_fts_insert AFTER INSERT ON item_tags BEGIN
  DELETE FROM items_fts WHERE rowid IN (new.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (new.item_id);
END;
CREATE TRIGGER item_tags_fts_update AFTER UPDATE ON item_tags BEGIN
  DELETE FROM items_fts WHERE rowid IN (old.item_id, new.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER item_tags_fts_delete AFTER DELETE ON item_tags BEGIN
  DELETE FROM items_fts WHERE rowid IN (old.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (old.item_id);
END;
CREATE TRIGGER notes_fts_insert AFTER INSERT ON notes BEGIN
  DELETE FROM items_fts WHERE rowid IN (new.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (new.item_id);
END;
CREATE TRIGGER notes_fts_update AFTER UPDATE ON notes BEGIN
  DELETE FROM items_fts WHERE rowid IN (old.item_id, new.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (old.item_id, new.item_id);
END;
CREATE TRIGGER notes_fts_delete AFTER DELETE ON notes BEGIN
  DELETE FROM items_fts WHERE rowid IN (old.item_id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (old.item_id);
END;
CREATE TRIGGER creators_fts_update AFTER UPDATE ON creators BEGIN
  DELETE FROM items_fts WHERE rowid IN (SELECT item_id FROM item_creators WHERE creator_id = new.id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (SELECT item_id FROM item_creators WHERE creator_id = new.id);
END;
CREATE TRIGGER tags_fts_update AFTER UPDATE ON tags BEGIN
  DELETE FROM items_fts WHERE rowid IN (SELECT item_id FROM item_tags WHERE tag_id = new.id);
  INSERT INTO items_fts (rowid, key, title, abstract, venue, creators, tags, notes) SELECT * FROM item_texts WHERE id IN (SELECT item_id FROM item_tags WHERE tag_id = new.id);
END;
