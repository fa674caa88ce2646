package bibliography

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/citewell/citewell"
)

// cslKinds are the kinds of works for types of CSL. Others are empty.
var cslKinds = map[string]citewell.WorkKind{"article-journal": citewell.WorkArticle,
	"article-magazine": citewell.WorkArticle, "article-newspaper": citewell.WorkArticle,
	"paper-conference": citewell.WorkConference, "book": citewell.WorkBook, "chapter": citewell.WorkChapter,
	"entry-encyclopedia": citewell.WorkChapter,
	"thesis":             citewell.WorkThesis, "report": citewell.WorkReport, "standard": citewell.WorkReport,
	"dataset":  citewell.WorkDataset,
	"software": citewell.WorkSoftware, "article": citewell.WorkPreprint, "review": citewell.WorkReview}

// parseCSL reads a list of items, one item, or an object that has a list of them under "items".
// A field of another type than CSL's is as one that is missing.
func parseCSL(s string) ([]Entry, error) {
	var whole any
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.UseNumber()
	if err := decoder.Decode(&whole); err != nil {
		return nil, refuse("the list is no JSON: "+err.Error(), "CSL-JSON is a list of objects, each with a title")
	}
	items, _ := whole.([]any)
	if object, ok := whole.(map[string]any); ok {
		var isList bool
		if items, isList = object["items"].([]any); !isList {
			items = []any{object}
		}
	}
	var entries []Entry
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			entries = append(entries, cslEntry(object))
		}
	}
	return entries, nil
}

func cslEntry(item map[string]any) Entry {
	of := func(name string) string { return cslString(item[name]) }
	e := Entry{Key: of("id"), Kind: cslKinds[of("type")], Title: of("title"),
		Venue: cmp.Or(of("container-title"), of("publisher")),
		DOI:   of("DOI"), ISBN: of("ISBN"), PMID: of("PMID"), URL: of("URL"), page: of("type") == "webpage" ||
			of("type") == "post-weblog" || of("type") == "post"}
	names, _ := item["author"].([]any)
	if len(names) == 0 && (e.Kind == citewell.WorkBook || e.Kind == "") {
		names, _ = item["editor"].([]any)
	}
	for _, name := range names[:min(len(names), maxAuthors+1)] {
		if parts, ok := name.(map[string]any); ok {
			e.Authors = append(e.Authors, cslName(parts))
		}
	}
	if date, ok := item["issued"].(map[string]any); ok {
		e.Year = yearIn(cmp.Or(cslString(date["raw"]), cslString(date["literal"])))
		if parts, ok := date["date-parts"].([]any); ok && len(parts) > 0 {
			if day, ok := parts[0].([]any); ok && len(day) > 0 {
				e.Year = yearIn(cslString(day[0]))
			}
		}
	}
	if number := of("number"); strings.HasPrefix(strings.ToLower(number), "arxiv") {
		e.ArXiv = number
	}
	return e
}

func cslName(parts map[string]any) string {
	family := strings.TrimSpace(cslString(parts["non-dropping-particle"]) + " " + cslString(parts["family"]))
	if given := cslString(parts["given"]); family != "" && given != "" {
		return family + ", " + given
	}
	return cmp.Or(family, cslString(parts["literal"]), cslString(parts["given"]))
}

// cslString is a string or a number; of a list its first.
func cslString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case []any:
		if len(v) > 0 {
			if s, ok := v[0].(string); ok {
				return s
			}
		}
	}
	return ""
}
