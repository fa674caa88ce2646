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
