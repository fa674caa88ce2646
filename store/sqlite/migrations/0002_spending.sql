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
