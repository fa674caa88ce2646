-- What each tenant keeps. Times are UTC microseconds since 1970; a *_record is
-- zstd with a checksum over the JSON of the root package's type.

-- One row per tenant and content that the tenant may read; the bytes are a file.
CREATE TABLE blob (
	tenant     TEXT    NOT NULL,
	sha256     TEXT    NOT NULL,
	size       INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (tenant, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_by_sha256 ON blob (sha256);

-- One row per page and text of a final URL; fetching the same again moves
-- fetched_at forward.
CREATE TABLE snapshot (
	id                INTEGER PRIMARY KEY,
	tenant            TEXT    NOT NULL,
	final_url         TEXT    NOT NULL,
	fetched_at        INTEGER NOT NULL,
	page_sha256       TEXT    NOT NULL,
	text_sha256       TEXT    NOT NULL,
	extractor_id      TEXT    NOT NULL,
	extractor_version INTEGER NOT NULL,
	page_record       BLOB    NOT NULL,
	document_record   BLOB    NOT NULL,
	UNIQUE (tenant, final_url, page_sha256, text_sha256, extractor_id, extractor_version)
) STRICT;
CREATE INDEX snapshot_newest ON snapshot (tenant, final_url, fetched_at DESC, id DESC);

CREATE TABLE source (
	tenant     TEXT    NOT NULL,
	brief      TEXT    NOT NULL,
	n          INTEGER NOT NULL,
	record     BLOB    NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (tenant, brief, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE passage (
	tenant TEXT    NOT NULL,
	id     TEXT    NOT NULL,
	brief  TEXT    NOT NULL,
	n      INTEGER NOT NULL,
	record BLOB    NOT NULL,
	PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX passage_of_source ON passage (tenant, brief, n);

CREATE TABLE brief (
	tenant     TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	created_at INTEGER NOT NULL,
	record     BLOB    NOT NULL,
	PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

-- The text index. document keeps the original for snippets (text_record) and
-- where each of its terms stands in it (terms_record); document_terms holds the
-- same terms, cut and stemmed in Go, joined by spaces and marked with their tenant.
CREATE TABLE document (
	id           INTEGER PRIMARY KEY,
	tenant       TEXT    NOT NULL,
	url          TEXT    NOT NULL,
	title        TEXT    NOT NULL,
	published    TEXT    NOT NULL,
	language     TEXT    NOT NULL,
	stamp        TEXT    NOT NULL,
	terms        INTEGER NOT NULL,
	indexed_at   INTEGER NOT NULL,
	text_record  BLOB    NOT NULL,
	terms_record BLOB    NOT NULL,
	UNIQUE (tenant, url)
) STRICT;

-- How much each tenant has indexed in each language: BM25 needs the totals, and a
-- query is stemmed once for each language present.
CREATE TABLE collection (
	tenant    TEXT    NOT NULL,
	language  TEXT    NOT NULL,
	documents INTEGER NOT NULL,
	terms     INTEGER NOT NULL,
	PRIMARY KEY (tenant, language)
) STRICT, WITHOUT ROWID;

-- Every printable ASCII mark is part of a term: only the space divides.
CREATE VIRTUAL TABLE document_terms USING fts5 (
	title, body,
	content = '', contentless_delete = 1,
	tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
CREATE VIRTUAL TABLE document_vocabulary USING fts5vocab (document_terms, row);
