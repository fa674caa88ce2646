package transfer

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/citewell/citewell"
)

// A batch is what goes into one transaction of the target.
const (
	batchRows  = 5000
	batchBytes = 8 << 20
)

// A View is all that a store keeps, as it is at one moment.
type View interface {
	// Rows calls do with every row of a kind; do may keep the row. Contents that are damaged come without their body.
	Rows(ctx context.Context, kind Kind, do func(Row) error) error
	// Any says whether there is a row of a kind.
	Any(ctx context.Context, kind Kind) (bool, error)
	// Executed is how many runs are being executed.
	Executed(ctx context.Context) (int, error)
	Close() error
}

// A Mark says of which store another one is a copy; the zero Mark of one that is none.
type Mark struct {
	Source   string // Identity of the store
	Finished bool
}

// A Source is a store that can be copied.
type Source interface {
	// Identity is a random word that a store is given when it is made.
	Identity(ctx context.Context) (string, error)
	View(ctx context.Context) (View, error)
}

// A Target is a store that a copy can be made in.
type Target interface {
	Source
	CopyMark(ctx context.Context) (Mark, error)
	// BeginCopy marks the store as an unfinished copy; it is then opened for Copy alone.
	BeginCopy(ctx context.Context, source string) error
	// Insert adds rows, all or none.
	Insert(ctx context.Context, kind Kind, rows []Row) error
	// Remove removes rows, of which the columns of the key are given.
	Remove(ctx context.Context, kind Kind, keys []Row) error
	// FinishCopy makes what follows from the rows and marks the copy as finished.
	FinishCopy(ctx context.Context) error
}

// A KindReport says what of one kind was copied.
type KindReport struct {
	Kind    string `json:"kind"`
	Rows    int    `json:"rows"`    // that the source has, and the target now
	Written int    `json:"written"` // by this Copy; the others were there from one before
	Removed int    `json:"removed,omitempty"`
	Digest  string `json:"digest"` // of all rows, in any order; the same in source and target
}

// A Report says what was copied and that it is the same.
type Report struct {
	Kinds    []KindReport `json:"kinds"`
	Rows     int          `json:"rows"`
	Written  int          `json:"written"`
	Problems []string     `json:"problems"` // contents that are damaged in the source
	Left     []string     `json:"left"`     // what is not copied
}

// Progress is how far a Copy has come: rows of a kind that were read.
type Progress struct {
	Kind      string
	Rows      int
	Verifying bool
}

const op = "store.copy"

// Copy brings everything that from keeps into to and holds both against each other. It does not bring again what an
// unfinished Copy has brought, unless that has changed since. A finished copy is only held against its source.
//
// A source is read as it is at one moment, whatever others write. It is refused while runs are executed, since both
// stores would go on with them.
//
// Memory: a batch, and for a Copy that goes on, 33 bytes for each row of a kind.
func Copy(ctx context.Context, from Source, to Target, heard func(Progress)) (Report, error) {
	report := Report{Problems: []string{}, Left: LeftBehind}
	source, err := from.Identity(ctx)
	if err != nil {
		return report, err
	}
	mark, err := begin(ctx, source, to)
	if err != nil {
		return report, err
	}
	view, err := from.View(ctx)
	if err != nil {
		return report, err
	}
	defer view.Close()
	if n, err := view.Executed(ctx); err != nil {
		return report, err
	} else if n > 0 && !mark.Finished {
		return report, &citewell.Error{Code: citewell.CodeRunLeased, Op: op,
			Message: fmt.Sprintf("runs of the source are being executed: %d", n),
			Hint: "stop citewell serve and citewell worker on it, or wait until they are done: " +
				"the copy would continue their runs too"}
	}
	for _, k := range Kinds {
		c := copying{kind: k, view: view, to: to, heard: heard, report: &report}
		done, err := c.run(ctx, mark)
		if err != nil {
			return report, err
		}
		report.Kinds = append(report.Kinds, done)
		report.Rows += done.Rows
		report.Written += done.Written
	}
	if err := verify(ctx, to, mark, &report, heard); err != nil || mark.Finished {
		return report, err
	}
	return report, to.FinishCopy(ctx)
}

// begin looks whether the target may take the copy, and marks it.
func begin(ctx context.Context, source string, to Target) (Mark, error) {
	itself, err := to.Identity(ctx)
	if err != nil {
		return Mark{}, err
	}
	if itself == source {
		return Mark{}, invalid("both are one store, or one is a backup of the other",
			"a folder is copied by citewell store backup")
	}
	mark, err := to.CopyMark(ctx)
	switch {
	case err != nil || mark.Source == source:
		return mark, err
	case mark.Source != "" && !mark.Finished:
		return mark, invalid("the target is an unfinished copy of another store",
			"name that one to go on, or choose an empty target")
	}
	held, err := to.View(ctx)
	if err != nil {
		return mark, err
	}
	defer held.Close()
	for _, k := range Kinds {
		if any, err := held.Any(ctx, k); err != nil {
			return mark, err
		} else if any {
			return mark, invalid("the target holds "+k.Name+" already",
				"choose a folder or a database that is empty; nothing was written")
		}
	}
	mark = Mark{Source: source}
	return mark, to.BeginCopy(ctx, source)
}

func invalid(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op, Message: message, Hint: hint}
}

// copying is the work on one kind.
type copying struct {
	kind   Kind
	view   View // of the source
	to     Target
	heard  func(Progress)
	report *Report

	there []held // what the target has, sorted
	batch []Row
	bytes int64
}

// A held row is one that the target has.
type held struct {
	key, row digest
	same     bool // the source has it
}

func (h held) compare(other held) int { return bytes.Compare(h.key[:], other.key[:]) }

// run brings the rows of one kind.
func (c *copying) run(ctx context.Context, mark Mark) (KindReport, error) {
	done := KindReport{Kind: c.kind.Name}
	if !mark.Finished {
		if err := c.clear(ctx, &done); err != nil {
			return done, err
		}
	}
	var sum digest
	err := c.source(ctx, func(row Row, key digest) error {
		whole := c.kind.digestOf(row)
		sum.add(whole)
		if done.Rows++; done.Rows%1000 == 0 {
			c.heard(Progress{Kind: c.kind.Name, Rows: done.Rows})
		}
		if c.kind.Name == Contents && row[c.kind.At("body")].([]byte) == nil {
			c.report.Problems = append(c.report.Problems, fmt.Sprintf("content %s is damaged in the source, or "+
				"missing: the copy names it as the source does and has no bytes of it", row[1]))
		}
		if at := c.placeOf(key); mark.Finished || at >= 0 {
			return nil
		}
		done.Written++
		return c.addRow(ctx, row)
	})
	if err == nil {
		err = c.flush(ctx)
	}
	c.heard(Progress{Kind: c.kind.Name, Rows: done.Rows})
	done.Digest = hex.EncodeToString(sum[:])
	return done, err
}

// source calls do with every row as the target is to have it, and the digest of its key.
func (c *copying) source(ctx context.Context, do func(row Row, key digest) error) error {
	return c.view.Rows(ctx, c.kind, func(row Row) error {
		if c.kind.moved != nil {
			c.kind.moved(row)
		}
		return do(row, c.kind.digestOf(row[:c.kind.Key]))
	})
}

// clear notes which rows the target has, and removes those that the source has otherwise or not at all.
func (c *copying) clear(ctx context.Context, done *KindReport) error {
	target, err := c.to.View(ctx)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := target.Rows(ctx, c.kind, func(row Row) error {
		c.there = append(c.there, held{key: c.kind.digestOf(row[:c.kind.Key]), row: c.kind.digestOf(row)})
		return nil
	}); err != nil || len(c.there) == 0 {
		return err
	}
	slices.SortFunc(c.there, held.compare)
	if err := c.source(ctx, func(row Row, key digest) error {
		if at := c.placeOf(key); at >= 0 {
			c.there[at].same = c.there[at].row == c.kind.digestOf(row)
		}
		return nil
	}); err != nil {
		return err
	}
	var stale []Row
	if err := target.Rows(ctx, c.kind, func(row Row) error {
		if at := c.placeOf(c.kind.digestOf(row[:c.kind.Key])); at >= 0 && !c.there[at].same {
			stale = append(stale, row[:c.kind.Key:c.kind.Key])
		}
		return nil
	}); err != nil {
		return err
	}
	done.Removed = len(stale)
	c.there = slices.DeleteFunc(c.there, func(h held) bool { return !h.same })
	for keys := range slices.Chunk(stale, batchRows) {
		if err := c.to.Remove(ctx, c.kind, keys); err != nil {
			return err
		}
	}
	return nil
}

// placeOf is the place of a row that the target has, or -1.
func (c *copying) placeOf(key digest) int {
	at, found := slices.BinarySearchFunc(c.there, held{key: key}, held.compare)
	if !found {
		return -1
	}
	return at
}

func (c *copying) addRow(ctx context.Context, row Row) error {
	c.batch = append(c.batch, row)
	c.bytes += row.size()
	if len(c.batch) < batchRows && c.bytes < batchBytes {
		return nil
	}
	return c.flush(ctx)
}

func (c *copying) flush(ctx context.Context) error {
	if len(c.batch) == 0 {
		return nil
	}
	err := c.to.Insert(ctx, c.kind, c.batch)
	c.batch, c.bytes = nil, 0
	return err
}

// verify reads everything that the target has and holds it against what the source had.
func verify(ctx context.Context, to Target, mark Mark, report *Report, heard func(Progress)) error {
	view, err := to.View(ctx)
	if err != nil {
		return err
	}
	defer view.Close()
	var errs []error
	for i, k := range Kinds {
		var sum digest
		rows := 0
		if err := view.Rows(ctx, k, func(row Row) error {
			sum.add(k.digestOf(row))
			if rows++; rows%1000 == 0 {
				heard(Progress{Kind: k.Name, Rows: rows, Verifying: true})
			}
			return nil
		}); err != nil {
			return err
		}
		heard(Progress{Kind: k.Name, Rows: rows, Verifying: true})
		if want := report.Kinds[i]; rows != want.Rows || hex.EncodeToString(sum[:]) != want.Digest {
			errs = append(errs, fmt.Errorf("%s: the source has %d rows of digest %s, the target %d of %x", k.Name,
				want.Rows, want.Digest, rows, sum))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	differ := &citewell.Error{Code: citewell.CodeStoreFailed, Op: op,
		Message: "the copy differs from its source: " + errors.Join(errs...).Error(),
		Hint:    "run the same command again; it copies what is missing"}
	if mark.Finished {
		differ.Code = citewell.CodeInvalidArgument
		differ.Message = "the target is a finished copy of the source, and one of them has changed since: " +
			errors.Join(errs...).Error()
		differ.Hint = "a finished copy is a store of its own; to copy again, choose an empty target"
	}
	return differ
}

// Unfinished is the error of opening a store that is a copy which has not come to its end.
func Unfinished() error {
	return &citewell.Error{Code: citewell.CodeStoreFailed, Op: "store.open", Message: "the store is an unfinished copy",
		Hint: "run citewell store copy FROM TO again with the same two stores; it continues where it was"}
}
