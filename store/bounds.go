package store

// Bounds of what is kept and asked for; what is beyond them is invalid_argument.
const (
	// Of metadata, which is what a person or a program says about one document.
	MaxMetadataKeys  = 64
	MaxMetadataKey   = 128     // bytes
	MaxMetadataValue = 4 << 10 // bytes
	MaxFilters       = 16      // of one query
	MaxFilterValues  = 256     // of one filter

	// Of the text index.
	MaxDocumentID  = 4 << 10  // bytes
	MaxIndexName   = 128      // bytes
	MaxTitle       = 64 << 10 // bytes
	MaxText        = 64 << 20 // bytes
	MaxSearchLimit = 1000
	MaxSearchReach = 10_000 // limit and offset together
	MaxListed      = 200    // documents of one page of Documents

	// Of embeddings.
	MaxDimension     = 8192
	MaxVectorName    = 1 << 10 // bytes of an id or of a collection's name
	MaxVectorText    = 1 << 20 // bytes
	MaxVectorBatch   = 1000    // of one upsert, get or removal
	MaxNearest       = 1000    // results of one query
	MaxNearestOffset = 10_000

	// Of the graph.
	MaxGraphName  = 1 << 10  // bytes of an id, a label or a relation
	MaxGraphProps = 64 << 10 // bytes of one node's or edge's properties as JSON
	MaxLabels     = 64       // of one node
	MaxGraphBatch = 1000     // nodes or edges of one upsert
	MaxGraphPage  = 1000     // nodes, edges or neighbours of one answer
	MaxGraphDepth = 10
	MaxRelations  = 64      // of one query
	MaxGraphText  = 1 << 10 // bytes of what nodes are found by
	// MaxGraphVisit is how many nodes one question about neighbours may reach, itself
	// left out; beyond, the answer says that it is cut.
	MaxGraphVisit = 10_000
)

// What is given where a query does not say.
const (
	defaultListed      = 50
	defaultNearestSize = 10
	defaultGraphPage   = 100
)
