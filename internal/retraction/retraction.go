// Package retraction asks registers whether the works that a run cites still stand.
//
// Flow: cited sources → those whose standing nobody has told → a Register, one work after the other → sources whose
// Work has the answer, or says that nobody could be asked.
// Limits: MaxWorks for one run; Time for those of one report, which Within keeps.
// Errors: the end of a run's context, or its journal's error. A register that cannot answer is no error: Work.Unchecked
// says so.
// Concurrency: a Desk belongs to one run.
package retraction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
)

// Bounds of what one run asks.
const (
	MaxWorks = 20
	Time     = 20 * time.Second
	Patience = 5 * time.Second // with one work; where registers hang, the others are not asked about
)

// A Register says what registers of publications have of a work with these identifiers, with the gravest word on its
// standing. A work that none has has no fields but Unchecked.
type Register func(ctx context.Context, w citewell.Work) (citewell.Work, error)

// A Desk remembers what was heard in one run: no work is asked about twice.
type Desk struct {
	Ask Register

	heard map[string]citewell.Work
	began time.Time // the last Settle
	hung  string    // who has not answered since then
}

// Settle writes into cited sources what registers say of them.
func (d *Desk) Settle(ctx context.Context, cited []citewell.Source) error {
	d.began, d.hung = time.Now(), ""
	for i, s := range cited {
		w, open := unsettled(s)
		if !open {
			continue
		}
		heard, err := d.hear(ctx, w)
		if err != nil {
			return err
		}
		cited[i] = settled(s, w, heard)
	}
	return nil
}

func (d *Desk) hear(ctx context.Context, w citewell.Work) (citewell.Work, error) {
	key := Key(w)
	if heard, known := d.heard[key]; known {
		return heard, nil
	}
	if len(d.heard) == MaxWorks {
		return citewell.Work{Unchecked: fmt.Sprintf("of one run %s are looked up", text.Count(MaxWorks, "work"))}, nil
	}
	if d.heard == nil {
		d.heard = map[string]citewell.Work{}
	}
	heard, err := d.Ask(ctx, w)
	if err == nil {
		d.heard[key] = heard
	}
	return heard, err
}

// Within asks within what is left of Time and ctx. A failure is said of the work; only a canceled ctx is an error.
func (d *Desk) Within(ctx context.Context, ask Register, w citewell.Work) (citewell.Work, error) {
	if d.hung != "" {
		return citewell.Work{Unchecked: d.hung}, nil
	}
	whole, cancel := context.WithDeadline(ctx, d.began.Add(Time))
	defer cancel()
	bounded, end := context.WithTimeout(whole, Patience)
	defer end()
	heard, err := citewell.Work{}, bounded.Err()
	if err == nil {
		heard, err = ask(bounded, w)
	}
	if bounded.Err() != nil && whole.Err() == nil && (err != nil || heard.Unchecked != "") {
		d.hung = cmp.Or(heard.Unchecked, "no register answered in time")
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return citewell.Work{}, ctx.Err()
	case err != nil && bounded.Err() != nil:
		return citewell.Work{Unchecked: cmp.Or(d.hung, "no time was left")}, nil
	case err != nil:
		return citewell.Work{Unchecked: citewell.View(err).Message}, nil
	}
	return heard, nil
}

// Key is an identifier of a work, with its scheme.
func Key(w citewell.Work) string {
	for _, id := range Identifiers(w) {
		return id.String()
	}
	return ""
}

// Identifiers are those by which registers know a work, in the order of asking. A DOI of arXiv's is asked for as such.
func Identifiers(w citewell.Work) []citewell.Identifier {
	all := []citewell.Identifier{{Scheme: citewell.SchemeDOI, Value: w.DOI},
		{Scheme: citewell.SchemeArXiv, Value: w.ArXiv}, {Scheme: citewell.SchemePMID, Value: w.PMID}}
	return slices.DeleteFunc(all, func(id citewell.Identifier) bool {
		return id.Value == "" || id.Scheme == citewell.SchemeDOI && identifier.ArXiv(id.Value) != "" && w.ArXiv != ""
	})
}

// unsettled gives the identifiers of a source's work; false if it is no publication, or its standing is known.
func unsettled(s citewell.Source) (w citewell.Work, open bool) {
	if s.Work != nil {
		return *s.Work, s.Work.Retracted == "" && s.Work.Unchecked == "" && Key(*s.Work) != ""
	}
	if !strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "https://") {
		return w, false
	}
	for _, id := range identifier.Identifiers(s.URL) {
		switch {
		case id.Scheme == citewell.SchemeDOI && w.DOI == "":
			w.DOI = id.Value
		case id.Scheme == citewell.SchemeArXiv && w.ArXiv == "":
			w.ArXiv = id.Value
		case id.Scheme == citewell.SchemePMID && w.PMID == "":
			w.PMID = id.Value
		}
	}
	return w, Key(w) != ""
}

// settled is a source with what was heard of its work. A page that no register has as a work stays a page.
func settled(s citewell.Source, asked, heard citewell.Work) citewell.Source {
	before := siteclass.Caveats(s.Class, s.Work, s.Basis)
	w := asked
	switch {
	case s.Work == nil && Key(heard) != "":
		w, w.Abstract = heard, false // the snippet is another's
	case s.Work == nil && heard.Unchecked == "":
		return s
	}
	w.Retracted, w.Unchecked = w.Retracted.Graver(heard.Retracted), heard.Unchecked
	s.Work = &w
	if after := siteclass.Caveats(s.Class, s.Work, s.Basis); before != "" {
		s.Warning = strings.Replace(s.Warning, before, after, 1)
	} else {
		s.Warning = strings.Trim(s.Warning+"; "+after, "; ")
	}
	return s
}
