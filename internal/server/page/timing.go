package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
)

// A timing is what a log says of when things happened.
type timing struct {
	began                        time.Time
	now                          int64 // of the newest entry, in milliseconds since then
	model, search, read, waiting []span
	thinks                       bool // there is a model

	calls   map[string]begunCall // under way, by id
	free    int64                // since when nothing is under way but the model; -1 where the run stands
	paused  bool                 // the model was asked again in that time
	asked   *span                // a question without an answer
	fetches bool                 // the log tells of pages one by one
}

type begunCall struct {
	entry
	at  int64
	seq int64
}

// readTimes finds what a run did when. A turn of the model begins where what was before it
// ended, and ends with the entry that tells what the model said. A call lasts from its entry to
// that of its result. A page tells how long it took; where none does, calls that name pages do.
func readTimes(events []runstore.RunEvent) timing {
	l := timing{calls: map[string]begunCall{}, free: -1}
	for _, e := range events {
		l.fetches = l.fetches || e.Type == "fetch"
	}
	for i, e := range events {
		if i == 0 {
			l.began = e.Time
		}
		at := max(l.now, e.Time.Sub(l.began).Milliseconds()) // entries stand in their order, whatever the clocks say
		l.take(e, at)
		l.now = at
	}
	if l.asked != nil {
		l.asked.End = l.now
		l.waiting = append(l.waiting, *l.asked)
	}
	for _, spans := range [][]span{l.model, l.search, l.read, l.waiting} {
		slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.Begin, b.Begin) })
	}
	return l
}

func (l *timing) take(e runstore.RunEvent, at int64) {
	var data entry
	_ = json.Unmarshal(e.Data, &data) // what has another form tells when it was, and no more
	switch e.Type {
	case runstore.EventAcquired:
		l.acquired(e, at)
	case runstore.EventState:
		var to runstore.RunChange
		_ = json.Unmarshal(e.Data, &to)
		if l.free = -1; to.State == runstore.RunResearching {
			l.free = at
		}
	case job.EventQuestion:
		l.asked, l.free = &span{Begin: at, Seq: e.Seq, Words: "your answer"}, -1
	case runstore.EventMessage:
		if l.asked != nil {
			l.asked.End = at
			l.waiting, l.asked = append(l.waiting, *l.asked), nil
		}
	case "queued", "paused":
		if l.free >= 0 { // else a search waits
			l.thinks, l.paused = true, true
		}
	case "reasoning":
		l.thinks = true
		l.turn(e.Seq, at, data.Iteration, false)
	case "model_failed":
		l.thinks = true
		l.turn(e.Seq, at, data.Iteration, true)
	case "call":
		l.turn(e.Seq, at, data.Iteration, false)
		l.calls[data.CallID] = begunCall{data, at, e.Seq}
		l.free = -1
	case "result":
		l.ended(data, e.Seq, at)
	case "fetch":
		l.fetched(data, e.Seq, at)
	case "over":
		if l.thinks {
			l.turn(e.Seq, at, data.Iteration, false)
		}
	case job.EventSpent:
		if l.free >= 0 {
			l.free = at
		}
	}
}

// acquired is a wait for an executor, from what came before it.
func (l *timing) acquired(e runstore.RunEvent, at int64) {
	words := "its turn"
	var to runstore.RunAcquired
	if json.Unmarshal(e.Data, &to) == nil && to.TakenOver {
		words = "another process to take it up"
	}
	if at > l.now && l.asked == nil {
		l.waiting = append(l.waiting, span{Begin: l.now, End: at, Seq: e.Seq, Words: words})
	}
	clear(l.calls) // of a process that is gone
	l.free, l.paused = -1, false
}

// turn ends a turn of the model, where the run waited for it.
func (l *timing) turn(seq, at int64, step int, failed bool) {
	if l.free < 0 {
		return
	}
	s := span{Begin: l.free, End: at, Seq: seq, Words: fmt.Sprintf("step %d", step), Failed: failed}
	if failed {
		s.Detail = "the model failed"
	} else if l.paused {
		s.Detail = "it was asked again, or waited for a place at the model"
	}
	l.model = append(l.model, s)
	l.free, l.paused = at, false
}

// ended is the end of a call.
func (l *timing) ended(data entry, seq, at int64) {
	call, known := l.calls[data.CallID]
	delete(l.calls, data.CallID)
	if len(l.calls) == 0 {
		l.free = at
	}
	s := span{Begin: at, End: at, Seq: seq}
	if known {
		s.Begin = call.at
	}
	var asked struct {
		Query string   `json:"query"`
		URLs  []string `json:"urls"`
	}
	_ = json.Unmarshal([]byte(call.Text), &asked) // long arguments are shortened, and then no JSON
	switch {
	case data.Search != nil:
		s.Words, s.Detail, s.Failed = "“"+data.Search.Query+"”", providersSaid(data.Search.Providers), true
		for _, p := range data.Search.Providers {
			s.Begin = max(0, min(s.Begin, at-p.ElapsedMS))
			s.Failed = s.Failed && p.Outcome != citewell.ProviderOK
		}
		l.search = append(l.search, s)
	case data.Name == agent.WebSearchTool:
		s.Words = "“" + asked.Query + "”"
		l.search = append(l.search, s)
	case len(asked.URLs) > 0 && !l.fetches:
		s.Words, s.pages = hostOf(asked.URLs[0]), len(asked.URLs)
		if s.pages > 1 {
			s.Words += fmt.Sprintf(" and %d more", s.pages-1)
		}
		l.read = append(l.read, s)
	}
}

// fetched is a page that was tried.
func (l *timing) fetched(data entry, seq, at int64) {
	f := data.Fetch
	if f == nil {
		return
	}
	s := span{Begin: max(0, at-max(0, f.ElapsedMS)), End: at, Seq: seq,
		Words: hostOf(cmp.Or(f.FinalURL, f.URL, data.Name)), Failed: !f.Outcome.Readable()}
	if s.Failed {
		s.Detail = fetchSaid(f.Outcome)
	} else if s.page = cmp.Or(f.FinalURL, f.URL); f.Bytes > 0 {
		s.Detail = bytesOf(f.Bytes)
	}
	l.read = append(l.read, s)
}
