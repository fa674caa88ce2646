package claim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unicode/utf8"

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
	Line    int                 `json:"line,omitempty"` // from 1; of an error
	Error   *citewell.ErrorView `json:"error,omitempty"`
}

// A line is one line of a batch as it was read, with its number from 1.
type line struct {
	number int
	text   []byte
	err    error
	judged chan Judged // takes one
}

// Batch judges the pairs of JSON Lines and tells each in the order of the lines, blank
// ones left out. A line that is no pair is told with its error. Not more lines are held at
// once than are judged at once and as many that wait. Batch returns how many were told,
// once all are; after an error of reading, of tell or of ctx, those told so far.
func Batch(ctx context.Context, in io.Reader, tell func(Judged) error) (told int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	atOnce := runtime.GOMAXPROCS(0)
	work, ordered := make(chan line), make(chan line, 2*atOnce)
	failed := make(chan error, 1)
	for range atOnce {
		go func() { // ends when work is closed, which the reader does
			for l := range work {
				l.judged <- l.judge()
			}
		}()
	}
	go func() { // ends with the input or with ctx, but for a Read that never returns
		defer close(ordered)
		defer close(work)
		failed <- eachLine(in, func(l line) error {
			l.judged = make(chan Judged, 1)
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
	for {
		select {
		case l, more := <-ordered:
			if !more {
				return told, <-failed
			}
			select {
			case j := <-l.judged:
				if err := tell(j); err != nil {
					return told, err
				}
				told++
			case <-ctx.Done():
				return told, ctx.Err()
			}
		case <-ctx.Done():
			return told, ctx.Err()
		}
	}
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
				l.text, l.err, err = nil, mistake(fmt.Sprintf("the line is longer than %d MiB", MaxLine>>20), "cut the evidence into parts"), nil
			}
			if given := give(l); given != nil {
				return given
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !tooLong:
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "check", Message: fmt.Sprintf("line %d cannot be read", number), Err: err}
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

func (l line) judge() Judged {
	p, err := l.pair()
	if err != nil {
		view := citewell.View(err)
		return Judged{ID: p.ID, Line: l.number, Error: &view}
	}
	a := Check(p.Claim, Given(*p.Evidence, p.Title))
	j := Judged{ID: p.ID, Verdict: a.Verdict, Reason: a.Reason, By: a.By, Quote: a.Quote}
	if a.Quote != "" {
		j.Start, j.End = &a.Start, &a.End
	}
	return j
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
