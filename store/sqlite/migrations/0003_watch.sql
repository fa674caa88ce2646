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
