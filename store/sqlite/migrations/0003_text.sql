-- The text index by name, with metadata. The tables document, collection and
-- document_terms of schema 1 are emptied into these when a store is opened, and
-- dropped a release later.

-- What one index of a tenant holds in one language: BM25 needs the totals, and a
-- query is stemmed once for each language present. A part is never deleted: its id
-- marks its terms in text_terms, so that a query reads no other's.
CREATE TABLE text_part (
	id         INTEGER PRIMARY KEY,
	tenant     TEXT    NOT NULL,
	index_name TEXT    NOT NULL,
	language   TEXT    NOT NULL,
	documents  INTEGER NOT NULL,
	terms      INTEGER NOT NULL,
	UNIQUE (tenant, index_name, language)
) STRICT;

-- text_record is the original, for excerpts; terms_record says where each of its
-- terms stands in it. Both are packed with a checksum. metadata is a JSON object, or
-- empty.
CREATE TABLE text_document (
	id           INTEGER PRIMARY KEY,
	tenant       TEXT    NOT NULL,
	index_name   TEXT    NOT NULL,
	key          TEXT    NOT NULL,
	part         INTEGER NOT NULL,
	url          TEXT    NOT NULL,
	title        TEXT    NOT NULL,
	published    TEXT    NOT NULL,
	stamp        TEXT    NOT NULL,
	terms        INTEGER NOT NULL,
	indexed_at   INTEGER NOT NULL,
	metadata     TEXT    NOT NULL,
	terms_record BLOB    NOT NULL,
	text_record  BLOB    NOT NULL,
	UNIQUE (tenant, index_name, key)
) STRICT;

-- Metadata for filters: number and moment (UTC microseconds since 1970) where the
-- value is one.
CREATE TABLE text_metadata (
	document   INTEGER NOT NULL,
	key        TEXT    NOT NULL,
	tenant     TEXT    NOT NULL,
	index_name TEXT    NOT NULL,
	value      TEXT    NOT NULL,
	number     REAL,
	moment     INTEGER,
	PRIMARY KEY (document, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX text_metadata_value ON text_metadata (tenant, index_name, key, value);
CREATE INDEX text_metadata_number ON text_metadata (tenant, index_name, key, number) WHERE number IS NOT NULL;
CREATE INDEX text_metadata_moment ON text_metadata (tenant, index_name, key, moment) WHERE moment IS NOT NULL;

-- The terms of each document, cut and stemmed in Go, each after the mark of its part;
-- fields holds those of its address and its metadata, each after its key. Every
-- printable ASCII mark is part of a term: only the space divides.
CREATE VIRTUAL TABLE text_terms USING fts5 (
	title, body, fields,
	content = '', contentless_delete = 1,
	tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
INSERT INTO text_terms (text_terms, rank) VALUES ('hashsize', 8388608);
CREATE VIRTUAL TABLE text_vocabulary USING fts5vocab (text_terms, row);
CREATE VIRTUAL TABLE text_instances USING fts5vocab (text_terms, instance);
