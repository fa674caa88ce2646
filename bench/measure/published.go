package measure

import "github.com/citewell/citewell/internal/sheet"

// published is what is known of one set of pages: whether our forests were grown
// from it, and how others read it.
type published struct {
	grown bool
	rows  []sheet.Row
}

// publishedFor has what is known of the two development sets, by fingerprint. The
// figures are those in the README of each set, measured on exactly these pages.
var publishedFor = map[string]published{
	"bf35409e81cee438": {true, []sheet.Row{ // 109 articles
		articleRow("rs-trafilatura", .967, .945, .990),
		articleRow("go-trafilatura 1.12.2, recall", .960, .944, .976),
		articleRow("go-trafilatura 1.12.2, fallback", .957, .938, .978),
		articleRow("go-trafilatura 1.12.2, fast", .957, .939, .976),
		articleRow("go-trafilatura 1.12.2, precision", .949, .937, .961),
		{Name: "Python trafilatura 2.0.0", Origin: sheet.Published, Figures: map[string]float64{"f1": .957}},
		articleRow("readeck go-readability 2.1.0", .947, .918, .978),
		articleRow("go-shiori go-readability", .934, .906, .964),
		articleRow("go-domdistiller", .920, .902, .939),
		articleRow("html-to-markdown, whole page", .445, .289, .969),
	}},
	"ec6feebccbadf068": {true, []sheet.Row{ // 450 pages of seven kinds
		kindsRow("go-trafilatura 1.12.2, recall", .749, .964, .575, .925, .624, .620, .634, .796),
		kindsRow("go-trafilatura 1.12.2, fallback", .741, .961, .571, .918, .615, .625, .601, .786),
		kindsRow("go-trafilatura 1.12.2, fast", .687, .922, .503, .914, .472, .572, .574, .733),
		kindsRow("readeck go-readability 2.1.0", .682, .925, .489, .919, .505, .525, .542, .749),
	}},
}

func articleRow(name string, f1, precision, recall float64) sheet.Row {
	return sheet.Row{Name: name, Origin: sheet.Published, Figures: map[string]float64{
		"f1": f1, "precision": precision, "recall": recall}}
}

func kindsRow(
	name string, all, article, collection, documentation, forum, listing, product, service float64) sheet.Row {
	return sheet.Row{Name: name, Origin: sheet.Published, Figures: map[string]float64{
		"f1": all, "f1_article": article, "f1_collection": collection,
		"f1_documentation": documentation, "f1_forum": forum, "f1_listing": listing, "f1_product": product,
		"f1_service": service}}
}

// publishedRetrieval are nDCG@10 of SciFact, in the README of the set: those that
// were published, and peers that were measured when the set was made.
var publishedRetrieval = []sheet.Row{
	ndcgRow("BM25 (Anserini, flat)", .679, ""),
	ndcgRow("bm25s", .687, ""),
	ndcgRow("bleve 2.5.7, bm25 en", .675, "measured when the set was made"),
	ndcgRow("bleve 2.5.7, tf-idf en", .679, "measured when the set was made"),
	ndcgRow("all-MiniLM-L6-v2", .645, "vectors"),
	ndcgRow("e5-small-v2", .689, "vectors"),
	ndcgRow("bge-small-en-v1.5", .713, "vectors"),
	ndcgRow("static-retrieval-mrl-en-v1", .593, "vectors"),
	ndcgRow("potion-base-8M", .506, "vectors"),
	ndcgRow("BM25 + BGE-base, RRF", .742, "hybrid"),
}

func ndcgRow(name string, ndcg float64, note string) sheet.Row {
	return sheet.Row{Name: name, Origin: sheet.Published, Figures: map[string]float64{"ndcg10": ndcg}, Note: note}
}

// sciFactQueries and sciFactTexts are the size of the set that publishedRetrieval is of.
const (
	sciFactQueries = 300
	sciFactTexts   = 5183
)
