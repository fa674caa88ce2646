package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
)

// Measures of the picture of a run's time, in units of its drawing.
const (
	timeBegin   = 88 // where the run begins; the names of the lanes end before it
	timeEnd     = 704
	laneTop     = 8
	barHeight   = 20
	barPitch    = 24 // from one bar to the one below it
	leastBar    = 3
	maxTracks   = 6 // bars below each other; more lie on the last
	leastTracks = 2 // the two lines of words beside a lane need so much
	maxTicks    = 5
)

// A timePage shows what a run spent its time with.
type timePage struct {
	head
	Took    string // from the question to the end
	Longest string // the longest single wait, in words
	Lanes   []lane
	Drawn   int // bars
	Left    int // bars that are not drawn, the shortest
	Height  int
	Axis    int // where the ticks stand
	Ticks   []tick
}

// Rem is the height of the picture in the size of the page's letters.
func (p timePage) Rem() string { return rem(p.Height) }

// A lane is one kind of what a run waits for.
type lane struct {
	Name   string
	Spans  []span
	Count  string // how many, in words
	Busy   string // how long at least one of them lasted
	Detail string // cost, and what failed
	Y      int    // its top
	Tracks int
}

// Said is the lane in one line.
func (l lane) Said() string {
	return strings.Join(slices.DeleteFunc([]string{l.Count, l.Busy}, func(s string) bool { return s == "" }), " · ")
}

// Middle is where the words beside the lane stand.
func (l lane) Middle() int { return l.Y + l.Tracks*barPitch/2 }

// A span is one call, page, turn of the model or wait.
type span struct {
	Begin, End int64 // milliseconds since the run began
	Seq        int64 // of the entry that tells of it
	Words      string
	Detail     string // what came of it
	Link       string
	Failed     bool
	Longest    bool
	pages      int    // of a call that read several
	page       string // the address of one that was read
	drawn      bool
	X, Y, W    int
}

// Took is how long it lasted, in words.
func (s span) Took() string { return lasted(s.End - s.Begin) }

// reads says whether it is the page of a source that was read.
func (s span) reads(source citewell.Source) bool {
	return s.page != "" && (source.FinalURL == s.page || source.URL == s.page)
}

// From is when it began, in words.
func (s span) From() string { return lasted(s.Begin) }

// A tick is a time on the axis.
type tick struct {
	X     int
	Words string
}

// timed is GET /runs/{id}/time.
func (s *Site) timed(w http.ResponseWriter, r *http.Request, status job.Status) error {
	events, err := job.AllEvents(r.Context(), s.o.Desk, status.ID)
	if err != nil {
		return err
	}
	var sources []citewell.Source
	if status.State.Ended() {
		result, err := s.o.Desk.Result(r.Context(), status.ID)
		if err != nil {
			return err
		}
		sources = result.Sources
	}
	p := timePage{head: s.head(r, status)}
	p.Title = "Time: " + p.Title
	p.take(events, status.Spent, sources)
	return show(w, http.StatusOK, "time.html", p)
}

// take makes the picture and the table of a log.
func (p *timePage) take(events []runstore.RunEvent, spent agent.Usage, sources []citewell.Source) {
	l := readTimes(events)
	if len(l.model)+len(l.search)+len(l.read)+len(l.waiting) == 0 {
		return
	}
	if spent.InputTokens+spent.OutputTokens == 0 && !l.thinks { // the calls were not a model's
		l.model = nil
	}
	end := l.now
	if !p.Run.EndedAt.IsZero() {
		end = max(end, p.Run.EndedAt.Sub(l.began).Milliseconds())
	}
	p.Took = lasted(end)
	p.Lanes = []lane{
		{Name: "Model", Spans: l.model, Count: text.Count(len(l.model), "turn"), Detail: modelCost(spent)},
		{Name: "Search", Spans: l.search, Count: pluralOf(len(l.search), "search", "searches")},
		{Name: "Read", Spans: l.read, Count: text.Count(pagesOf(l.read), "page")},
		{Name: "Waiting", Spans: l.waiting, Count: text.Count(len(l.waiting), "wait")},
	}
	p.link(events, sources)
	p.Longest = nameLongest(p.Lanes)
	p.Left = chooseBars(p.Lanes)
	y := 0
	for i := range p.Lanes {
		lane := &p.Lanes[i]
		lane.Y = y + laneTop
		lane.place(end)
		y = lane.Y + lane.Tracks*barPitch + laneTop
		if len(lane.Spans) == 0 {
			lane.Count = "none"
			continue
		}
		lane.Busy = lasted(busy(lane.Spans))
		if failed := len(slices.DeleteFunc(slices.Clone(lane.Spans), func(s span) bool {
			return !s.Failed
		})); failed > 0 {
			lane.Detail = strings.TrimPrefix(fmt.Sprintf("%s · %d came to nothing", lane.Detail, failed), " · ")
		}
	}
	p.Axis, p.Height, p.Ticks = y, y+32, ticksOf(end)
}

// pluralOf is text.Count for a noun that takes more than an s.
func pluralOf(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return thousands(n) + " " + more
}

// modelCost is what the model took, as far as that is known.
func modelCost(spent agent.Usage) string {
	var said []string
	if cost := money(spent.USD); cost != "" {
		said = append(said, cost)
	}
	if tokens := spent.InputTokens + spent.OutputTokens; tokens > 0 {
		said = append(said, short(tokens)+" tokens")
	}
	return strings.Join(said, " · ")
}

func pagesOf(spans []span) (n int) {
	for _, s := range spans {
		n += max(1, s.pages)
	}
	return n
}

// link leads each span to the source that was read, or to its row in the log.
func (p *timePage) link(events []runstore.RunEvent, sources []citewell.Source) {
	rows, _ := rowsOf(events)
	for i := range p.Lanes {
		for j := range p.Lanes[i].Spans {
			s := &p.Lanes[i].Spans[j]
			s.Words, s.Detail = shown(text.OneLine(s.Words)), shown(text.OneLine(s.Detail))
			if at := slices.IndexFunc(sources, s.reads); at >= 0 {
				s.Link = fmt.Sprintf("/runs/%s/s/%d", p.ID, sources[at].N)
				continue
			}
			s.Link = "/runs/" + p.ID + "/log"
			if at := slices.IndexFunc(rows, func(r row) bool { return r.Seq >= s.Seq }); at >= 0 {
				s.Link += fmt.Sprintf("#e%d", rows[at].Seq)
			}
		}
	}
}

// nameLongest marks the longest single wait, and says what it was.
func nameLongest(lanes []lane) string {
	var longest *span
	var of string
	for i := range lanes {
		for j := range lanes[i].Spans {
			if s := &lanes[i].Spans[j]; longest == nil || s.End-s.Begin > longest.End-longest.Begin {
				longest, of = s, lanes[i].Name
			}
		}
	}
	if longest == nil || longest.End == longest.Begin {
		return ""
	}
	longest.Longest = true
	words := map[string]string{"Model": "for the model in ", "Search": "for the search ", "Read": "for ",
		"Waiting": "for "}[of] + longest.Words
	return fmt.Sprintf("The longest single wait, %s, took %s.", words, longest.Took())
}

// chooseBars drops the shortest bars where there are more than maxDrawn, and says how many.
func chooseBars(lanes []lane) (left int) {
	var all []*span
	for i := range lanes {
		for j := range lanes[i].Spans {
			all = append(all, &lanes[i].Spans[j])
		}
	}
	slices.SortStableFunc(all, func(a, b *span) int { return cmp.Compare(b.End-b.Begin, a.End-a.Begin) })
	for _, s := range all[:min(len(all), maxDrawn)] {
		s.drawn = true
	}
	return max(0, len(all)-maxDrawn)
}

// Drawn are the spans that are in the picture.
func (l lane) Drawn() []span {
	return slices.DeleteFunc(slices.Clone(l.Spans), func(s span) bool { return !s.drawn })
}

// place puts the bars of a lane of a run that lasted so long, those that overlap below each other.
func (l *lane) place(total int64) {
	var ends []int // where the last bar of each track ends
	l.Tracks = leastTracks
	for i := range l.Spans {
		s := &l.Spans[i]
		if !s.drawn {
			continue
		}
		s.X = min(across(s.Begin, total), timeEnd-leastBar)
		s.W = max(across(s.End, total)-s.X, leastBar)
		track := slices.IndexFunc(ends, func(end int) bool { return end < s.X })
		switch {
		case track >= 0:
		case len(ends) < maxTracks:
			track, ends = len(ends), append(ends, 0)
		default:
			track = maxTracks - 1
		}
		ends[track] = max(ends[track], s.X+s.W)
		s.Y = l.Y + track*barPitch + (barPitch-barHeight)/2
	}
	l.Tracks = max(l.Tracks, len(ends))
}

// across is where a time lies in the picture.
func across(at, total int64) int {
	if total <= 0 {
		return timeBegin
	}
	return timeBegin + int(min(max(at, 0), total)*(timeEnd-timeBegin)/total)
}

// busy is how long at least one of these, which are sorted by their beginnings, lasted.
func busy(spans []span) (ms int64) {
	end := int64(0)
	for _, s := range spans {
		from := max(s.Begin, end)
		if s.End > from {
			ms, end = ms+s.End-from, s.End
		}
	}
	return ms
}

// tickSteps are in milliseconds.
var tickSteps = []int64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000,
	300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000}

// ticksOf are the times on the axis of a run that lasted so long.
func ticksOf(total int64) []tick {
	all := []tick{{timeBegin, "0"}}
	step := tickSteps[len(tickSteps)-1]
	for _, s := range slices.Backward(tickSteps) {
		if total/s <= maxTicks {
			step = s
		}
	}
	for step*maxTicks < total { // longer than people wait
		step *= 2
	}
	for at := step; at <= total; at += step {
		all = append(all, tick{across(at, total), lasted(at)})
	}
	return all
}

// lasted is a time in milliseconds as this page says it: short ones exactly, and nothing of what is nought.
func lasted(ms int64) string {
	switch whole := ms%1000 == 0; {
	case ms < 1000:
		return fmt.Sprintf("%d\u00a0ms", ms)
	case ms < 60_000 && whole:
		return fmt.Sprintf("%d\u00a0s", ms/1000)
	case ms < 3_600_000 && ms%60_000 == 0:
		return fmt.Sprintf("%d\u00a0min", ms/60_000)
	case ms%3_600_000 == 0 && ms > 0:
		return fmt.Sprintf("%d\u00a0h", ms/3_600_000)
	}
	return took(ms)
}
