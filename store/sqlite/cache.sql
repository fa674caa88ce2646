-- What can be had again. A file with another user_version is thrown away, never
-- migrated.
CREATE TABLE entry (
	tenant     TEXT    NOT NULL,
	key        TEXT    NOT NULL,
	value      BLOB    NOT NULL, -- zstd with a checksum
	size       INTEGER NOT NULL, -- of the row, as stored
	put_at     INTEGER NOT NULL, -- times are UTC microseconds since 1970
	expires_at INTEGER NOT NULL,
	used_at    INTEGER NOT NULL,
	PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX entry_by_use ON entry (used_at, size);
