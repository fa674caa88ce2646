package cli

import (
	"io"
	"testing"

	"github.com/citewell/citewell/brief"
)

// Behind the last page the live line names what goes on, not what is over.
func TestProgressNamesTheStep(t *testing.T) {
	p := &briefProgress{progress: &progress{live: true, console: &console{w: io.Discard}}, current: map[string]bool{}}
	for _, step := range []struct {
		event brief.Event
		want  string
	}{
		{brief.Event{Kind: brief.EventProvider, Subject: "local", Outcome: "ok", Count: 2},
			"1 done · searched local: ok, 2 results"},
		{brief.Event{Kind: brief.EventReading, Subject: "https://a.example/"},
			"1 under way · 1 done · searched local: ok, 2 results"},
		{brief.Event{Kind: brief.EventReading, Subject: "https://b.example/"},
			"2 under way · 1 done · searched local: ok, 2 results"},
		{brief.Event{Kind: brief.EventRead, Subject: "https://a.example/", Outcome: "ok"},
			"1 under way · 2 done · read a.example: ok"},
		{brief.Event{Kind: brief.EventRead, Subject: "https://b.example/", Outcome: "ok"},
			"3 done · ranking and checking what they say"},
	} {
		if p.tell(step.event); p.text != step.want {
			t.Errorf("%q, want %q", p.text, step.want)
		}
	}
}
