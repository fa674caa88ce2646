-- By which a store is known, and of which one it is a copy: see store/transfer.
CREATE TABLE store_identity (
	id TEXT NOT NULL
) STRICT;
INSERT INTO store_identity VALUES (lower(hex(randomblob(16))));

CREATE TABLE store_copy (
	source   TEXT    NOT NULL,
	finished INTEGER NOT NULL
) STRICT;
