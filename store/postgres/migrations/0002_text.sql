-- The text index by name, with metadata: see store/internal/fulltext. Whoever writes an index
-- holds its row, so that its documents have numbers without gaps and its writers go in turn.
CREATE TABLE text_index (
	tenant     text COLLATE "C" NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	last       bigint NOT NULL DEFAULT 0, -- the number of its newest document
	PRIMARY KEY (tenant, index_name)
);

-- What one index holds in one language. A part is never deleted.
CREATE TABLE text_part (
	tenant     text COLLATE "C" NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	language   text COLLATE "C" NOT NULL,
	id         bigint GENERATED ALWAYS AS IDENTITY,
	documents  bigint NOT NULL DEFAULT 0,
	terms      bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (tenant, index_name, language)
);
CREATE UNIQUE INDEX text_part_by_id ON text_part (id);

-- text_record is the original, terms_record the list of its terms; both are sealed. A key may
-- be longer than an index takes: sha256 is of it, head its beginning. metadata is a JSON object,
-- or empty.
CREATE TABLE text_document (
	tenant        text COLLATE "C" NOT NULL,
	index_name    text COLLATE "C" NOT NULL,
	id            bigint  NOT NULL,
	key           text COLLATE "C" NOT NULL,
	sha256        bytea   NOT NULL,
	head          text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(key, 600)) STORED,
	part          bigint  NOT NULL,
	url           text    NOT NULL,
	title         text    NOT NULL,
	published     text COLLATE "C" NOT NULL,
	stamp         text    NOT NULL,
	terms         integer NOT NULL,
	indexed_at    bigint  NOT NULL,
	metadata      text    NOT NULL,
	terms_record  bytea   NOT NULL,
	text_record   bytea   NOT NULL,
	terms_version integer NOT NULL, -- of the terms that package text made: an earlier one's are made anew at an opening
	PRIMARY KEY (tenant, index_name, id)
);
ALTER TABLE text_document ALTER COLUMN terms_record SET STORAGE EXTERNAL, ALTER COLUMN text_record SET STORAGE EXTERNAL; -- packed already
CREATE UNIQUE INDEX text_document_by_key ON text_document (tenant, index_name, sha256);
CREATE INDEX text_document_by_head ON text_document (tenant, index_name, head);
CREATE INDEX text_document_by_version ON text_document (terms_version, tenant, index_name, id);

-- Metadata for filters: number and moment (UTC microseconds since 1970) where the value is one.
CREATE TABLE text_metadata (
	tenant     text COLLATE "C" NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	document   bigint NOT NULL,
	key        text COLLATE "C" NOT NULL,
	value      text COLLATE "C" NOT NULL,
	head       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(value, 600)) STORED,
	number     double precision,
	moment     bigint,
	PRIMARY KEY (tenant, index_name, document, key)
);
CREATE INDEX text_metadata_by_head ON text_metadata (tenant, index_name, key, head);
CREATE INDEX text_metadata_by_number ON text_metadata (tenant, index_name, key, number) WHERE number IS NOT NULL;
CREATE INDEX text_metadata_by_moment ON text_metadata (tenant, index_name, key, moment) WHERE moment IS NOT NULL;

-- Documents of a part that were packed together. What follows is of a part, and so of its tenant.
CREATE TABLE text_segment (
	id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	part      bigint NOT NULL,
	documents bigint NOT NULL,
	first     bigint NOT NULL,
	last      bigint NOT NULL
);
CREATE INDEX text_segment_by_part ON text_segment (part, first);

-- A page of a segment: the postings of some terms, of which term is the last. Most pages fit
-- beside their row, where they are read with it.
CREATE TABLE text_posting (
	segment bigint NOT NULL,
	term    bytea  NOT NULL,
	page    bytea  NOT NULL,
	PRIMARY KEY (segment, term)
) WITH (toast_tuple_target = 8160);
ALTER TABLE text_posting ALTER COLUMN page SET STORAGE EXTERNAL;

-- Documents that are in no segment yet.
CREATE TABLE text_loose (
	part     bigint  NOT NULL,
	document bigint  NOT NULL,
	terms    integer NOT NULL,
	PRIMARY KEY (part, document)
);

-- Documents that a segment still has postings of and that are there no more.
CREATE TABLE text_gone (
	part     bigint NOT NULL,
	document bigint NOT NULL,
	PRIMARY KEY (part, document)
);
