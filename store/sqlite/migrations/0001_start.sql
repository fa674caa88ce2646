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
-- fetched_at forward. kept_at is when it was last put, however old the page was then.
CREATE TABLE snapshot (
	id                INTEGER PRIMARY KEY,
	tenant            TEXT    NOT NULL,
	final_url         TEXT    NOT NULL,
	fetched_at        INTEGER NOT NULL,
	kept_at           INTEGER NOT NULL,
	page_sha256       TEXT    NOT NULL,
	text_sha256       TEXT    NOT NULL,
	extractor_id      TEXT    NOT NULL,
	extractor_version INTEGER NOT NULL,
	page_record       BLOB    NOT NULL,
	document_record   BLOB    NOT NULL,
	UNIQUE (tenant, final_url, page_sha256, text_sha256, extractor_id, extractor_version)
) STRICT;
CREATE INDEX snapshot_newest ON snapshot (tenant, final_url, fetched_at DESC, id DESC);
CREATE INDEX snapshot_by_age ON snapshot (kept_at);

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

-- The text index by name, with metadata.

-- What one index of a tenant holds in one language: BM25 needs the totals, and a
-- query is stemmed once for each language present. A part is never deleted.
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
	terms_version INTEGER NOT NULL, -- of the terms that package text made: an earlier one's are made anew at the next opening
	UNIQUE (tenant, index_name, key)
) STRICT;
CREATE INDEX text_document_terms_version ON text_document (terms_version);

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

-- What finds and ranks a query: for each term of a part, the documents that have it and how
-- often. Postings are made from the documents' own lists of terms and hold nothing else.

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

-- Runs of the research agent. A *_record is zstd with a checksum over JSON.

-- One row per run: what its events add up to, and who executes it. owner is empty
-- when nobody does. boot and process say where the owner lives, expires_up is when
-- the lease runs out on the clock of that boot, in microseconds: see runowner.go.
CREATE TABLE run (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant     TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	agent      TEXT    NOT NULL,
	state      TEXT    NOT NULL,
	outcome    TEXT    NOT NULL DEFAULT '',
	detail     TEXT    NOT NULL DEFAULT '',
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	ended_at   INTEGER NOT NULL DEFAULT 0,
	seq        INTEGER NOT NULL DEFAULT 0, -- of the newest event
	unread     INTEGER NOT NULL DEFAULT 0, -- messages that no executor has taken
	cancel_at  INTEGER NOT NULL DEFAULT 0,
	token      INTEGER NOT NULL DEFAULT 0,
	owner      TEXT    NOT NULL DEFAULT '',
	boot       TEXT    NOT NULL DEFAULT '',
	process    TEXT    NOT NULL DEFAULT '',
	ttl        INTEGER NOT NULL DEFAULT 0,
	expires_at INTEGER NOT NULL DEFAULT 0,
	expires_up INTEGER NOT NULL DEFAULT 0,
	caller     TEXT    NOT NULL DEFAULT '', -- whose run it is: a hash of who called, empty where it is nobody's
	behind     INTEGER NOT NULL DEFAULT 0, -- microseconds that it is taken up later than by when it was begun: store.RunPriority
	wanted     INTEGER NOT NULL GENERATED ALWAYS AS ( -- an executor has something to do
		state IN ('inited', 'researching') OR state = 'waiting_for_clarification' AND (unread > 0 OR cancel_at > 0)) VIRTUAL,
	UNIQUE (tenant, name)
) STRICT;
CREATE INDEX run_by_state ON run (tenant, state, id);
CREATE INDEX run_by_agent ON run (tenant, agent, id);
CREATE INDEX run_newest ON run (tenant, id);
CREATE INDEX run_turn ON run (tenant, created_at + behind, id) WHERE wanted = 1;
CREATE INDEX run_by_caller ON run (tenant, caller, id) WHERE caller <> '';

-- Apart from run, whose row is written again at each heartbeat.
CREATE TABLE run_request (
	run            INTEGER PRIMARY KEY,
	tenant         TEXT NOT NULL,
	request_record BLOB NOT NULL,
	budget_record  BLOB NOT NULL
) STRICT;

-- The log. id rises over all runs, so that a process finds what others wrote.
CREATE TABLE run_event (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	tenant TEXT    NOT NULL,
	run    INTEGER NOT NULL,
	seq    INTEGER NOT NULL,
	v      INTEGER NOT NULL,
	type   TEXT    NOT NULL,
	time   INTEGER NOT NULL,
	record BLOB    NOT NULL,
	UNIQUE (run, seq)
) STRICT;

-- The journal. An input or result is here, or where its record is NULL, in the file
-- of its content.
CREATE TABLE run_call (
	id            INTEGER PRIMARY KEY,
	tenant        TEXT    NOT NULL,
	run           INTEGER NOT NULL,
	key           TEXT    NOT NULL,
	step          INTEGER NOT NULL,
	try           INTEGER NOT NULL,
	kind          TEXT    NOT NULL,
	name          TEXT    NOT NULL,
	state         TEXT    NOT NULL,
	token         INTEGER NOT NULL,
	attempts      INTEGER NOT NULL,
	begun_at      INTEGER NOT NULL,
	ended_at      INTEGER NOT NULL DEFAULT 0,
	input_sha256  TEXT    NOT NULL,
	input_record  BLOB,
	result_sha256 TEXT    NOT NULL DEFAULT '',
	result_record BLOB,
	cost_record   BLOB,
	error_record  BLOB,
	UNIQUE (run, key)
) STRICT;

-- delivered is the number of the event that says so; 0 until then.
CREATE TABLE run_message (
	tenant    TEXT    NOT NULL,
	run       INTEGER NOT NULL,
	n         INTEGER NOT NULL,
	name      TEXT    NOT NULL,
	delivered INTEGER NOT NULL DEFAULT 0,
	record    BLOB    NOT NULL,
	PRIMARY KEY (run, n),
	UNIQUE (run, name)
) STRICT, WITHOUT ROWID;

-- Which contents a run's journal names. They go with it unless a snapshot or another
-- run has them too.
CREATE TABLE run_blob (
	tenant TEXT    NOT NULL,
	sha256 TEXT    NOT NULL,
	run    INTEGER NOT NULL,
	PRIMARY KEY (tenant, sha256, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_blob_of_run ON run_blob (run);
CREATE INDEX snapshot_by_page ON snapshot (tenant, page_sha256);
CREATE INDEX snapshot_by_text ON snapshot (tenant, text_sha256);

-- Contents that no row of table blob of the tenant names any more. Their files are
-- removed some time later: see rundelete.go.
CREATE TABLE blob_gone (
	tenant  TEXT    NOT NULL,
	sha256  TEXT    NOT NULL,
	size    INTEGER NOT NULL,
	gone_at INTEGER NOT NULL,
	PRIMARY KEY (tenant, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_gone_by_time ON blob_gone (gone_at);

-- Which texts a run published as its answer, by which a conversation finds it again.
CREATE TABLE run_answer (
	tenant TEXT    NOT NULL,
	sha256 TEXT    NOT NULL,
	run    INTEGER NOT NULL,
	PRIMARY KEY (tenant, sha256, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_answer_of_run ON run_answer (run);

-- What each caller of a tenant has spent, by days since 1970 in UTC: see store.Spending.
CREATE TABLE spending (
	tenant   TEXT    NOT NULL,
	caller   TEXT    NOT NULL,
	day      INTEGER NOT NULL,
	tokens   INTEGER NOT NULL,
	usd      REAL    NOT NULL,
	searches INTEGER NOT NULL,
	PRIMARY KEY (tenant, caller, day)
) STRICT, WITHOUT ROWID;

-- The words that a run was begun with, by which it is found: see store.FoldTask and
-- store.TaskHash. Apart from run_request, whose records a search would have to pass over.
-- A run that was created before this table has no row and is not found by its words.
CREATE TABLE run_task (
	tenant TEXT    NOT NULL,
	run    INTEGER NOT NULL,
	sha256 TEXT    NOT NULL,
	folded TEXT    NOT NULL,
	PRIMARY KEY (tenant, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_task_by_sha256 ON run_task (tenant, sha256, run);

-- What a list chooses by without words, so that it passes over 100,000 runs within the
-- index. No query names the index, so that an older program may run beside.
DROP INDEX run_newest;
CREATE INDEX run_newest ON run (tenant, id, created_at, outcome);

-- When each service was called, of all processes that share the store: see store.Pace. Times
-- are microseconds since 1970, days are counted since then in UTC. "next" is when the pace
-- alone would let a call begin that waits for all those before it.
CREATE TABLE pace (
	tenant  TEXT    NOT NULL,
	service TEXT    NOT NULL,
	day     INTEGER NOT NULL,
	calls   INTEGER NOT NULL,
	next    INTEGER NOT NULL,
	rest    INTEGER NOT NULL,
	PRIMARY KEY (tenant, service)
) STRICT, WITHOUT ROWID;

-- Calls that have begun and not ended, and until when each is believed.
CREATE TABLE pace_call (
	tenant  TEXT    NOT NULL,
	service TEXT    NOT NULL,
	id      TEXT    NOT NULL,
	until   INTEGER NOT NULL,
	PRIMARY KEY (tenant, service, id)
) STRICT, WITHOUT ROWID;

-- Questions that are asked again and again. next_at is when the next round is due, in
-- microseconds since 1970; nothing beside the row says that a round is wanted.
CREATE TABLE watch (
	tenant     TEXT    NOT NULL,
	id         TEXT    NOT NULL,
	caller     TEXT    NOT NULL DEFAULT '',
	request    BLOB    NOT NULL, -- JSON
	every      INTEGER NOT NULL, -- milliseconds
	rounds     INTEGER NOT NULL DEFAULT 0, -- that were begun
	created_at INTEGER NOT NULL,
	next_at    INTEGER NOT NULL,
	PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_due ON watch (next_at, tenant);

-- By which a store is known, and of which one it is a copy: see store/transfer.
CREATE TABLE store_identity (
	id TEXT NOT NULL
) STRICT;
INSERT INTO store_identity VALUES (lower(hex(randomblob(16))));

CREATE TABLE store_copy (
	source   TEXT    NOT NULL,
	finished INTEGER NOT NULL
) STRICT;
