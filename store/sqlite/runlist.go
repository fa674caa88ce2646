package sqlite

import (
	"context"
	"strconv"

	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/citewell/citewell/store/internal/fault"
)

// ListRuns implements store.Runs. The cursor is the row of the last run given.
func (s *Store) ListRuns(ctx context.Context, q store.RunQuery) (runs []store.Run, next string, err error) {
	const op = "store.list_runs"
	if err := q.Check(op); err != nil {
		return nil, "", err
	}
	c, err := s.chosenRuns(ctx, op, q)
	if err != nil {
		return nil, "", err
	}
	runs = []store.Run{}
	var last int64
	err = each(ctx, s.db.reads, `SELECT r.id, `+runColumns+c.from+` JOIN run_request AS q ON q.run = r.id `+c.where+` ORDER BY `+c.id+` DESC LIMIT ?`, func(scan func(...any) error) error {
		if len(runs) == q.Limit {
			next = strconv.FormatInt(last, 10)
			return nil
		}
		run, err := scanRun(op, scan, &last)
		runs = append(runs, run)
		return err
	}, append(c.args, q.Limit+1)...)
	if err != nil {
		return nil, "", storeError(op, err)
	}
	return runs, next, nil
}

// A runChoice is a query for runs: the tables, which have table run as r, the column of
// the run's id by which the first of them is read, and the conditions.
type runChoice struct {
	from, id, where string
	args            []any
}

// and adds a condition.
func (c *runChoice) and(condition string, args ...any) {
	c.where, c.args = c.where+` AND `+condition, append(c.args, args...)
}

// chosenRuns is the query for what q chooses. Words and tasks are looked for in run_task
// from its newest row on, and only the rows that have them are looked up in run: CROSS
// JOIN is SQLite's word for tables that are read in the order in which they are named.
func (s *Store) chosenRuns(ctx context.Context, op string, q store.RunQuery) (runChoice, error) {
	words := store.TaskWords(q.Words)
	c := runChoice{`FROM run AS r`, `r.id`, `WHERE r.tenant = ?`, []any{s.tenant}}
	if len(words) > 0 || q.SameTask != "" {
		c = runChoice{`FROM run_task AS t CROSS JOIN run AS r ON r.id = t.run`, `t.run`, `WHERE t.tenant = ?`, []any{s.tenant}}
	}
	if q.Cursor != "" {
		before, err := strconv.ParseInt(q.Cursor, 10, 64)
		if err != nil || before < 1 {
			return c, fault.Invalid(op, "cursor is none that a list gave")
		}
		c.and(c.id+` < ?`, before)
	}
	if q.SameTask != "" {
		run, err := s.runID(ctx, s.db.reads, op, q.SameTask)
		if err != nil {
			return c, err
		}
		c.and(`t.sha256 = (SELECT sha256 FROM run_task WHERE tenant = ? AND run = ?)`, s.tenant, run)
	}
	for _, word := range words {
		c.and(`instr(t.folded, ?) > 0`, word)
	}
	if q.Caller != "" {
		c.and(`r.caller = ?`, q.Caller)
	}
	if q.Answer != "" {
		c.and(`r.id IN (SELECT run FROM run_answer WHERE tenant = ? AND sha256 = ?)`, s.tenant, q.Answer)
	}
	if !q.Since.IsZero() {
		c.and(`r.created_at >= ?`, codec.CeilMicro(q.Since))
	}
	if !q.Until.IsZero() {
		c.and(`r.created_at < ?`, codec.CeilMicro(q.Until))
	}
	addOneOf(&c, "r.state", q.States)
	addOneOf(&c, "r.outcome", q.Outcomes)
	addOneOf(&c, "r.agent", q.Agents)
	return c, nil
}

func addOneOf[T any](c *runChoice, column string, values []T) {
	condition, args := oneOf(column, values)
	c.where, c.args = c.where+condition, append(c.args, args...)
}
