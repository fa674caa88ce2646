// Package trace records spans of what a process does, and sends them to an OpenTelemetry collector.
//
// Flow: New → Start, Within → a context that holds a span → Record, Span.End → queue → one goroutine → OTLP over HTTP,
// in protobuf.
// Units: attributes are text, bool, int, float64 or lists of text; a text is cut at MaxText bytes.
// Limits: at most Options.Queue spans wait, further ones are dropped and counted; Close takes at most as long as its
// context. Recording never waits for the collector.
// Errors: a span that cannot be sent is counted and logged; callers get no error.
// Concurrency: a Tracer serves many goroutines; a Span belongs to one at a time. A nil *Tracer and a nil *Span do
// nothing.
// Source: OTLP 1.x; W3C Trace Context. Why not OpenTelemetry's SDK: doc/decision/0043-traces.md
package trace

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// MaxText bounds a text of an attribute.
const MaxText = 2048

// A Kind says on which side of a call a span is, with OTLP's numbers.
type Kind int

// The kinds that are used here.
const (
	Internal Kind = 1
	Server   Kind = 2
	Client   Kind = 3
)

// An Attr is one attribute of a span.
type Attr struct {
	Key   string
	Value any // string, bool, int, float64 or []string; the zero value of a string or list leaves it out
}

// place is where in a trace something happens: what a context holds of the span that it is in.
type place struct {
	trace   [16]byte
	span    [8]byte
	sampled bool
	remote  bool // the span is another process's
}

func (p place) valid() bool { return p.trace != [16]byte{} && p.span != [8]byte{} }

type placeKey struct{}

func with(ctx context.Context, p place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// placeOf is where ctx is: in the span of the whole process where it is in no other.
func (t *Tracer) placeOf(ctx context.Context) place {
	if p, ok := ctx.Value(placeKey{}).(place); ok {
		return p
	}
	if t.whole != nil {
		t.used.Store(true)
		return t.whole.at
	}
	return place{}
}

// A Span is something that has begun.
type Span struct {
	tracer *Tracer
	span
}

// span is what is sent of one.
type span struct {
	at, parent place
	name       string
	kind       Kind
	began      time.Time
	ended      time.Time
	failed     bool
	attrs      []Attr
}

// Start begins a span below that of ctx, or a trace where there is none. The context that it returns is within it.
func (t *Tracer) Start(ctx context.Context, name string, kind Kind, attrs ...Attr) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	parent := t.placeOf(ctx)
	at := place{trace: parent.trace}
	if !parent.valid() {
		rand.Read(at.trace[:]) // never fails: it ends the process instead
	}
	rand.Read(at.span[:])
	at.sampled = t.o.Sampler.samples(at.trace, parent)
	return with(ctx, at), &Span{t, span{at: at, parent: parent, name: name, kind: kind, began: time.Now(),
		attrs: attrs}}
}

// Name gives the span another name, for what is known only at its end.
func (s *Span) Name(name string) {
	if s != nil {
		s.name = name
	}
}

// End ends the span, with a code where it failed.
func (s *Span) End(failed string, attrs ...Attr) {
	if s == nil {
		return
	}
	s.ended = time.Now()
	s.finish(failed, attrs)
}

func (s *Span) finish(failed string, attrs []Attr) {
	s.attrs = append(s.attrs, attrs...)
	if s.failed = failed != ""; s.failed {
		s.attrs = append(s.attrs, Attr{"error.type", failed})
	}
	if s.at.sampled {
		s.tracer.enqueue(s.span)
	}
}

// Record tells of a span below that of ctx which has just ended, having taken so long.
func (t *Tracer) Record(ctx context.Context, name string, kind Kind, took time.Duration, failed string, attrs ...Attr) {
	if t == nil {
		return
	}
	_, s := t.Start(ctx, name, kind, attrs...)
	s.began, s.ended = s.began.Add(-took), s.began
	s.finish(failed, nil)
}

// Within returns a context that is within a span which outlives processes: its id, and its
// trace's where origin does not name one, follow from key, so that every process comes to
// the same. Origin is what Parent gave where the span was begun; it may be empty.
func (t *Tracer) Within(ctx context.Context, key, origin string) context.Context {
	if t == nil {
		return ctx
	}
	at, _ := t.long(key, origin)
	return with(ctx, at)
}

// RecordLong tells of such a span which has just ended.
func (t *Tracer) RecordLong(key, origin, name string, began time.Time, failed string, attrs ...Attr) {
	if t == nil {
		return
	}
	at, parent := t.long(key, origin)
	s := &Span{t, span{at: at, parent: parent, name: name, kind: Internal, began: began, ended: time.Now()}}
	s.finish(failed, attrs)
}

func (t *Tracer) long(key, origin string) (at, parent place) {
	parent, _ = parse(origin)
	sum := sha256.Sum256([]byte("citewell span " + key))
	at = place{trace: parent.trace, span: [8]byte(sum[16:24])}
	if !parent.valid() {
		at.trace = [16]byte(sum[:16])
	}
	at.sampled = t.o.Sampler.samples(at.trace, parent)
	return at, parent
}

// Continue returns a context within the span that a traceparent names: of a process that
// calls this one. What is no traceparent leaves ctx as it is.
func (t *Tracer) Continue(ctx context.Context, traceparent string) context.Context {
	if t == nil {
		return ctx
	}
	p, ok := parse(traceparent)
	if !ok {
		return ctx
	}
	p.remote = true
	return with(ctx, p)
}

// Parent is the span of ctx as a traceparent; empty where there is none.
func (t *Tracer) Parent(ctx context.Context) string {
	if t == nil {
		return ""
	}
	p := t.placeOf(ctx)
	if !p.valid() {
		return ""
	}
	flags := "00"
	if p.sampled {
		flags = "01"
	}
	return "00-" + hex.EncodeToString(p.trace[:]) + "-" + hex.EncodeToString(p.span[:]) + "-" + flags
}

// parse reads a traceparent, of later versions what is known of it.
func parse(s string) (p place, ok bool) {
	parts := strings.Split(s, "-")
	if len(s) < 55 || len(parts) < 4 || len(parts[0]) != 2 || parts[0] == "ff" || len(parts[1]) != 32 ||
		len(parts[2]) != 16 || len(parts[3]) != 2 ||
		parts[0] == "00" && len(s) != 55 || strings.ToLower(s[:55]) != s[:55] {
		return place{}, false
	}
	var version, flags [1]byte
	for i, into := range [][]byte{version[:], p.trace[:], p.span[:], flags[:]} {
		if _, err := hex.Decode(into, []byte(parts[i])); err != nil {
			return place{}, false
		}
	}
	p.sampled = flags[0]&1 == 1
	return p, p.valid()
}

// A Sampler decides which traces are told. All that belongs to a trace is decided alike.
type Sampler struct {
	Ratio       float64 // of traces that begin here, 0 to 1
	ParentBased bool    // what another process began is told where that tells it, whatever Ratio is
}

func (s Sampler) samples(trace [16]byte, parent place) bool {
	if s.ParentBased && parent.valid() {
		return parent.sampled
	}
	bound := uint64(s.Ratio * (1 << 63))
	return s.Ratio >= 1 || binary.BigEndian.Uint64(trace[8:])>>1 < bound
}
