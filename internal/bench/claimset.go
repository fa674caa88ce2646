package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/dataset"
)

const claimsForm = `JSON Lines, a line for each {id, claim, evidence, title, label}, where label is supported, partly, contradicted or not_enough`

// A labelledClaim is a claim with its label and, once checked, its verdict. It has a pair for each
// alternative evidence.
type labelledClaim struct {
	set         string // the part of its id before the first slash
	kind, field string
	label       string
	place       int // in its file, from 1
	pairs       []claim.Pair
	verdict     citewell.Verdict
}

// A claimRow is a line of a labelled file. Its evidence may be called passage, or be a reference to another data set.
type claimRow struct {
	claim.Pair
	Passage *string `json:"passage"`
	Label   string  `json:"label"`
	Kind    string  `json:"kind"`
	Field   string  `json:"field"`
	reference
}

// readClaims reads a labelled file. texts is the folder of the data sets that it refers to.
func readClaims(path, texts string) ([]*labelledClaim, error) {
	var rows []claimRow
	err := dataset.EachLine(path, func(row claimRow) { rows = append(rows, row) })
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Op: "bench", Message: path + " does not exist",
			Hint: "expected is " + claimsForm, Err: err}
	case err == nil && len(rows) == 0:
		err = errors.New("it has no claim")
	}
	if err != nil {
		return nil, unlabelled(path, err)
	}
	if slices.ContainsFunc(rows, func(r claimRow) bool { return r.refers() }) {
		if err := resolve(rows, texts); err != nil {
			return nil, err
		}
	}
	for i := range rows {
		if err := rows[i].complete(); err != nil {
			return nil, unlabelled(path, fmt.Errorf("row %d %w", i+1, err))
		}
	}
	return joinRows(rows), nil
}

// unlabelled returns the error of a file with malformed lines.
func unlabelled(path string, err error) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "bench",
		Message: path + " is no file of labelled claims: " + citewell.View(err).Message,
		Hint:    "expected is " + claimsForm, Err: err}
}

// complete copies a passage to the evidence and returns an error if the row lacks something.
func (r *claimRow) complete() error {
	if r.Evidence == nil {
		r.Evidence = r.Passage
	}
	switch {
	case strings.TrimSpace(r.Claim) == "":
		return errors.New("has no claim")
	case len(r.Claim) > claim.MaxClaim:
		return fmt.Errorf("has a claim of more than %d bytes", claim.MaxClaim)
	case r.Evidence == nil:
		return errors.New("has no evidence")
	case r.Label == "":
		return errors.New("has no label")
	case !slices.Contains(labels, r.Label):
		return fmt.Errorf("has the label %q", r.Label)
	}
	return nil
}

// name returns the row's id as text. An id may be any JSON value.
func (r *claimRow) name() string {
	var id string
	if json.Unmarshal(r.ID, &id) == nil {
		return id
	}
	return string(r.ID)
}

// joinRows combines the rows of one claim whose ids differ only in a final "/N".
func joinRows(rows []claimRow) []*labelledClaim {
	var all []*labelledClaim
	known := map[string]*labelledClaim{}
	for _, r := range rows {
		id, numbered := withoutNumber(r.name())
		key := id + "\x00" + r.Claim
		c := known[key]
		if c == nil || !numbered {
			c = &labelledClaim{kind: r.Kind, field: r.Field, place: len(all) + 1}
			if set, _, ok := strings.Cut(r.name(), "/"); ok {
				c.set = set
			}
			all = append(all, c)
		}
		if numbered {
			known[key] = c
		}
		c.label = better(labels, c.label, r.Label)
		c.pairs = append(c.pairs, r.Pair)
	}
	return all
}

// withoutNumber cuts a final "/N" off an id.
func withoutNumber(id string) (cut string, numbered bool) {
	at := strings.LastIndexByte(id, '/')
	if at <= 0 || at == len(id)-1 || strings.Trim(id[at+1:], "0123456789") != "" {
		return id, false
	}
	return id[:at], true
}
