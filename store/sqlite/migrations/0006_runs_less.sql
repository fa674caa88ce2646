-- What no caller ever used: the numbers of a run's sources follow from its journal, and
-- runs are deleted by their id. No release has had these. A program of schema 5 that
-- still runs cannot delete runs until it is started anew.
DROP TABLE run_source;
DROP INDEX run_ended;
