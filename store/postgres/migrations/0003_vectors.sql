-- Embeddings in collections of one dimension, metric and model each.
CREATE TABLE vector_collection (
	tenant    text COLLATE "C" NOT NULL,
	name      text COLLATE "C" NOT NULL,
	id        bigint GENERATED ALWAYS AS IDENTITY,
	dimension integer NOT NULL,
	metric    text COLLATE "C" NOT NULL,
	model     text NOT NULL,
	vectors   bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (tenant, name)
);

-- embedding has the exact values, with a checksum; record is what there is beside it. The column
-- near, of pgvector's type vector, is added where the server has that extension: vectornear.go.
CREATE TABLE vector_item (
	tenant     text COLLATE "C" NOT NULL,
	collection bigint NOT NULL,
	id         bigint GENERATED ALWAYS AS IDENTITY,
	name       text COLLATE "C" NOT NULL,
	embedding  bytea NOT NULL,
	record     bytea NOT NULL,
	PRIMARY KEY (tenant, collection, name)
);
ALTER TABLE vector_item ALTER COLUMN embedding SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX vector_item_by_id ON vector_item (collection, id);

-- Metadata for filters: number and moment (UTC microseconds since 1970) where the value is one.
CREATE TABLE vector_tag (
	collection bigint NOT NULL,
	vector     bigint NOT NULL,
	key        text COLLATE "C" NOT NULL,
	value      text COLLATE "C" NOT NULL,
	head       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(value, 600)) STORED,
	number     double precision,
	moment     bigint,
	PRIMARY KEY (collection, vector, key)
);
CREATE INDEX vector_tag_by_head ON vector_tag (collection, key, head);
CREATE INDEX vector_tag_by_number ON vector_tag (collection, key, number) WHERE number IS NOT NULL;
CREATE INDEX vector_tag_by_moment ON vector_tag (collection, key, moment) WHERE moment IS NOT NULL;
