-- By which a store is known, and of which one it is a copy: see store/transfer.
CREATE TABLE store_identity (
	id text NOT NULL
);
INSERT INTO store_identity VALUES (replace(gen_random_uuid()::text, '-', ''));

CREATE TABLE store_copy (
	source   text    NOT NULL,
	finished boolean NOT NULL
);
