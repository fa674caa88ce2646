-- By how much later or earlier than it was begun a run is taken up, in microseconds: those that
-- may wait come behind what is begun within that time. See store.RunPriority.
ALTER TABLE run ADD COLUMN behind bigint NOT NULL DEFAULT 0;
CREATE INDEX run_turn ON run (tenant, (created_at + behind), n) WHERE wanted AND owner = '';

-- The schema that a program must know at least to work on this one: migrate.go.
ALTER TABLE citewell_schema ADD COLUMN oldest int NOT NULL DEFAULT 0;
