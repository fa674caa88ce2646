-- What each tenant keeps. Times are UTC microseconds since 1970, by the server's clock unless
-- they are of what is kept; a *_record is zstd with a checksum over the JSON of the root
-- package's type, byte for byte as SQLite has it. Text that a caller gives is escaped: rows.go.

-- The server's time; now() would be that of the transaction's begin.
CREATE FUNCTION micros() RETURNS bigint LANGUAGE sql VOLATILE
	AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint $$;

-- By which a write that may not be done twice is known to have been committed: tx.go. The
-- first eight bytes of an id are when it was made, so that old ones go by their order.
CREATE TABLE write_mark (
	id bytea PRIMARY KEY
);

-- One row per tenant and content that the tenant may read: whoever may read one learns nothing
-- of what others keep. body is zstd, or NULL where the content is kept elsewhere.
CREATE TABLE blob (
	tenant     text COLLATE "C" NOT NULL,
	sha256     text COLLATE "C" NOT NULL,
	size       bigint NOT NULL,
	created_at bigint NOT NULL,
	body       bytea,
	PRIMARY KEY (tenant, sha256)
);
ALTER TABLE blob ALTER COLUMN body SET STORAGE EXTERNAL; -- packed already

-- One row per page and text of a final URL; fetching the same again moves fetched_at forward.
-- kept_at is when it was last put, however old the page was then. key is a hash of what makes
-- it one, url one of the final URL, which may be longer than an index takes.
CREATE TABLE snapshot (
	tenant          text COLLATE "C" NOT NULL,
	key             bytea  NOT NULL,
	id              bigint GENERATED ALWAYS AS IDENTITY,
	url             bytea  NOT NULL,
	final_url       text COLLATE "C" NOT NULL,
	fetched_at      bigint NOT NULL,
	kept_at         bigint NOT NULL,
	page_sha256     text COLLATE "C" NOT NULL,
	text_sha256     text COLLATE "C" NOT NULL,
	page_record     bytea  NOT NULL,
	document_record bytea  NOT NULL,
	PRIMARY KEY (tenant, key)
);
CREATE INDEX snapshot_newest ON snapshot (tenant, url, fetched_at DESC, id DESC);
CREATE INDEX snapshot_by_page ON snapshot (tenant, page_sha256);
CREATE INDEX snapshot_by_text ON snapshot (tenant, text_sha256);
CREATE INDEX snapshot_by_age ON snapshot (kept_at);

CREATE TABLE source (
	tenant     text COLLATE "C" NOT NULL,
	brief      text COLLATE "C" NOT NULL,
	n          integer NOT NULL,
	record     bytea  NOT NULL,
	created_at bigint NOT NULL,
	PRIMARY KEY (tenant, brief, n)
);

CREATE TABLE passage (
	tenant text COLLATE "C" NOT NULL,
	id     text COLLATE "C" NOT NULL,
	brief  text COLLATE "C" NOT NULL,
	n      integer NOT NULL,
	record bytea NOT NULL,
	PRIMARY KEY (tenant, id)
);
CREATE INDEX passage_of_source ON passage (tenant, brief, n);

CREATE TABLE brief (
	tenant     text COLLATE "C" NOT NULL,
	id         text COLLATE "C" NOT NULL,
	created_at bigint NOT NULL,
	record     bytea  NOT NULL,
	PRIMARY KEY (tenant, id)
);

-- Runs of the research agent: what the events add up to, and who executes it. owner is empty
-- when nobody does. n rises by the order in which runs were created, and stands for the run in
-- the other tables. The row is written again at each event and heartbeat: what indexes name
-- changes seldom, and there is room for new versions beside it.
CREATE TABLE run (
	tenant     text COLLATE "C" NOT NULL,
	id         text COLLATE "C" NOT NULL,
	n          bigint GENERATED ALWAYS AS IDENTITY,
	agent      text COLLATE "C" NOT NULL,
	caller     text COLLATE "C" NOT NULL, -- whose run it is: a hash of who called, empty where it is nobody's
	state      text COLLATE "C" NOT NULL,
	outcome    text COLLATE "C" NOT NULL DEFAULT '',
	detail     text   NOT NULL DEFAULT '',
	created_at bigint NOT NULL,
	updated_at bigint NOT NULL,
	ended_at   bigint NOT NULL DEFAULT 0,
	seq        bigint NOT NULL DEFAULT 0, -- of the newest event
	unread     integer NOT NULL DEFAULT 0, -- messages that no executor has taken
	cancel_at  bigint NOT NULL DEFAULT 0,
	token      bigint NOT NULL DEFAULT 0,
	owner      text   NOT NULL DEFAULT '',
	ttl        bigint NOT NULL DEFAULT 0,
	expires_at bigint NOT NULL DEFAULT 0,
	behind     bigint NOT NULL DEFAULT 0, -- microseconds that it is taken up later than by when it was begun: store.RunPriority
	wanted     boolean NOT NULL GENERATED ALWAYS AS ( -- an executor has something to do
		state IN ('inited', 'researching') OR state = 'waiting_for_clarification' AND (unread > 0 OR cancel_at > 0)) STORED,
	PRIMARY KEY (tenant, id)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX run_by_n ON run (n);
CREATE INDEX run_newest ON run (tenant, n);
CREATE INDEX run_by_state ON run (tenant, state, n);
CREATE INDEX run_by_agent ON run (tenant, agent, n);
CREATE INDEX run_by_caller ON run (tenant, caller, n) WHERE caller <> '';
CREATE INDEX run_turn ON run (tenant, (created_at + behind), n) WHERE wanted AND owner = '';
CREATE INDEX run_executed ON run (tenant, n) WHERE wanted AND owner <> '';

-- Apart from run, whose row is written again and again.
CREATE TABLE run_request (
	tenant         text COLLATE "C" NOT NULL,
	run            bigint NOT NULL,
	request_record bytea NOT NULL,
	budget_record  bytea NOT NULL,
	PRIMARY KEY (tenant, run)
);

-- The words that a run was begun with, by which it is found: see store.FoldTask and
-- store.TaskHash.
CREATE TABLE run_task (
	tenant text COLLATE "C" NOT NULL,
	run    bigint NOT NULL,
	sha256 text COLLATE "C" NOT NULL,
	folded text NOT NULL,
	PRIMARY KEY (tenant, run)
);
CREATE INDEX run_task_by_sha256 ON run_task (tenant, sha256, run);

-- The log. seq comes from the run's row, in the same transaction: the order of numbers is the
-- order of commits.
CREATE TABLE run_event (
	tenant text COLLATE "C" NOT NULL,
	run    bigint  NOT NULL,
	seq    bigint  NOT NULL,
	v      integer NOT NULL,
	type   text COLLATE "C" NOT NULL,
	time   bigint  NOT NULL,
	record bytea   NOT NULL,
	PRIMARY KEY (tenant, run, seq)
);

-- The journal. An input or result is here, or where its record is NULL, a content. n is the
-- order in which calls were begun.
CREATE TABLE run_call (
	tenant        text COLLATE "C" NOT NULL,
	run           bigint  NOT NULL,
	key           text COLLATE "C" NOT NULL,
	n             bigint GENERATED ALWAYS AS IDENTITY,
	step          integer NOT NULL,
	try           integer NOT NULL,
	kind          text COLLATE "C" NOT NULL,
	name          text    NOT NULL,
	state         text COLLATE "C" NOT NULL,
	token         bigint  NOT NULL,
	attempts      integer NOT NULL,
	begun_at      bigint  NOT NULL,
	ended_at      bigint  NOT NULL DEFAULT 0,
	input_sha256  text COLLATE "C" NOT NULL,
	input_record  bytea,
	result_sha256 text COLLATE "C" NOT NULL DEFAULT '',
	result_record bytea,
	cost_record   bytea,
	error_record  bytea,
	PRIMARY KEY (tenant, run, key)
);
ALTER TABLE run_call ALTER COLUMN input_record SET STORAGE EXTERNAL, ALTER COLUMN result_record SET STORAGE EXTERNAL;

-- delivered is the number of the event that says so; 0 until then.
CREATE TABLE run_message (
	tenant    text COLLATE "C" NOT NULL,
	run       bigint NOT NULL,
	name      text COLLATE "C" NOT NULL,
	n         bigint GENERATED ALWAYS AS IDENTITY,
	delivered bigint NOT NULL DEFAULT 0,
	record    bytea  NOT NULL,
	PRIMARY KEY (tenant, run, name)
);

-- Which contents a run's journal names. They go with it unless a snapshot or another run has
-- them too.
CREATE TABLE run_blob (
	tenant text COLLATE "C" NOT NULL,
	sha256 text COLLATE "C" NOT NULL,
	run    bigint NOT NULL,
	PRIMARY KEY (tenant, sha256, run)
);
CREATE INDEX run_blob_of_run ON run_blob (tenant, run);

-- Which texts a run published as its answer, by which a conversation finds it again.
CREATE TABLE run_answer (
	tenant text COLLATE "C" NOT NULL,
	sha256 text COLLATE "C" NOT NULL,
	run    bigint NOT NULL,
	PRIMARY KEY (tenant, sha256, run)
);
CREATE INDEX run_answer_of_run ON run_answer (tenant, run);

-- What each caller of a tenant has spent, by days since 1970 in UTC: see store.Spending.
CREATE TABLE spending (
	tenant   text COLLATE "C" NOT NULL,
	caller   text COLLATE "C" NOT NULL,
	day      bigint NOT NULL,
	tokens   bigint NOT NULL,
	usd      double precision NOT NULL,
	searches bigint NOT NULL,
	PRIMARY KEY (tenant, caller, day)
);

-- The graph. An edge may name a node that nobody has described yet. Its three names together
-- may be longer than an index takes: key is their hash.
CREATE TABLE graph_node (
	tenant     text COLLATE "C" NOT NULL,
	id         text COLLATE "C" NOT NULL,
	record     bytea  NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (tenant, id)
);

CREATE TABLE graph_label (
	tenant text COLLATE "C" NOT NULL,
	label  text COLLATE "C" NOT NULL,
	node   text COLLATE "C" NOT NULL,
	PRIMARY KEY (tenant, label, node)
);

CREATE TABLE graph_edge (
	tenant     text COLLATE "C" NOT NULL,
	key        bytea NOT NULL,
	src        text COLLATE "C" NOT NULL,
	rel        text COLLATE "C" NOT NULL,
	dst        text COLLATE "C" NOT NULL,
	weight     double precision NOT NULL,
	record     bytea  NOT NULL,
	updated_at bigint NOT NULL,
	PRIMARY KEY (tenant, key)
);
CREATE INDEX graph_edge_outbound ON graph_edge (tenant, src, rel);
CREATE INDEX graph_edge_inbound ON graph_edge (tenant, dst, rel);

-- What can be had again. UNLOGGED: a crash of the server empties it, and no replica has it.
-- key is a hash of the caller's.
CREATE UNLOGGED TABLE cache_entry (
	tenant     text COLLATE "C" NOT NULL,
	key        bytea  NOT NULL,
	value      bytea  NOT NULL, -- zstd with a checksum
	size       bigint NOT NULL, -- of the row, as stored
	put_at     bigint NOT NULL,
	expires_at bigint NOT NULL,
	used_at    bigint NOT NULL,
	PRIMARY KEY (tenant, key)
);
ALTER TABLE cache_entry ALTER COLUMN value SET STORAGE EXTERNAL;
CREATE INDEX cache_entry_by_use ON cache_entry (used_at, size);

-- When each service was called, of all processes that share the store: see store.Pace.
CREATE TABLE pace (
	tenant  text COLLATE "C" NOT NULL,
	service text COLLATE "C" NOT NULL,
	day     bigint NOT NULL DEFAULT 0,
	calls   bigint NOT NULL DEFAULT 0,
	next    bigint NOT NULL DEFAULT 0,
	rest    bigint NOT NULL DEFAULT 0,
	PRIMARY KEY (tenant, service)
) WITH (fillfactor = 70);

-- Calls that have begun and not ended, and until when each is believed.
CREATE TABLE pace_call (
	tenant  text COLLATE "C" NOT NULL,
	service text COLLATE "C" NOT NULL,
	id      text COLLATE "C" NOT NULL,
	until   bigint NOT NULL,
	PRIMARY KEY (tenant, service, id)
);

-- Questions that are asked again and again. next_at is when the next round is due, in
-- microseconds since 1970 by the server's clock; nothing beside the row says that a round is wanted.
CREATE TABLE watch (
	tenant     text COLLATE "C" NOT NULL,
	id         text COLLATE "C" NOT NULL,
	caller     text COLLATE "C" NOT NULL DEFAULT '',
	request    bytea  NOT NULL, -- JSON
	every      bigint NOT NULL, -- milliseconds
	rounds     bigint NOT NULL DEFAULT 0, -- that were begun
	created_at bigint NOT NULL,
	next_at    bigint NOT NULL,
	PRIMARY KEY (tenant, id)
);

CREATE INDEX watch_due ON watch (next_at, tenant);

-- By which a store is known, and of which one it is a copy: see store/transfer.
CREATE TABLE store_identity (
	id text NOT NULL
);
INSERT INTO store_identity VALUES (replace(gen_random_uuid()::text, '-', ''));

CREATE TABLE store_copy (
	source   text    NOT NULL,
	finished boolean NOT NULL
);
