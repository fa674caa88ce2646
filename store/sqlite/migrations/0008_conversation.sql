-- Whose run it is: a hash of who called, empty where it is nobody's.
ALTER TABLE run ADD COLUMN caller TEXT NOT NULL DEFAULT '';
CREATE INDEX run_by_caller ON run (tenant, caller, id) WHERE caller <> '';

-- Which texts a run published as its answer, by which a conversation finds it again.
CREATE TABLE run_answer (
	tenant TEXT    NOT NULL,
	sha256 TEXT    NOT NULL,
	run    INTEGER NOT NULL,
	PRIMARY KEY (tenant, sha256, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_answer_of_run ON run_answer (run);
