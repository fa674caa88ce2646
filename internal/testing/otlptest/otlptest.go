// Package otlptest is an OpenTelemetry collector for tests: it accepts spans over OTLP's HTTP, decodes protobuf
// strictly, and keeps the spans.
//
// Source: opentelemetry/proto/trace/v1/trace.proto and its neighbours, read without a library.
package otlptest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// A Span is one that was told.
type Span struct {
	Trace, ID, Parent string // in hex; Parent is empty for the first of a trace
	Name              string
	Kind              int
	Began, Ended      time.Time
	Attrs             map[string]any
	Status            uint64 // 2 is failed
	Flags             uint32
	Resource          map[string]any
	Scope, Version    string
}

// A Collector is a server that spans are sent to.
type Collector struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []Span
	bodies [][]byte
	heads  []http.Header
	paths  []string
	answer int
}

// Serve starts a Collector that ends with the test.
func Serve(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.answer != 0 {
			w.WriteHeader(c.answer)
			return
		}
		var spans []Span
		if err == nil {
			spans, err = read(body)
		}
		if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s of %s: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.spans, c.bodies = append(c.spans, spans...), append(c.bodies, body)
		c.heads, c.paths = append(c.heads, r.Header), append(c.paths, r.URL.Path)
	}))
	t.Cleanup(c.Close)
	return c
}

// Answer has the Collector answer everything with a status, and keep nothing; 0 is well again.
func (c *Collector) Answer(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = status
}

// Spans are those that came, in the order in which they ended.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.spans)
	slices.SortStableFunc(all, func(a, b Span) int { return a.Ended.Compare(b.Ended) })
	return all
}

// Requests are the bodies of all requests, their headers and their paths.
func (c *Collector) Requests() ([][]byte, []http.Header, []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.bodies), slices.Clone(c.heads), slices.Clone(c.paths)
}

// Wait waits until the spans that came satisfy enough, and gives them.
func (c *Collector) Wait(t testing.TB, enough func([]Span) bool) []Span {
	t.Helper()
	for {
		all := c.Spans()
		if enough(all) {
			return all
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("only %d spans came", len(all))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// A wrong is what a body has that OTLP does not know.
type wrong string

// fields calls f for each field of a message: with its number, its number or its bytes.
func fields(b []byte, f func(field int, n uint64, bytes []byte)) {
	last := 0
	for len(b) > 0 {
		tag := uvarint(&b)
		field, how := int(tag>>3), tag&7
		if field < last {
			panic(wrong("fields are out of order"))
		}
		last = field
		switch how {
		case 0:
			f(field, uvarint(&b), nil)
		case 1:
			f(field, binary.LittleEndian.Uint64(take(&b, 8)), nil)
		case 5:
			f(field, uint64(binary.LittleEndian.Uint32(take(&b, 4))), nil)
		case 2:
			f(field, 0, take(&b, uvarint(&b)))
		default:
			panic(wrong("a field of no known form"))
		}
	}
}

func uvarint(b *[]byte) uint64 {
	n, size := binary.Uvarint(*b)
	if size <= 0 {
		panic(wrong("no number"))
	}
	*b = (*b)[size:]
	return n
}

func take(b *[]byte, n uint64) []byte {
	if n > uint64(len(*b)) {
		panic(wrong("it is cut off"))
	}
	head := (*b)[:n:n]
	*b = (*b)[n:]
	return head
}

func text(b []byte) string {
	if !utf8.Valid(b) {
		panic(wrong("a text is no UTF-8"))
	}
	return string(b)
}

func id(b []byte, size int) string {
	if len(b) != size {
		panic(wrong(fmt.Sprintf("an id of %d bytes", len(b))))
	}
	return hex.EncodeToString(b)
}

func unknown(of string, field int) { panic(wrong(fmt.Sprintf("%s has no field %d", of, field))) }

// value reads an AnyValue.
func value(b []byte) (v any) {
	fields(b, func(field int, n uint64, bytes []byte) {
		if v != nil {
			panic(wrong("a value of two kinds"))
		}
		switch field {
		case 1:
			v = text(bytes)
		case 2:
			v = n == 1
		case 3:
			v = int64(n)
		case 4:
			v = math.Float64frombits(n)
		case 5:
			list := []any{}
			fields(bytes, func(_ int, _ uint64, one []byte) { list = append(list, value(one)) })
			v = list
		default:
			unknown("AnyValue", field)
		}
	})
	return v
}

// attribute reads a KeyValue into m.
func attribute(m map[string]any, b []byte) {
	var key string
	var v any
	fields(b, func(field int, _ uint64, bytes []byte) {
		switch field {
		case 1:
			key = text(bytes)
		case 2:
			v = value(bytes)
		default:
			unknown("KeyValue", field)
		}
	})
	if _, twice := m[key]; twice || key == "" || v == nil {
		panic(wrong(fmt.Sprintf("the attribute %q is there twice, or says nothing", key)))
	}
	m[key] = v
}

// read reads an ExportTraceServiceRequest.
func read(body []byte) (all []Span, err error) {
	defer func() {
		if w, ok := recover().(wrong); ok {
			err = fmt.Errorf("no OTLP: %s", string(w))
		}
	}()
	fields(body, func(field int, _ uint64, resource []byte) {
		if field != 1 {
			unknown("ExportTraceServiceRequest", field)
		}
		of := map[string]any{}
		fields(resource, func(field int, _ uint64, bytes []byte) {
			switch field {
			case 1:
				fields(bytes, func(_ int, _ uint64, b []byte) { attribute(of, b) })
			case 2:
				all = append(all, scoped(bytes, of)...)
			default:
				unknown("ResourceSpans", field)
			}
		})
	})
	return all, nil
}

func scoped(b []byte, resource map[string]any) (all []Span) {
	var name, version string
	fields(b, func(field int, _ uint64, bytes []byte) {
		switch field {
		case 1:
			fields(bytes, func(field int, _ uint64, b []byte) {
				switch field {
				case 1:
					name = text(b)
				case 2:
					version = text(b)
				default:
					unknown("InstrumentationScope", field)
				}
			})
		case 2:
			s := spanOf(bytes)
			s.Resource, s.Scope, s.Version = resource, name, version
			all = append(all, s)
		default:
			unknown("ScopeSpans", field)
		}
	})
	return all
}

func spanOf(b []byte) Span {
	s := Span{Attrs: map[string]any{}}
	fields(b, func(field int, n uint64, bytes []byte) {
		switch field {
		case 1:
			s.Trace = id(bytes, 16)
		case 2:
			s.ID = id(bytes, 8)
		case 4:
			s.Parent = id(bytes, 8)
		case 5:
			s.Name = text(bytes)
		case 6:
			s.Kind = int(n)
		case 7:
			s.Began = time.Unix(0, int64(n))
		case 8:
			s.Ended = time.Unix(0, int64(n))
		case 9:
			attribute(s.Attrs, bytes)
		case 15:
			fields(bytes, func(field int, n uint64, _ []byte) {
				if field != 3 || n > 2 {
					unknown("Status", field)
				}
				s.Status = n
			})
		case 16:
			s.Flags = uint32(n)
		default:
			unknown("Span", field)
		}
	})
	if s.Trace == "" || s.ID == "" || s.Name == "" || s.Kind < 1 || s.Kind > 5 || s.Ended.Before(s.Began) {
		panic(wrong(fmt.Sprintf("a span that is none: %+v", s)))
	}
	return s
}
