package job_test

import (
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
)

func TestReadMoment(t *testing.T) {
	east := time.FixedZone("", 2*60*60)
	for value, want := range map[string]string{
		"2026-03-31":                "2026-03-30T22:00:00Z",
		"2026-03-31T12:00:00Z":      "2026-03-31T12:00:00Z",
		"2026-03-31T12:00:00.25Z":   "2026-03-31T12:00:00.25Z",
		"2026-03-31T12:00:00-01:00": "2026-03-31T13:00:00Z",
	} {
		if got, err := job.ReadMoment("since", value, east); err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%s is %v (%v), want %s", value, got.UTC(), err, want)
		}
	}
	for _, value := range []string{"", "2026-02-30", "2026-3-31", "31.03.2026", "2026-03-31T12:00:00",
		"2026-03-31 12:00:00Z", "2026-03-31T25:00:00Z", "yesterday", " 2026-03-31", "2026-03-31\n"} {
		_, err := job.ReadMoment("--since", value, time.UTC)
		if citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.HasPrefix(citewell.View(err).Message, "--since is ") {
			t.Errorf("%q: %v", value, err)
		}
	}
}
