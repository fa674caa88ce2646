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
	wanted     INTEGER NOT NULL GENERATED ALWAYS AS ( -- an executor has something to do
		state IN ('inited', 'researching') OR state = 'waiting_for_clarification' AND (unread > 0 OR cancel_at > 0)) VIRTUAL,
	UNIQUE (tenant, name)
) STRICT;
CREATE INDEX run_by_state ON run (tenant, state, id);
CREATE INDEX run_by_agent ON run (tenant, agent, id);
CREATE INDEX run_newest ON run (tenant, id);
CREATE INDEX run_wanted ON run (tenant, id) WHERE wanted = 1;
CREATE INDEX run_ended ON run (tenant, ended_at) WHERE ended_at > 0;

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

CREATE TABLE run_source (
	tenant TEXT    NOT NULL,
	run    INTEGER NOT NULL,
	n      INTEGER NOT NULL,
	key    TEXT    NOT NULL,
	record BLOB    NOT NULL,
	PRIMARY KEY (run, n),
	UNIQUE (run, key)
) STRICT, WITHOUT ROWID;

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
