-- By how much later or earlier than it was begun a run is taken up, in microseconds: those that
-- may wait come behind what is begun within that time. See store.RunPriority.
ALTER TABLE run ADD COLUMN behind INTEGER NOT NULL DEFAULT 0;
CREATE INDEX run_turn ON run (tenant, created_at + behind, id) WHERE wanted = 1;
