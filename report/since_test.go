package report_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/report"
)

// What is new of a recording leads to its page, as in a report, and not to the captions that were read.
func TestSinceLeadsToThePage(t *testing.T) {
	now := citewell.Report{Sources: []citewell.Source{{N: 1, Title: "A film", URL: "https://film.example/1", FinalURL: "https://film.example/1.vtt", Basis: citewell.BasisCaptions, Outcome: citewell.FetchOK},
		{N: 2, Title: "A page", URL: "https://page.example/moved", FinalURL: "https://page.example/2", Outcome: citewell.FetchOK}}}
	shown := report.Since(now, nil).Markdown("News", "one round")
	for want, there := range map[string]bool{"https://film.example/1\n": true, ".vtt": false, "https://page.example/2\n": true} {
		if strings.Contains(shown, want) != there {
			t.Errorf("%q: %s", want, shown)
		}
	}
}
