package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
)

// A Metric says when two embeddings are near.
type Metric string

// The metrics. The score that goes with each is larger for what is nearer.
const (
	MetricCosine Metric = "cosine" // the cosine of the angle, -1 to 1; lengths do not count
	MetricDot    Metric = "dot"    // the inner product; lengths count
	MetricL2     Metric = "l2"     // the Euclidean distance, negated, so at most 0
)

// Vectors is search by nearness over embeddings, in collections of one dimension,
// metric and model each. A collection that is not there is not_found; what does not
// fit a collection is an invalid_argument that names what is expected and given.
type Vectors interface {
	// MakeCollection makes a collection. One of that name that holds nothing is made
	// anew; one that holds vectors is left as it is, and is an invalid_argument unless
	// dimension, metric and model are the same.
	MakeCollection(ctx context.Context, collection VectorCollection) error
	// Collections returns every collection, by name.
	Collections(ctx context.Context) ([]VectorCollection, error)
	// DropCollection removes a collection with all it holds and says whether there was one.
	DropCollection(ctx context.Context, name string) (bool, error)
	// UpsertVectors keeps vectors under their ids, all or none, each in place of what
	// was there. The same again changes nothing.
	UpsertVectors(ctx context.Context, collection string, vectors []Vector) error
	// GetVectors returns those of ids that are there, in the order of ids.
	GetVectors(ctx context.Context, collection string, ids []string) ([]Vector, error)
	// RemoveVectors forgets ids and returns how many of them were there.
	RemoveVectors(ctx context.Context, collection string, ids []string) (int, error)
	// RemoveVectorsWhere forgets what meets all filters, of which there is at least
	// one, and returns how many that were.
	RemoveVectorsWhere(ctx context.Context, collection string, filters []Filter) (int, error)
	// CountVectors returns how many vectors meet all filters.
	CountVectors(ctx context.Context, collection string, filters []Filter) (int, error)
	// NearestVectors returns the vectors nearest to the query's, nearest first, equal
	// scores by id. Filters are applied before anything is chosen, so k results come
	// back where k vectors meet them. Scores are exact; which vectors are among the
	// first k may be found by an approximation unless the query says Exact.
	NearestVectors(ctx context.Context, query VectorQuery) ([]VectorHit, error)
}

// A VectorCollection is a named set of embeddings that one model made.
type VectorCollection struct {
	Name      string
	Dimension int
	Metric    Metric // cosine when empty
	Model     string // which made them; may be empty
	Vectors   int    // how many it holds; given back, never read
}

// A Vector is one embedding and what it was made of.
type Vector struct {
	ID       string
	Values   []float32
	Text     string
	Metadata map[string]string
}

// A VectorQuery asks for the vectors nearest to Values.
type VectorQuery struct {
	Collection string
	Values     []float32
	K          int // 10 when 0, at most MaxNearest
	Offset     int // how many of the nearest to leave out, at most MaxNearestOffset
	Filters    []Filter
	Below      MetadataPrefix // only what is below it; the zero value means all
	Exact      bool           // compare with every vector that meets the filters
	WithText   bool
	WithValues bool
}

// A MetadataPrefix is met by metadata whose value under Key begins with Prefix, as those
// of the documents of one folder do.
type MetadataPrefix struct{ Key, Prefix string }

// A VectorHit is one vector near a query's. Text and Values are there where the query asked for them.
type VectorHit struct {
	Vector
	Score float64 // see Metric
}

// Check says what of a collection cannot be, and sets the metric where none is given.
func (c *VectorCollection) Check(op string) error {
	switch {
	case c.Name == "" || len(c.Name) > MaxVectorName || !utf8.ValidString(c.Name):
		return fault.Invalid(op, "a collection's name must be 1 to %d bytes of UTF-8", MaxVectorName)
	case c.Dimension < 1 || c.Dimension > MaxDimension:
		return fault.Invalid(op, "dimension is %d and must be 1 to %d", c.Dimension, MaxDimension)
	}
	switch c.Metric {
	case "":
		c.Metric = MetricCosine
	case MetricCosine, MetricDot, MetricL2:
	default:
		return fault.Invalid(op, "metric is %q and must be cosine, dot or l2", c.Metric)
	}
	return nil
}

// CheckValues says why values cannot be compared within c.
func (c VectorCollection) CheckValues(op string, values []float32) error {
	if len(values) != c.Dimension {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: op,
			Message: fmt.Sprintf("collection %q expects %d dimensions and %d are given", c.Name, c.Dimension,
				len(values)),
			Hint: "use the model that the collection was made with, or another collection; dropping this one " +
				"removes all that it holds"}
	}
	zero := true
	for i, x := range values {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fault.Invalid(op, "value %d of the vector is %v; only finite numbers can be compared", i, x)
		}
		zero = zero && x == 0
	}
	if zero && c.Metric == MetricCosine {
		return fault.Invalid(op, "the vector is all zeros, which has no direction for the cosine")
	}
	return nil
}

// CheckVectors says which of vectors cannot be kept in c.
func (c VectorCollection) CheckVectors(op string, vectors []Vector) error {
	if len(vectors) > MaxVectorBatch {
		return fault.Invalid(op, "%d vectors are given and %d are allowed at once", len(vectors), MaxVectorBatch)
	}
	seen := make(map[string]bool, len(vectors))
	for _, v := range vectors {
		switch {
		case v.ID == "" || len(v.ID) > MaxVectorName || !utf8.ValidString(v.ID):
			return fault.Invalid(op, "a vector's id must be 1 to %d bytes of UTF-8", MaxVectorName)
		case seen[v.ID]:
			return fault.Invalid(op, "vector %q is given twice", v.ID)
		case len(v.Text) > MaxVectorText || !utf8.ValidString(v.Text):
			return fault.Invalid(op, "the text of vector %q must be at most %d bytes of UTF-8", v.ID, MaxVectorText)
		}
		seen[v.ID] = true
		if err := c.CheckValues(op, v.Values); err != nil {
			return err
		}
		if err := CheckMetadata(op, v.Metadata); err != nil {
			return err
		}
	}
	return nil
}

// Check says what of the query is out of range, and sets K where none is given.
// Whether Values fit the collection is for CheckValues to say.
func (q *VectorQuery) Check(op string) error {
	switch {
	case q.K < 0 || q.K > MaxNearest:
		return fault.Invalid(op, "k is %d and must be 0 to %d", q.K, MaxNearest)
	case q.Offset < 0 || q.Offset > MaxNearestOffset:
		return fault.Invalid(op, "offset is %d and must be 0 to %d", q.Offset, MaxNearestOffset)
	}
	q.K = cmp.Or(q.K, defaultNearestSize)
	return CheckFilters(op, q.Filters)
}
