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
