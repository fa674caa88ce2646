package sqlstore

import (
	"context"
	"strconv"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/codec"
)

// ListRuns implements runstore.Runs. The cursor is the row of the last run given.
func (s *Store) ListRuns(ctx context.Context, q runstore.RunQuery) (runs []runstore.Run, next string, err error) {
	const op = "store.list_runs"
	if err := q.Check(op); err != nil {
		return nil, "", err
	}
	err = s.b.Read(ctx, op, func(from Conn) error {
		c, err := s.chosenRuns(ctx, from, op, q)
		if err != nil {
			return err
		}
		runs, next = []runstore.Run{}, ""
		var last int64
		return Each(ctx, from, `SELECT r.{n}, `+runColumns+c.from+` JOIN run_request AS q ON q.tenant = r.tenant
			AND q.run = r.{n} `+c.where+
			` ORDER BY `+c.number+` DESC LIMIT `+strconv.Itoa(q.Limit+1), func(scan func(...any) error) error {
			if len(runs) == q.Limit {
				next = strconv.FormatInt(last, 10)
				return nil
			}
			run, err := scanRun(op, scan, &last)
			runs = append(runs, run)
			return err
		}, c.args...)
	})
	if err != nil {
		return nil, "", err
	}
	return runs, next, nil
}

// A runChoice is a query for runs: tables, with run as r, the column of the run's number in the first, and conditions.
type runChoice struct {
	from, number, where string
	args                Arguments
}

// and adds a condition, in which ? stands for each of args.
func (c *runChoice) and(condition string, args ...any) {
	c.where += ` AND ` + c.args.Fill(condition, args...)
}

// chosenRuns is the query for what q chooses. It looks for words and tasks in run_task, and then for these rows in run.
func (s *Store) chosenRuns(ctx context.Context, from Conn, op string, q runstore.RunQuery) (runChoice, error) {
	words := runstore.TaskWords(q.Words)
	c := runChoice{`FROM run AS r`, `r.{n}`, `WHERE r.tenant = $1`, Arguments{s.tenant}}
	if len(words) > 0 || q.SameTask != "" {
		c = runChoice{`FROM run_task AS t {then join} run AS r ON r.{n} = t.run`, `t.run`, `WHERE t.tenant = $1`,
			Arguments{s.tenant}}
	}
	if q.Cursor != "" {
		before, err := strconv.ParseInt(q.Cursor, 10, 64)
		if err != nil || before < 1 {
			return c, fault.Invalid(op, "cursor is none that a list gave")
		}
		c.and(c.number+` < ?`, before)
	}
	if q.SameTask != "" {
		run, err := s.number(ctx, from, op, q.SameTask, ``)
		if err != nil {
			return c, err
		}
		c.and(`t.sha256 = (SELECT sha256 FROM run_task WHERE tenant = ? AND run = ?)`, s.tenant, run)
	}
	for _, word := range words {
		c.and(`{strpos}(t.folded, ?) > 0`, word)
	}
	if q.Caller != "" {
		c.and(`r.caller = ?`, q.Caller)
	}
	if q.Answer != "" {
		c.and(`r.{n} IN (SELECT run FROM run_answer WHERE tenant = ? AND sha256 = ?)`, s.tenant, q.Answer)
	}
	if !q.Since.IsZero() {
		c.and(`r.created_at >= ?`, codec.CeilMicro(q.Since))
	}
	if !q.Until.IsZero() {
		c.and(`r.created_at < ?`, codec.CeilMicro(q.Until))
	}
	andOneOf(s.db, &c, "r.state", q.States)
	andOneOf(s.db, &c, "r.outcome", q.Outcomes)
	andOneOf(s.db, &c, "r.agent", q.Agents)
	return c, nil
}

// andOneOf adds that a column has one of values, where there are any.
func andOneOf[S ~string](db *DB, c *runChoice, column string, values []S) {
	if len(values) > 0 {
		c.where += ` AND ` + oneOf(db, &c.args, column, values)
	}
}
