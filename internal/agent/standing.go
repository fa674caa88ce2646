package agent

import (
	"cmp"
	"errors"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/judge"
	"github.com/citewell/citewell/internal/text"
)

// A standing is how far the judge of a run is believed by its last answer. It comes from answers as
// the journal has them, so that a run that is played again tells the same.
type standing struct {
	report citewell.JudgeReport // without a name where it was not asked
	at     time.Time
	key    string
}

// take notes an answer, unless it is older than the one that is known.
func (s *standing) take(key string, a judge.Answer) {
	if a.At.IsZero() || cmp.Or(a.At.Compare(s.at), cmp.Compare(key, s.key)) <= 0 {
		return
	}
	s.report, s.at, s.key = a.Score, a.At, key
	s.report.Believed = s.report.Believed && a.Void == ""
}

// asked notes that the judge was asked, and why opinions are missing.
func (s *standing) asked(name string, unjudged error) {
	s.report.Name, s.report.Detail = name, ""
	s.report.Believed = s.report.Believed || s.at.IsZero()
	switch {
	case errors.Is(unjudged, errWall):
		s.report.Detail = errWall.Error()
	case unjudged != nil && !errors.Is(unjudged, judge.ErrNotBelieved):
		s.report.Detail = text.Shorten(text.OneLine(citewell.View(unjudged).Message), maxUnjudged)
	}
}

// told is what a report says of the judge; nil where it was not asked.
func (s *standing) told() *citewell.JudgeReport {
	if s.report.Name == "" {
		return nil
	}
	return new(s.report)
}

const maxUnjudged = 200 // bytes that say why statements were not judged
