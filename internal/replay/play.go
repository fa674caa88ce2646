package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// A Player answers requests from a recording and from nothing else.
type Player struct {
	o       Options
	started time.Time
	list    []exchange
	order   []int // places in list, in the order in which requests were made
	days    days

	mu     sync.Mutex
	played []bool
	exact  map[key][]int // places in list, in that order, as in those below
	loose  map[key][]int // by what WithoutIDs and days leave; nil until it is needed
	hashed map[key][]int // those whose body was taken out by hand, by its hash
	missed int
	first  error // the first of those missed
}

// Open reads a recording; invalid_config says what is wrong with the file.
func Open(name string, o Options) (*Player, error) {
	if o.Redact == nil || o.IsSecret == nil {
		return nil, &citewell.Error{Code: citewell.CodeInternal, Op: "replay",
			Message: "a player was not told what is secret"}
	}
	// Looked at first: opening a pipe waits for who writes it.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fileError("the recording "+name+" is no file", "", nil)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fileError("the recording "+name+" cannot be opened", "", err)
	}
	defer file.Close()
	h, list, err := readRecording(file, MaxFile)
	if err != nil {
		return nil, fileError("the recording "+name+" cannot be read: "+err.Error(), "", err)
	}
	return newPlayer(h, list, o), nil
}

func newPlayer(h head, list []exchange, o Options) *Player {
	p := &Player{o: o, started: h.StartedAt, list: list, played: make([]bool, len(list)), order: make([]int, len(list)),
		days: days{}, exact: map[key][]int{}, hashed: map[key][]int{}}
	now := time.Now()
	p.days.add(now)
	p.days.add(now.AddDate(0, 0, 1)) // a replay may go on past midnight
	last := h.StartedAt
	p.days.add(last)
	for i, e := range list {
		p.order[i] = i
		if e.At.Sub(last).Abs() > time.Hour {
			last = e.At
			p.days.add(last)
		}
	}
	// Lines stand in the order in which exchanges ended.
	slices.SortStableFunc(p.order, func(a, b int) int { return list[a].N - list[b].N })
	for _, i := range p.order {
		q := list[i].Request
		if q.SHA256 != "" && q.content == (content{}) {
			k := keyOf(q.form() + q.SHA256)
			p.hashed[k] = append(p.hashed[k], i)
			continue
		}
		k := keyOf(q.form())
		p.exact[k] = append(p.exact[k], i)
	}
	return p
}

// loosely are the exchanges whose requests are form but for ids and days. Most replays never ask. The caller holds mu.
func (p *Player) loosely(form string) []int {
	keyOf := func(form string) key { return keyOf(p.days.without(WithoutIDs(form))) }
	if p.loose == nil {
		p.loose = map[key][]int{}
		for _, i := range p.order {
			if q := p.list[i].Request; q.SHA256 == "" || q.content != (content{}) {
				k := keyOf(q.form())
				p.loose[k] = append(p.loose[k], i)
			}
		}
	}
	return p.loose[keyOf(form)]
}

// Started is when the recording began.
func (p *Player) Started() time.Time { return p.started }

// Rest is how many exchanges of the recording nobody has asked for yet.
func (p *Player) Rest() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := 0
	for _, played := range p.played {
		if !played {
			rest++
		}
	}
	return rest
}

// Err is not_recorded where something was asked for that the recording does not hold:
// what came of it then is not what came of the recorded run.
func (p *Player) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.missed < 2 {
		return p.first
	}
	view := citewell.View(p.first)
	return &citewell.Error{Code: view.Code, Op: "replay", Message: fmt.Sprintf("%s (the first of %d requests that "+
		"were not recorded)", view.Message, p.missed), Hint: view.Hint, Err: p.first}
}

// Wrap takes the place of a transport, which is never used.
func (p *Player) Wrap(http.RoundTripper) http.RoundTripper { return playing{p} }

type playing struct{ *Player }

func (p playing) RoundTrip(req *http.Request) (*http.Response, error) {
	body, req, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	q := request{Method: req.Method, URL: p.o.url(req.URL), Header: p.o.requestHeader(req.Header),
		content: p.o.sent(req.Header, body)}
	e, err := p.find(q)
	if err != nil {
		return nil, err
	}
	return e.play(req)
}

// find takes the next answer to q out of the recording.
func (p *Player) find(q request) (*exchange, error) {
	form := q.form()
	empty := request{Method: q.Method, URL: q.URL, Header: q.Header}
	hashed := keyOf(empty.form() + citewell.SHA256(q.bytes()))
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := 0
	for _, alike := range []func() []int{
		func() []int { return p.exact[keyOf(form)] },
		func() []int { return p.hashed[hashed] },
		func() []int { return p.loosely(form) },
	} {
		list := alike()
		for _, i := range list {
			if !p.played[i] {
				p.played[i] = true
				return &p.list[i], nil
			}
		}
		asked = max(asked, len(list))
	}
	err := p.missing(q, asked)
	if p.missed++; p.first == nil {
		p.first = err
	}
	return nil, err
}

// play gives the recorded answer to req.
func (e *exchange) play(req *http.Request) (*http.Response, error) {
	if e.Response == nil {
		return nil, e.Failed.play(req.Context(), nil)
	}
	r := e.Response
	if r.Ended == endedWithheld {
		return nil, &citewell.Error{Code: citewell.CodeNotRecorded, Op: "replay",
			Message: fmt.Sprintf("the answer to %s %s was left out of the recording: it held a secret",
				e.Request.Method, short(e.Request.URL))}
	}
	body, header := r.bytes(), r.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	if r.Gzip {
		body = pack(body)
	}
	length := r.Length
	if whole := r.Ended == "" && e.Failed == nil; whole && length > 0 && e.Request.Method != http.MethodHead {
		length = int64(len(body)) // secrets were taken out, or it was packed again
		header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	p := &part{Reader: bytes.NewReader(body), ctx: req.Context(), closed: make(chan struct{})}
	switch {
	case e.Failed != nil:
		p.end = e.Failed
	case r.Ended == endedByReader && length != int64(len(body)):
		p.open = true
	}
	return &http.Response{Status: strconv.Itoa(r.Status) + " " + http.StatusText(r.Status), StatusCode: r.Status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, ContentLength: length, Body: p, Request: req}, nil
}

// patience bounds waiting for a caller who, in the recording, stopped waiting first.
const patience = time.Minute

// play gives the error, where the caller did not wait for it after as long as the caller waits now.
func (f *failure) play(ctx context.Context, closed <-chan struct{}) error {
	if f.Caller {
		if wait(ctx, closed); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if f.Cut {
		return io.ErrUnexpectedEOF
	}
	return &citewell.Error{Code: f.Code, Op: "replay", Message: f.Message, Hint: f.Hint,
		RetryAfter: time.Duration(f.RetryAfterMS) * time.Millisecond}
}

func wait(ctx context.Context, closed <-chan struct{}) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-closed:
	case <-timer.C:
	}
}

// A part is a recorded body, and how it ended where it has no end.
type part struct {
	*bytes.Reader
	ctx    context.Context
	end    *failure
	open   bool // nobody knows what follows
	once   sync.Once
	closed chan struct{}
}

func (p *part) Read(b []byte) (int, error) {
	select {
	case <-p.closed:
		return 0, http.ErrBodyReadAfterClose
	default:
	}
	n, err := p.Reader.Read(b)
	if err != io.EOF || p.end == nil && !p.open {
		return n, err
	}
	if p.end != nil {
		return n, p.end.play(p.ctx, p.closed)
	}
	if wait(p.ctx, p.closed); p.ctx.Err() != nil {
		return n, p.ctx.Err()
	}
	return n, &citewell.Error{Code: citewell.CodeNotRecorded, Op: "replay",
		Message: fmt.Sprintf("only the first %d bytes of an answer were recorded: nobody read on", p.Size())}
}

func (p *part) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
