package report_test

import (
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/score"
)

// A report is shown, and read back, with as little work whatever was written in it.
func TestQuadraticReportsEnd(t *testing.T) {
	extracttest.Measured(t)
	for name, q := range extracttest.Quadratics() {
		if q.Media != "text/markdown" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			content, used := q.Of(64<<10), score.ProcessorTime()
			html, _ := report.Content(citewell.Report{Content: content}, func(report.Cited) string { return "" })
			report.CloseFence("```\nx\n```\n" + content)
			if worked := score.ProcessorTime() - used; worked > 2*time.Second {
				t.Errorf("it took %v for %d bytes of HTML", worked, len(html))
			}
		})
	}
}
