package claim

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/citewell/citewell"
)

// MaxLine is the longest line of a batch, in bytes. A longer one is an error in its place.
const MaxLine = 8 << 20

// A Pair is a claim and the evidence that it is held against.
type Pair struct {
	ID       json.RawMessage `json:"id"` // any JSON value, given back as it is
	Claim    string          `json:"claim"`
	Evidence *string         `json:"evidence"`
	Title    string          `json:"title"` // of what the evidence is from
}

// A Judged is what became of one line of a batch: a verdict, or an error.
type Judged struct {
	ID      json.RawMessage     `json:"id,omitempty"`
	Verdict citewell.Verdict    `json:"verdict,omitempty"`
	Reason  string              `json:"reason,omitempty"`
	By      string              `json:"by,omitempty"`
	Quote   string              `json:"quote,omitempty"`
	Start   *int                `json:"start,omitempty"` // bytes of the evidence; nil without a quote
	End     *int                `json:"end,omitempty"`
	Note    string              `json:"note,omitempty"` // why the judge did not decide what words leave undecided
	Line    int                 `json:"line,omitempty"` // from 1; of an error
	Error   *citewell.ErrorView `json:"error,omitempty"`
}

// A line is one line of a batch as it was read, with its number from 1.
type line struct {
	number int
	text   []byte
	err    error
	held   chan answered // takes one
}

// An answered line has its answer by words, or its error.
type answered struct {
	id     json.RawMessage
	answer Answer
	bytes  int // of the line
	failed *Judged
}

func (a answered) open() bool { return a.failed == nil && a.answer.held.Inquiry != nil }

// Bounds of a group of lines that a judge is asked about at once: it is closed by the first.
const (
	groupOpen  = 240                    // lines that words leave undecided: four calls of a judge
	groupLines = 16 * groupOpen         // that wait for their turn to be told
	groupBytes = 4 * MaxLine            // of these lines
	groupIdle  = 200 * time.Millisecond // without a further line
)

// Batch judges the pairs of JSON Lines and tells each in the order of the lines, blank
// ones left out. A line that is no pair is told with its error. What words leave undecided is put to
// the judge, group by group; a nil ask asks nobody. Not more lines are held at once than are judged
// at once and as many that wait, beside one group. Batch returns how many were told,
// once all are; after an error of reading, of tell or of ctx, those told so far.
func Batch(ctx context.Context, in io.Reader, ask Ask, tell func(Judged) error) (told int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ordered, failed := answerLines(ctx, in)
	g := group{ask: ask, tell: tell}
	for {
		var idle <-chan time.Time
		if len(g.lines) > 0 {
			idle = time.After(groupIdle)
		}
		select {
		case l, more := <-ordered:
			if !more {
				err := g.close(ctx)
				return g.told, cmp.Or(err, <-failed)
			}
			select {
			case a := <-l.held:
				if err := g.addAnswer(ctx, a); err != nil {
					return g.told, err
				}
			case <-ctx.Done():
				return g.told, ctx.Err()
			}
		case <-idle:
			if err := g.close(ctx); err != nil {
				return g.told, err
			}
		case <-ctx.Done():
			return g.told, ctx.Err()
		}
	}
}

// answerLines reads the lines of in and has every processor answer them by words. The lines come in
// their order; after the last one the error of reading comes, which may be nil.
func answerLines(ctx context.Context, in io.Reader) (<-chan line, <-chan error) {
	atOnce := runtime.GOMAXPROCS(0)
	work, ordered, failed := make(chan line), make(chan line, 2*atOnce), make(chan error, 1)
	for range atOnce {
		go func() { // ends when work is closed, which the reader does
			for l := range work {
				l.held <- l.answer()
			}
		}()
	}
	go func() { // ends with the input or with ctx, but for a Read that never returns
		defer close(ordered)
		defer close(work)
		failed <- eachLine(in, func(l line) error {
			l.held = make(chan answered, 1)
			for _, to := range []chan<- line{ordered, work} {
				select {
				case to <- l:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}()
	return ordered, failed
}

// A group is what waits for the answers of a judge, and all lines behind the first of it.
type group struct {
	ask   Ask
	tell  func(Judged) error
	lines []answered
	open  int
	bytes int
	told  int
}

// addAnswer tells a line at once where none before it waits and no judge is to be asked about it.
func (g *group) addAnswer(ctx context.Context, a answered) error {
	g.lines, g.bytes = append(g.lines, a), g.bytes+a.bytes
	if a.open() && g.ask != nil {
		g.open++
	}
	if g.open == 0 || g.open == groupOpen || len(g.lines) == groupLines || g.bytes > groupBytes {
		return g.close(ctx)
	}
	return nil
}

// close puts to the judge what is undecided of the group and tells all of it.
func (g *group) close(ctx context.Context) error {
	answers := make([]Answer, len(g.lines))
	for i, a := range g.lines {
		answers[i] = a.answer
	}
	judged, unjudged := Judge(ctx, g.ask, answers)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i, a := range g.lines {
		a.answer = judged[i]
		if err := g.tell(a.judged(unjudged)); err != nil {
			return err
		}
		g.told++
	}
	g.lines, g.open, g.bytes = nil, 0, 0
	return nil
}

// judged is the line as it is told. unjudged is why a judge has not decided it.
func (a answered) judged(unjudged error) Judged {
	if a.failed != nil {
		return *a.failed
	}
	j := Judged{ID: a.id, Verdict: a.answer.Verdict, Reason: a.answer.Reason, By: a.answer.By, Quote: a.answer.Quote}
	if j.Quote != "" {
		j.Start, j.End = &a.answer.Start, &a.answer.End
	}
	if a.open() && unjudged != nil {
		j.Note = notJudged(unjudged)
	}
	return j
}

// eachLine gives the lines of in that are not blank; one that is too long with an error
// in place of its text.
func eachLine(in io.Reader, give func(line) error) error {
	reader := bufio.NewReaderSize(in, 64<<10)
	for number := 1; ; number++ {
		text, err := readLine(reader)
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		tooLong := errors.Is(err, errTooLong)
		if len(bytes.TrimSpace(text)) > 0 || tooLong {
			l := line{number: number, text: text}
			if tooLong {
				l.text, l.err, err = nil, mistake(fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20),
					"cut the evidence into parts"), nil
			}
			if given := give(l); given != nil {
				return given
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !tooLong:
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "check",
				Message: fmt.Sprintf("line %d cannot be read", number), Err: err}
		}
	}
}

var errTooLong = errors.New("line too long")

// readLine reads one line without its end. Of one that is too long it keeps nothing.
func readLine(r *bufio.Reader) ([]byte, error) {
	var all []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(all)+len(part) > MaxLine; long {
			all = nil
		} else {
			all = append(all, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errTooLong // at the end of the input the next call says so
		}
		return all, err
	}
}

func (l line) answer() answered {
	p, err := l.pair()
	if err != nil {
		view := citewell.View(err)
		return answered{bytes: len(l.text), failed: &Judged{ID: p.ID, Line: l.number, Error: &view}}
	}
	return answered{id: p.ID, bytes: len(l.text), answer: p.check()}
}

// check holds the claim of a pair against its evidence.
func (p Pair) check() Answer { return Check(p.Claim, Given(*p.Evidence, p.Title)) }

// CheckPairs holds the claim of each pair against its evidence, on every processor.
func CheckPairs(ctx context.Context, pairs []Pair) ([]Answer, error) {
	answers := make([]Answer, len(pairs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range pairs {
		group.Go(func() error {
			if ctx.Err() == nil {
				answers[i] = p.check()
			}
			return ctx.Err()
		})
	}
	return answers, group.Wait()
}

// pair reads the line. Where it is wrong, the pair has its id as far as there is one.
func (l line) pair() (Pair, error) {
	var p Pair
	if l.err != nil {
		return p, l.err
	}
	if !utf8.Valid(l.text) {
		return p, mistake("the line is not UTF-8", "save the file as UTF-8")
	}
	const form = `a line is an object as in {"id": 1, "claim": "...", "evidence": "..."}, with a title where there is one`
	if err := json.Unmarshal(l.text, &p); err != nil {
		wrong := &json.UnmarshalTypeError{}
		if errors.As(err, &wrong) && wrong.Field != "" {
			return p, mistake(wrong.Field+" must be a text", form)
		}
		return p, mistake("the line is no JSON object", form)
	}
	switch {
	case strings.TrimSpace(p.Claim) == "":
		return p, mistake("claim is missing", form)
	case len(p.Claim) > MaxClaim:
		return p, mistake(tooLong, form)
	case p.Evidence == nil:
		return p, mistake("evidence is missing", form)
	}
	if len(p.ID) == 0 {
		p.ID = json.RawMessage("null")
	}
	return p, nil
}

func mistake(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "check", Message: message, Hint: hint}
}
