package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
)

// A page changed where it was read as before, and has another text; nothing else tells so.
func TestChangedPages(t *testing.T) {
	source := func(change func(*citewell.Source)) citewell.Report {
		s := citewell.Source{N: 1, URL: "https://a.example/1", FinalURL: "https://a.example/1",
			Outcome: citewell.FetchOK, TextSHA256: "1", Extractor: citewell.Extractor{ID: "html", Version: 1}}
		if change != nil {
			change(&s)
		}
		return citewell.Report{Sources: []citewell.Source{s}}
	}
	paper := &citewell.Work{DOI: "10.5555/tides"}
	read := source(nil)
	gone := source(func(s *citewell.Source) {
		s.TextSHA256, s.FinalURL, s.Outcome, s.Extractor = "snippet", "", citewell.FetchHTTPStatus,
			citewell.Extractor{ID: "provider-snippet", Version: 1}
	})
	other := source(func(s *citewell.Source) { s.TextSHA256 = "2" })
	for name, test := range map[string]struct {
		now     citewell.Report
		before  []citewell.Report
		changed int
	}{
		"another_text":    {other, []citewell.Report{read}, 1},
		"the_same":        {read, []citewell.Report{read}, 0},
		"it_is_gone":      {gone, []citewell.Report{read}, 0},
		"it_was_not_read": {read, []citewell.Report{gone}, 0},
		"another_snippet": {source(func(s *citewell.Source) {
			s.TextSHA256, s.Extractor.ID = "2", "provider-snippet"
		}), []citewell.Report{source(func(s *citewell.Source) { s.Extractor.ID = "provider-snippet" })}, 0},
		"back_with_another": {other, []citewell.Report{gone, read}, 1},
		"back_as_it_was":    {read, []citewell.Report{gone, read}, 0},
		"captions_no_more": {other, []citewell.Report{source(func(s *citewell.Source) {
			s.Basis = citewell.BasisCaptions
		})}, 0},
		"the_paper_now": {source(func(s *citewell.Source) {
			s.Work, s.TextSHA256, s.Basis = paper, "2", citewell.BasisFullText
		}), []citewell.Report{source(func(s *citewell.Source) { s.Work, s.Basis = paper, citewell.BasisAbstract })}, 0},
		"another_copy": {source(func(s *citewell.Source) {
			s.Work, s.TextSHA256, s.FinalURL = paper, "2", "https://b.example/copy"
		}), []citewell.Report{source(func(s *citewell.Source) { s.Work = paper })}, 0},
		"the_paper_changed": {source(func(s *citewell.Source) { s.Work, s.TextSHA256 = paper, "2" }),
			[]citewell.Report{source(func(s *citewell.Source) { s.Work = paper })}, 1},
		"an_archive's_copy": {source(func(s *citewell.Source) { s.TextSHA256, s.Archived.At = "2", time.Unix(1, 0) }),
			[]citewell.Report{read}, 0},
		"read_by_another": {source(func(s *citewell.Source) { s.TextSHA256, s.Extractor.Version = "2", 2 }),
			[]citewell.Report{read}, 0},
		"cut_off_this_time": {source(func(s *citewell.Source) {
			s.TextSHA256, s.Outcome = "2", citewell.FetchTruncated
		}), []citewell.Report{read}, 0},
		"moved_and_not_known": {source(func(s *citewell.Source) { s.TextSHA256, s.URL = "2", "https://a.example/2" }),
			[]citewell.Report{read}, 0},
	} {
		if d := report.Since(test.now, test.before); len(d.Changed) != test.changed {
			t.Errorf("%s: %d changed", name, len(d.Changed))
		}
	}
}

// What is new of a recording leads to its page, as in a report, and not to the captions that were read.
func TestSinceLeadsToThePage(t *testing.T) {
	now := citewell.Report{Sources: []citewell.Source{{N: 1, Title: "A film", URL: "https://film.example/1",
		FinalURL: "https://film.example/1.vtt", Basis: citewell.BasisCaptions, Outcome: citewell.FetchOK},
		{N: 2, Title: "A page", URL: "https://page.example/moved", FinalURL: "https://page.example/2",
			Outcome: citewell.FetchOK}}}
	shown := report.Since(now, nil).Markdown("News", "one round")
	for want, there := range map[string]bool{"https://film.example/1\n": true, ".vtt": false,
		"https://page.example/2\n": true} {
		if strings.Contains(shown, want) != there {
			t.Errorf("%q: %s", want, shown)
		}
	}
}
