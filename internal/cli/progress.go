package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
	"github.com/clipperhouse/displaywidth"
)

// A console is standard error: lines of text, and below them, on a terminal, one live line that is redrawn.
type console struct {
	w io.Writer

	mu       sync.Mutex
	line     string // what the live line shows; empty when there is none
	question string // stands on the last line until it is answered; nothing else is drawn there
}

const eraseLine = "\r\x1b[2K"

// Write writes whole lines above the live one, and those that come amid a question below it, which is then put again.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.question != "" {
		io.WriteString(c.w, "\n")
		n, err := c.w.Write(p)
		io.WriteString(c.w, c.question)
		return n, err
	}
	if c.line == "" {
		return c.w.Write(p)
	}
	io.WriteString(c.w, eraseLine)
	n, err := c.w.Write(p)
	io.WriteString(c.w, c.line)
	return n, err
}

// show draws the live line anew; an empty one takes it away.
func (c *console) show(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.question != "" {
		return
	}
	line = displaywidth.TruncateString(clean(line), width(c.w, 80)-1, "…")
	if line == c.line {
		return
	}
	io.WriteString(c.w, eraseLine+line)
	c.line = line
}

// ask takes the live line away and puts a question in its place.
func (c *console) ask(question string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != "" {
		io.WriteString(c.w, eraseLine)
		c.line = ""
	}
	c.question = question
	io.WriteString(c.w, question)
}

// answered ends the question. The line it stands on has ended where somebody typed an answer.
func (c *console) answered(typed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.question = ""
	if !typed {
		io.WriteString(c.w, "\n")
	}
}

// A progress tells a person who waits what is going on: on a terminal in the live
// line, with the time that has passed, elsewhere by a line for each thing done.
type progress struct {
	console *console
	live    bool
	began   time.Time
	stop    chan struct{}
	stopped sync.WaitGroup

	mu    sync.Mutex
	text  string
	drawn time.Time
}

// The live line is drawn anew at least and at most so often.
const (
	slowest = 500 * time.Millisecond
	fastest = 40 * time.Millisecond
)

// newProgress begins to show text. The caller ends it.
func (e *env) newProgress(text string) *progress {
	p := &progress{console: e.stderr, live: isTerminal(e.stderr.w) && !e.plain(), began: time.Now(),
		stop: make(chan struct{})}
	if !p.live {
		return p
	}
	p.set(text)
	p.stopped.Go(func() {
		ticker := time.NewTicker(slowest)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				p.mu.Lock()
				p.draw()
				p.mu.Unlock()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

// set changes what the live line says.
func (p *progress) set(text string) {
	if !p.live {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
	if time.Since(p.drawn) >= fastest {
		p.draw()
	}
}

func (p *progress) draw() {
	p.drawn = time.Now()
	p.console.show(fmt.Sprintf("%s · %.0f s", p.text, time.Since(p.began).Seconds()))
}

// say tells one thing that is done, where there is no live line to show it.
func (p *progress) say(line string) {
	if !p.live {
		fmt.Fprintln(p.console, clean(line))
	}
}

// step says what is being done, live or as a line of its own.
func (p *progress) step(what string) {
	p.set(what)
	p.say(what)
}

// end takes the live line away.
func (p *progress) end() {
	if !p.live {
		return
	}
	close(p.stop)
	p.stopped.Wait()
	p.console.show("")
}

// A briefProgress shows how a brief comes about.
type briefProgress struct {
	*progress
	last    string // what was done last
	done    int
	current map[string]bool // what is under way: URLs and models
}

// tell takes the events of one brief, one at a time.
func (p *briefProgress) tell(event brief.Event) {
	line := event.String()
	if line == "" {
		p.current[event.Subject] = true
	} else {
		delete(p.current, event.Subject)
		p.done++
		p.last = line
		if host := weburl.Host(event.Subject); event.Kind == brief.EventRead && host != "" {
			p.last = fmt.Sprintf("read %s: %s", host, event.Outcome)
		}
		p.say(fmt.Sprintf("%s (%s)", line, event.Elapsed.Round(time.Millisecond)))
	}
	text := "searching"
	if p.done > 0 {
		text = fmt.Sprintf("%d done · %s", p.done, p.last)
	}
	switch n := len(p.current); {
	case n > 0:
		text = fmt.Sprintf("%d under way · %s", n, text)
	case event.Kind == brief.EventRead || event.Kind == brief.EventThought: // the last of them, for now
		text = fmt.Sprintf("%d done · ranking and checking what they say", p.done)
	}
	p.set(text)
}

// verb is the verb of n things.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count is "1 result", "2 results".
func count(n int, noun string) string { return text.Count(n, noun) }
