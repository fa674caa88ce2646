// Package transfer copies everything in one store, of all tenants, into another, of the same or the other backend.
//
// Flow: a Source's View and a Target → Copy → Report.
// The target makes again whatever follows from other rows: postings of texts, codes and indexes of embeddings, tags.
// Momentary state stays behind: see LeftBehind.
// Units: sizes in bytes.
// Errors: those of the stores; invalid_argument for a target that holds other things, run_leased for a source whose
// runs are being executed.
// Concurrency: one Copy goes into a target at a time; a second one fails at the first row that both bring, and the rows
// of the first stay right.
package transfer

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strings"
)

// A Type is what a column holds, as a Row has it.
type Type byte

// The types.
const (
	Text    Type = 't' // string
	Integer Type = 'i' // int64
	Float   Type = 'f' // float64
	Bytes   Type = 'b' // []byte; nil where there are none
)

// A Column is a column of a Kind. Names are those of the embedded store's tables.
type Column struct {
	Name string
	Type Type
}

// A Row holds a value for each column of its kind.
type Row []any

// A Kind is one sort of what a store holds. Its first Key columns name a row.
type Kind struct {
	Name    string
	Columns []Column
	Key     int
	moved   func(Row) // what is another thing in the target
}

// Names of the kinds that backends keep otherwise than in one table of these columns.
const (
	Contents    = "contents"    // body is packed, and nil where it is damaged
	Snapshots   = "snapshots"   // document_record says which extractor read it
	Documents   = "documents"   // of the text index
	Collections = "collections" // of embeddings
	Vectors     = "vectors"     // collection is the number of the collection's row
	Edges       = "edges"       // of the graph
	Runs        = "runs"        // id is the number by which the other tables of runs name it
	Calls       = "calls"
)

// Kinds are all kinds, in the order in which they are copied: what is named comes before what names it.
var Kinds = []Kind{
	kind(Contents, "tenant:t sha256:t", "size:i created_at:i body:b"),
	kind(Snapshots, "id:i", "tenant:t final_url:t fetched_at:i kept_at:i page_sha256:t text_sha256:t page_record:b "+
		"document_record:b"),
	kind("sources", "tenant:t brief:t n:i", "record:b created_at:i"),
	kind("passages", "tenant:t id:t", "brief:t n:i record:b"),
	kind("briefs", "tenant:t id:t", "created_at:i record:b"),
	kind(Documents, "tenant:t index_name:t key:t", "language:t url:t title:t published:t stamp:t terms:i indexed_at:i "+
		"metadata:t terms_record:b text_record:b terms_version:i"),
	kind(Collections, "id:i", "tenant:t name:t dimension:i metric:t model:t"),
	kind(Vectors, "id:i", "tenant:t collection:i name:t embedding:b record:b"),
	kind("nodes", "tenant:t id:t", "record:b updated_at:i"),
	kind("labels", "tenant:t label:t node:t", ""),
	kind(Edges, "tenant:t src:t rel:t dst:t", "weight:f record:b updated_at:i"),
	runs(),
	kind("requests", "tenant:t run:i", "request_record:b budget_record:b"),
	kind("tasks", "tenant:t run:i", "sha256:t folded:t"),
	kind("events", "run:i seq:i", "tenant:t v:i type:t time:i record:b"),
	kind(Calls, "run:i key:t", "id:i tenant:t step:i try:i kind:t name:t state:t token:i attempts:i begun_at:i "+
		"ended_at:i input_sha256:t input_record:b result_sha256:t result_record:b cost_record:b error_record:b"),
	kind("messages", "run:i name:t", "tenant:t n:i delivered:i record:b"),
	kind("bodies", "tenant:t sha256:t run:i", ""),
	kind("answers", "tenant:t sha256:t run:i", ""),
	kind("spending", "tenant:t caller:t day:i", "tokens:i usd:f searches:i"),
	kind("watches", "tenant:t id:t", "caller:t request:b every:i rounds:i created_at:i next_at:i"),
	kind("paces", "tenant:t service:t", "day:i calls:i next:i rest:i"),
}

// LeftBehind says what is not copied, and why.
var LeftBehind = []string{
	"the cache, which is there to be forgotten",
	"who executes a run, and calls to services under way: both are of the processes on the old store",
	"postings of texts, codes and indexes of embeddings: they are made anew of what is copied",
	"contents that nothing names any more",
}

// runs raises the token of each run by one, so that no executor of the old store could write in the new one.
func runs() Kind {
	k := kind(Runs, "id:i", "token:i tenant:t name:t agent:t caller:t state:t outcome:t detail:t created_at:i "+
		"updated_at:i ended_at:i seq:i unread:i cancel_at:i behind:i")
	k.moved = func(row Row) { row[1] = row[1].(int64) + 1 }
	return k
}

func kind(name, key, rest string) Kind {
	k := Kind{Name: name, Key: len(strings.Fields(key))}
	for _, field := range strings.Fields(key + " " + rest) {
		column, kind, _ := strings.Cut(field, ":")
		k.Columns = append(k.Columns, Column{column, Type(kind[0])})
	}
	return k
}

// At is the place of a column in a row.
func (k Kind) At(name string) int {
	for i, c := range k.Columns {
		if c.Name == name {
			return i
		}
	}
	panic(k.Name + " has no column " + name) // a constant of the caller
}

// Scan are the places that a row of the kind is read into; the row has its values after.
func (k Kind) Scan() (targets []any, row func() Row) {
	targets = make([]any, len(k.Columns))
	for i, c := range k.Columns {
		switch c.Type {
		case Text:
			targets[i] = new(string)
		case Integer:
			targets[i] = new(int64)
		case Float:
			targets[i] = new(float64)
		default:
			targets[i] = new([]byte)
		}
	}
	return targets, func() Row {
		row := make(Row, len(targets))
		for i, target := range targets {
			switch target := target.(type) {
			case *string:
				row[i] = *target
			case *int64:
				row[i] = *target
			case *float64:
				row[i] = *target
			case *[]byte:
				row[i], *target = *target, nil
			}
		}
		return row
	}
}

// size is about how much memory a row takes.
func (r Row) size() (n int64) {
	for _, value := range r {
		n += 16
		switch value := value.(type) {
		case string:
			n += int64(len(value))
		case []byte:
			n += int64(len(value))
		}
	}
	return n
}

// A digest stands for values: half of a SHA-256.
type digest [16]byte

// digestOf is that of values and their types. Of a content's bytes, which may be packed differently, only wholeness
// counts.
func (k Kind) digestOf(values Row) digest {
	h := sha256.New()
	var head [9]byte
	for i, value := range values {
		head[0] = byte(k.Columns[i].Type)
		switch value := value.(type) {
		case string:
			binary.BigEndian.PutUint64(head[1:], uint64(len(value)))
			h.Write(head[:])
			h.Write([]byte(value))
		case int64:
			binary.BigEndian.PutUint64(head[1:], uint64(value))
			h.Write(head[:])
		case float64:
			binary.BigEndian.PutUint64(head[1:], math.Float64bits(value))
			h.Write(head[:])
		case []byte:
			if k.Name == Contents {
				value = value[:min(1, len(value))]
			}
			binary.BigEndian.PutUint64(head[1:], uint64(len(value)))
			h.Write(head[:])
			if k.Name != Contents {
				h.Write(value)
			}
		}
	}
	var d digest
	copy(d[:], h.Sum(nil))
	return d
}

// add sums digests: the same rows give the same sum in any order.
func (d *digest) add(more digest) {
	carry := uint16(0)
	for i := range d {
		carry += uint16(d[i]) + uint16(more[i])
		d[i] = byte(carry)
		carry >>= 8
	}
}
