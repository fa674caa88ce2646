package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/weburl"
)

// A progress shows what is going on while a brief is made: on a terminal one line
// that is redrawn, elsewhere a line for each thing that is done.
type progress struct {
	w       io.Writer
	live    bool
	done    []string
	current map[string]bool // what is under way
	drawn   bool
}

func (e *env) newProgress() *progress {
	return &progress{w: e.stderr, live: isTerminal(e.stderr) && !e.plain(), current: map[string]bool{}}
}

// tell takes the events of one brief, one at a time.
func (p *progress) tell(event brief.Event) {
	name := event.Subject
	if host := weburl.Host(name); host != "" && event.Kind != brief.EventProvider {
		name = host
	}
	line := ""
	switch event.Kind {
	case brief.EventReading, brief.EventThinking:
		p.current[name] = true
	case brief.EventProvider:
		line = fmt.Sprintf("searched %s: %s, %d results", name, event.Outcome, event.Count)
	case brief.EventRead:
		delete(p.current, name)
		line = fmt.Sprintf("read %s: %s", event.Subject, event.Outcome)
	case brief.EventThought:
		delete(p.current, name)
		line = fmt.Sprintf("asked %s: %s", name, event.Outcome)
	}
	if line != "" {
		p.done = append(p.done, line)
	}
	switch {
	case p.live:
		p.draw()
	case line != "":
		fmt.Fprintf(p.w, "%s (%s)\n", clean(line), event.Elapsed.Round(time.Millisecond))
	}
}

// draw redraws the live line: what was done last, and what is under way.
func (p *progress) draw() {
	parts := []string{fmt.Sprintf("%d done", len(p.done))}
	if n := len(p.done); n > 0 {
		parts = append(parts, p.done[n-1])
	}
	if n := len(p.current); n > 0 {
		parts = append(parts, fmt.Sprintf("%d under way", n))
	}
	line := clean(strings.Join(parts, " · "))
	if len(line) > 76 {
		line = strings.ToValidUTF8(line[:76], "") + "…"
	}
	fmt.Fprintf(p.w, "\r\x1b[2K%s", line)
	p.drawn = true
}

// end takes the live line away.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[2K")
		p.drawn = false
	}
}

// clean keeps a provider's or a page's words from steering the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}
