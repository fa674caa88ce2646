// Package vectorcodec packs embeddings into rows for both backends, and compares them.
//
// Units: float32, little-endian; nearness in double precision, larger is nearer.
// Errors: store_failed if a row is damaged.
// Concurrency: every function may be called by many goroutines.
package vectorcodec

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/internal/codec"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Marshal is how an embedding lies in its row: float32, little-endian, and a checksum, by which a flipped bit is known.
func Marshal(values []float32) []byte {
	data := make([]byte, 0, 4*len(values)+4)
	for _, x := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(data, crc32.Checksum(data, castagnoli))
}

// Check returns the floats of an embedding's row, without the checksum.
func Check(op string, data []byte, dimension int) ([]byte, error) {
	floats := data[:max(0, len(data)-4)]
	if len(data) != 4*dimension+4 || binary.LittleEndian.Uint32(data[4*dimension:]) != crc32.Checksum(floats,
		castagnoli) {
		return nil, fault.Damaged(op, "an embedding of the store is damaged", nil)
	}
	return floats, nil
}

// Values are the floats of a row.
func Values(floats []byte) []float32 {
	values := make([]float32, len(floats)/4)
	for i := range values {
		values[i] = At(floats, i)
	}
	return values
}

// At is the float at a place.
func At(floats []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(floats[4*i:]))
}

// Nearness compares a query with the floats of a row. Larger is nearer; a Euclidean distance is negated and squared.
func Nearness(metric store.Metric, query []float32, floats []byte) float64 {
	var product, length, distance float64
	floats = floats[:4*len(query)]
	switch metric {
	case store.MetricL2:
		for i, q := range query {
			d := float64(q) - float64(At(floats, i))
			distance += d * d
		}
		return -distance
	case store.MetricDot:
		for i, q := range query {
			product += float64(q) * float64(At(floats, i))
		}
		return product
	}
	queryLength := 0.0
	for i, q := range query {
		x := float64(At(floats, i))
		product += float64(q) * x
		length += x * x
		queryLength += float64(q) * float64(q)
	}
	return max(-1, min(1, product/math.Sqrt(length*queryLength)))
}

// Score is what callers are given for a nearness.
func Score(metric store.Metric, nearness float64) float64 {
	if metric == store.MetricL2 {
		return -math.Sqrt(-nearness) + 0 // never minus zero
	}
	return nearness
}

// CheckIDs says whether too many ids are given at once.
func CheckIDs(op string, ids []string) error {
	if len(ids) > store.MaxVectorBatch {
		return fault.Invalid(op, "%d ids are given and %d are allowed at once", len(ids), store.MaxVectorBatch)
	}
	return nil
}

// A Record is what a row keeps beside the embedding.
type Record struct {
	Text     string            `json:"text,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// ReadRecord adds to a vector what its row keeps beside the embedding.
func ReadRecord(op string, packed []byte, v *store.Vector) error {
	var record Record
	if err := codec.UnpackJSON(op, packed, &record); err != nil {
		return err
	}
	v.Text, v.Metadata = record.Text, record.Metadata
	return nil
}

// MissingCollection is the error of asking for a collection that is not there.
func MissingCollection(op, name string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: op, Message: fmt.Sprintf("there is no collection %q", name),
		Hint: "make the collection first"}
}

// Fits says whether a collection that is kept is what is to be made: an error where it is not and holds vectors.
func Fits(op string, kept, made store.VectorCollection) (bool, error) {
	if kept.Dimension == made.Dimension && kept.Metric == made.Metric && kept.Model == made.Model {
		return true, nil
	}
	if kept.Vectors == 0 {
		return false, nil
	}
	return false, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op, Message: fmt.Sprintf(
		"collection %q has %d dimensions, metric %s and model %q; %d, %s and %q are given",
		made.Name, kept.Dimension, kept.Metric, kept.Model, made.Dimension, made.Metric, made.Model),
		Hint: "choose another name, or drop the collection first"}
}

// CheckRemoval says why vectors cannot be removed by filters.
func CheckRemoval(op string, filters []store.Filter) error {
	if len(filters) == 0 {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op, Message: "no filter is given",
			Hint: "to remove everything, drop the collection"}
	}
	return store.CheckFilters(op, filters)
}

// MadeAnew is the error of writing to a collection that another of its name took the place of.
func MadeAnew(op, name string) error {
	return fault.Invalid(op, "collection %q was made anew meanwhile", name)
}
