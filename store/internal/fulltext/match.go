package fulltext

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/fault"
)

// verifiedAtOnce is how many documents are read at once to see whether words stand beside each other in them.
const verifiedAtOnce = 64

// each calls do with every atom of an expression.
func (x *expression) each(do func(*atom)) {
	if x == nil {
		return
	}
	if x.atom != nil {
		do(x.atom)
	}
	for _, below := range [][]*expression{x.must, x.any, x.not} {
		for _, one := range below {
			one.each(do)
		}
	}
}

// matched returns the documents of the part that the query finds and that are kept.
func (s *partScan) matched(ctx context.Context, r Reader, keep func(id int64) bool) (IDs, error) {
	return s.matching(ctx, r, s.match, func(id int64) bool { return !s.gone.Has(id) && keep(id) })
}

// matching returns the documents that an expression finds, of those that keep allows.
func (s *partScan) matching(ctx context.Context, r Reader, x *expression, keep func(id int64) bool) (IDs, error) {
	if x.atom != nil {
		return s.findAtom(ctx, r, x.atom, keep)
	}
	var found IDs
	if len(x.must) > 0 {
		for i, one := range x.must {
			ids, err := s.matching(ctx, r, one, keep)
			if err != nil {
				return IDs{}, err
			}
			if i == 0 {
				found = ids
			} else {
				found = found.kept(ids.Has)
			}
			keep = found.Has // the next is looked for in these alone
		}
	} else {
		var all []int64
		for _, one := range x.any {
			ids, err := s.matching(ctx, r, one, keep)
			if err != nil {
				return IDs{}, err
			}
			all = append(all, ids.list()...)
		}
		found = NewIDs(all)
	}
	for _, one := range x.not {
		ids, err := s.matching(ctx, r, one, found.Has)
		if err != nil {
			return IDs{}, err
		}
		found = found.kept(func(id int64) bool { return !ids.Has(id) })
	}
	return found, nil
}

// findAtom returns the documents in which the terms of an atom stand beside each other.
func (s *partScan) findAtom(ctx context.Context, r Reader, a *atom, keep func(id int64) bool) (IDs, error) {
	var found IDs
	for i, w := range a.terms {
		ids, err := s.having(w, a.column, keep)
		if err != nil {
			return IDs{}, damaged(opSearch, err)
		}
		if found = ids; i < len(a.terms)-1 {
			keep = found.Has
		}
	}
	if len(a.terms) == 1 {
		return found, nil
	}
	together := func(doc Original) (bool, error) { return s.together(doc, a) }
	return verified(ctx, r, found, together)
}

// having returns the documents that have a term in a column.
func (s *partScan) having(w wantedTerm, column column, keep func(id int64) bool) (IDs, error) {
	term := s.place(w)
	var ids []int64
	add := func(id int64, title, body int) {
		switch {
		case column == inTitle && title == 0, column == inBody && body == 0, !keep(id):
		default:
			ids = append(ids, id)
		}
	}
	for _, segment := range s.segments {
		for _, one := range segment.lists[term] {
			err := eachOf(one.list, len(segment.texts), func(p posting) {
				add(segment.texts[p.place].ID, p.title, p.body)
			})
			if err != nil {
				return IDs{}, err
			}
		}
	}
	for _, text := range s.loose {
		if o := text.found[term]; o.term != "" {
			add(text.ID, o.title, o.body)
		}
	}
	return NewIDs(ids), nil
}

// verified returns those of ids whose originals pass.
func verified(ctx context.Context, r Reader, ids IDs, pass func(Original) (bool, error)) (IDs, error) {
	var good []int64
	for batch := range slices.Chunk(ids.list(), verifiedAtOnce) {
		err := r.Originals(ctx, batch, func(doc Original) error {
			passes, err := pass(doc)
			if passes {
				good = append(good, doc.ID)
			}
			return err
		})
		if err != nil {
			return IDs{}, err
		}
	}
	return NewIDs(good), nil
}

// together says whether the terms of an atom stand beside each other in a document.
func (s *partScan) together(doc Original, a *atom) (bool, error) {
	switch a.column {
	case inTitle:
		return s.inOrder(doc.Title, "", a.terms), nil
	case inField:
		return s.inFields(doc, a)
	case inText:
		if s.inOrder(doc.Title, "", a.terms) {
			return true, nil
		}
	}
	body, err := Unseal(opSearch, doc.Text)
	return err == nil && s.inOrder(string(body), "", a.terms), err
}

// inFields says whether the terms of an atom stand beside each other in its field.
func (s *partScan) inFields(doc Original, a *atom) (bool, error) {
	metadata, err := ReadMetadata(opSearch, doc.Metadata)
	if err != nil {
		return false, err
	}
	found, mark := false, fieldMark(a.field)
	eachField(doc.Key, doc.URL, metadata, func(key, value string) {
		found = found || fieldMark(key) == mark && s.inOrder(value, mark, a.terms)
	})
	return found, nil
}

// inOrder says whether the terms stand beside each other in a value, whose own are marked so.
func (s *partScan) inOrder(value, mark string, terms []wantedTerm) bool {
	p := takePreparer()
	defer p.release()
	var last []string // the terms read last, as many as are looked for
	found := false
	p.words.EachTerm(value, readIn(s.Language), func(term string, _, _ int) {
		if found {
			return
		}
		if len(last) == len(terms) {
			last = append(last[:0], last[1:]...)
		}
		if last = append(last, mark+cleanTerm(term)); len(last) < len(terms) {
			return
		}
		found = true
		for i, w := range terms {
			if last[i] != w.term && !(w.prefix && strings.HasPrefix(last[i], w.term)) {
				found = false
				return
			}
		}
	})
	return found
}

// ReadMetadata reads the metadata of a document as its row has it.
func ReadMetadata(op, encoded string) (metadata map[string]string, err error) {
	if encoded == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(encoded), &metadata); err != nil {
		return nil, fault.Damaged(op, "the metadata of a document is damaged", err)
	}
	return metadata, nil
}
