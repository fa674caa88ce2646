package trace

import (
	"encoding/binary"
	"math"
	"strings"
)

// A message is one of protobuf's on its way: its fields in the order of their numbers. The numbers are those of
// opentelemetry/proto/collector/trace/v1/trace_service.proto and what it imports, version 1.
type message []byte

// Protobuf's ways to write a field.
const (
	varint  = 0
	fixed64 = 1
	counted = 2
	fixed32 = 5
)

func (m message) tag(field, how int) message {
	return binary.AppendUvarint(m, uint64(field<<3|how))
}

func (m message) number(field int, v uint64) message {
	return binary.AppendUvarint(m.tag(field, varint), v)
}

func (m message) bytes(field int, v []byte) message {
	return append(binary.AppendUvarint(m.tag(field, counted), uint64(len(v))), v...)
}

func (m message) text(field int, v string) message {
	if len(v) > MaxText {
		v = v[:MaxText]
	}
	return m.bytes(field, []byte(strings.ToValidUTF8(v, "\uFFFD")))
}

func (m message) fixed(field int, v uint64) message {
	return binary.LittleEndian.AppendUint64(m.tag(field, fixed64), v)
}

// value is an AnyValue; nil where there is nothing to say.
func value(v any) message {
	switch v := v.(type) {
	case string:
		if v != "" {
			return message(nil).text(1, v)
		}
	case bool:
		b := uint64(0)
		if v {
			b = 1
		}
		return message(nil).number(2, b)
	case int:
		return message(nil).number(3, uint64(v))
	case float64:
		return message(nil).fixed(4, math.Float64bits(v))
	case []string:
		if len(v) == 0 {
			return nil
		}
		var list message
		for _, one := range v {
			list = list.bytes(1, message(nil).text(1, one))
		}
		return message(nil).bytes(5, list)
	}
	return nil
}

// attributes adds a KeyValue for each that says something.
func (m message) attributes(field int, attrs []Attr) message {
	for _, a := range attrs {
		if v := value(a.Value); v != nil {
			m = m.bytes(field, message(nil).text(1, a.Key).bytes(2, v))
		}
	}
	return m
}

// Scope is the name under which everything here is told.
const Scope = "github.com/citewell/citewell"

// encode is an ExportTraceServiceRequest.
func (t *Tracer) encode(spans []span) []byte {
	if len(spans) == 0 {
		return nil // a request without spans is an empty message
	}
	scoped := message(nil).bytes(1, message(nil).text(1, Scope).text(2, t.o.Version))
	for _, s := range spans {
		scoped = scoped.bytes(2, s.encode())
	}
	return message(nil).bytes(1, message(nil).bytes(1, message(nil).attributes(1, t.o.Resource)).bytes(2, scoped))
}

// Flags of a span, beside those of its traceparent.
const (
	hasIsRemote = 1 << 8
	isRemote    = 1 << 9
	failedCode  = 2 // of a status
)

func (s span) encode() message {
	m := message(nil).bytes(1, s.at.trace[:]).bytes(2, s.at.span[:])
	flags := uint32(hasIsRemote | 1)
	if s.parent.valid() {
		if m = m.bytes(4, s.parent.span[:]); s.parent.remote {
			flags |= isRemote
		}
	}
	m = m.text(5, s.name).number(6, uint64(s.kind)).fixed(7, uint64(s.began.UnixNano())).fixed(8,
		uint64(s.ended.UnixNano())).attributes(9, s.attrs)
	if s.failed {
		m = m.bytes(15, message(nil).number(3, failedCode))
	}
	return binary.LittleEndian.AppendUint32(m.tag(16, fixed32), flags)
}
