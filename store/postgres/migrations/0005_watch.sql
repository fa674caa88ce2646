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
