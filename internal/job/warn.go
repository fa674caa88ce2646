package job

import (
	"context"
	"fmt"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/text"
)

// warn tells what speaks against relying on a run. It does not keep the run waiting: what
// has to be asked for is told when it is known. join waits for that, and gives all of it.
func (p *playing) warn(ctx context.Context, q request, tell func(agent.Event)) (join func() []string) {
	var all []string
	say := func(warning string) {
		all = append(all, warning)
		tell(agent.Event{Kind: EventWarning, Text: warning})
	}
	if n := q.pictures(); n > 0 {
		say(fmt.Sprintf("the conversation has %s; what a picture shows is no source, and nothing that is said of it "+
			"is proven", text.Count(n, "picture")))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if p.o.Warnings == nil {
			return
		}
		for _, warning := range p.o.Warnings(ctx, q.Agent) {
			say(warning)
		}
	}()
	return func() []string {
		<-done
		return all
	}
}

// pictures is how many pictures the conversation has.
func (q request) pictures() int {
	n := len(q.Images)
	for _, m := range q.History {
		n += len(m.Images)
	}
	return n
}
