-- Embeddings. An embedding that is replaced becomes a new row: ids only rise, so a
-- process that knows the newest id and how many rows have gone finds out what
-- changed by reading two columns, and reads only that.
CREATE TABLE vector_collection (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant     TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	dimension  INTEGER NOT NULL,
	metric     TEXT    NOT NULL,
	model      TEXT    NOT NULL,
	vectors    INTEGER NOT NULL DEFAULT 0,
	newest     INTEGER NOT NULL DEFAULT 0, -- the highest id of a row it ever had
	gone       INTEGER NOT NULL DEFAULT 0, -- how many rows have been taken away
	gone_known INTEGER NOT NULL DEFAULT 0, -- vector_gone holds those after this number
	created_at INTEGER NOT NULL,
	UNIQUE (tenant, name)
) STRICT;

-- embedding is float32 little-endian and a CRC-32C of them; record is zstd with a
-- checksum over the JSON of text and metadata.
CREATE TABLE vector (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant     TEXT    NOT NULL,
	collection INTEGER NOT NULL,
	name       TEXT    NOT NULL,
	embedding  BLOB    NOT NULL,
	record     BLOB    NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (tenant, collection, name)
) STRICT;

-- What of a row is held in memory for searching, apart from it so that it is read
-- in one sweep: see vectorcode.go.
CREATE TABLE vector_code (
	tenant     TEXT    NOT NULL,
	collection INTEGER NOT NULL,
	vector     INTEGER NOT NULL,
	code       BLOB    NOT NULL,
	PRIMARY KEY (tenant, collection, vector)
) STRICT, WITHOUT ROWID;

-- One row for each value of the metadata that a filter may name.
CREATE TABLE vector_tag (
	tenant     TEXT    NOT NULL,
	collection INTEGER NOT NULL,
	key        TEXT    NOT NULL,
	value      TEXT    NOT NULL,
	vector     INTEGER NOT NULL,
	PRIMARY KEY (tenant, collection, key, value, vector)
) STRICT, WITHOUT ROWID;

-- Rows that were taken away, numbered by vector_collection.gone.
CREATE TABLE vector_gone (
	tenant     TEXT    NOT NULL,
	collection INTEGER NOT NULL,
	n          INTEGER NOT NULL,
	vector     INTEGER NOT NULL,
	PRIMARY KEY (tenant, collection, n)
) STRICT, WITHOUT ROWID;

-- The graph. An edge may name a node that nobody has described yet.
CREATE TABLE graph_node (
	tenant     TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	record     BLOB    NOT NULL,
	updated_at INTEGER NOT NULL,
	UNIQUE (tenant, id)
) STRICT;

CREATE TABLE graph_label (
	tenant TEXT NOT NULL,
	label  TEXT NOT NULL,
	node   TEXT NOT NULL,
	PRIMARY KEY (tenant, label, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE graph_edge (
	tenant     TEXT    NOT NULL,
	src        TEXT    NOT NULL,
	rel        TEXT    NOT NULL,
	dst        TEXT    NOT NULL,
	weight     REAL    NOT NULL,
	record     BLOB    NOT NULL,
	updated_at INTEGER NOT NULL,
	PRIMARY KEY (tenant, src, rel, dst)
) STRICT, WITHOUT ROWID;
CREATE INDEX graph_edge_inbound ON graph_edge (tenant, dst, rel, src);
