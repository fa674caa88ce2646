package brief

import (
	"strings"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

func newQuestion(query string) question {
	query = text.Prefix(query, search.MaxQuestion)
	q := question{readings: new(text.Readings)}
	q.Reading = q.readings.Read(query, "")
	q.terms = contentTerms(q.Reading)
	whole := newAspect(q.Reading)
	for _, part := range parts(q.Reading) {
		a := newAspect(q.read(strings.TrimSpace(part)))
		if len(a.words) == 0 {
			if !a.wantsFigure && !a.wantsDate {
				continue
			}
			// "how old and how tall is the tower": it is asked of what the rest names.
			a.words = whole.words
		}
		q.aspects = append(q.aspects, a)
	}
	complete(q.aspects)
	if q.rivals = rivalsOf(q.Reading); q.rivals != nil {
		q.aspects = rivalAspects(q.rivals, whole)
	}
	if len(q.aspects) == 0 || len(q.aspects) > maxAspects {
		q.aspects = []aspect{whole}
	}
	p, _ := phrasingOf(q.Reading)
	for i, a := range q.aspects {
		q.aspects[i].isAsked = strings.ContainsRune("?？؟", lastRune(query)) || a.wantsFigure || a.wantsDate ||
			p.asks(query) || p.asks(a.text)
		q.aspects[i].terms = q.read(strings.Join(q.aspects[i].words, " ")).Terms()
	}
	if len(q.terms) == 0 {
		q.terms = q.Terms() // nothing but the words of asking
		q.aspects = q.aspects[:1]
		q.aspects[0].words, q.aspects[0].terms = []string{query}, q.terms
	}
	if len(q.terms) == 0 {
		q.aspects = nil
	}
	return q
}
