// Package rank puts texts in order: it ranks passages by how well they answer a query, fuses rankings into one, and
// counts near-duplicates once.
//
// Flow: query and passages → Passages (BM25 over words, headings and nearness) → Hybrid with other rankings, if there
// are any → the few that are read.
//
// Units: scores are comparable within one call only, and larger is better. An Index in a result is the position in the
// given slice.
//
// Errors: none. An empty query, an empty slice or text without words gives an empty ranking or scores of zero.
//
// Concurrency: all functions are pure; many callers may use a Ranker at once. Equal scores keep the order of the input,
// so the same input always gives the same ranking.
//
// Source: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the inverse document frequency
// that Lucene uses; Cormack, Clarke and Buettcher, Reciprocal Rank Fusion (2009); Carbonell and Goldstein, Maximal
// Marginal Relevance (1998); Broder, On the Resemblance and Containment of Documents (1997); Bayardo, Ma and Srikant,
// Scaling Up All Pairs Similarity Search (2007).
package rank
