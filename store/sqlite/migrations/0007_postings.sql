-- What ranks a query: for each term of a part, the documents that have it and how often.
-- Postings are made from the documents' own lists of terms and hold nothing else. No
-- triggers: with one, SQLite has FTS5 write out its memory at every document.

-- Documents of a part that were packed together, by rising id.
CREATE TABLE text_segment (
	id        INTEGER PRIMARY KEY,
	part      INTEGER NOT NULL,
	documents INTEGER NOT NULL,
	first     INTEGER NOT NULL,
	last      INTEGER NOT NULL
) STRICT;
CREATE INDEX text_segment_part ON text_segment (part, first);

-- A page of a segment: the postings of some terms, of which term is the last. The page
-- whose term is empty says which documents the segment has and how long they are.
CREATE TABLE text_posting (
	segment INTEGER NOT NULL,
	term    TEXT    NOT NULL,
	page    BLOB    NOT NULL,
	UNIQUE (segment, term)
) STRICT;

-- Documents that are in no segment yet: the last ones of a part, read one by one.
CREATE TABLE text_loose (
	part     INTEGER NOT NULL,
	document INTEGER NOT NULL,
	terms    INTEGER NOT NULL,
	PRIMARY KEY (part, document)
) STRICT, WITHOUT ROWID;

-- Documents that a segment still has postings of and that are there no more. Their ids
-- are not given again while they are here.
CREATE TABLE text_gone (
	part     INTEGER NOT NULL,
	document INTEGER NOT NULL,
	PRIMARY KEY (part, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX text_gone_document ON text_gone (document);

-- What has terms of an earlier version is written anew when the store is opened, also
-- what a program that was running before writes later.
INSERT INTO text_loose SELECT part, id, terms FROM text_document WHERE terms_version >= 2;
