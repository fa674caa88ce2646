package llm

import (
	"encoding/json"
	"strings"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/citewell/citewell/internal/lazyregexp"
)

// maxCandidates bounds the places at which JSON is looked for in one answer.
const maxCandidates = 16

// fence finds what stands between the fences of Markdown.
var fence = lazyregexp.New("(?s)```[a-zA-Z0-9_-]*[ \t]*\r?\n(.*?)```")

// candidates are the JSON values in what a model wrote, mended where needed, likeliest first: the whole, what is
// fenced, what begins at one of the first braces. objects says that an object is wanted, no list.
func candidates(written string, objects bool) []json.RawMessage {
	var list []json.RawMessage
	add := func(text string) {
		text = strings.TrimSpace(text)
		var quoted string
		if json.Unmarshal([]byte(text), &quoted) == nil && strings.ContainsAny(quoted, "{[") {
			text = strings.TrimSpace(quoted) // put into a string as well
		}
		if json.Valid([]byte(text)) && text != "" {
			list = append(list, json.RawMessage(text))
		}
	}
	written = strings.TrimPrefix(written, "\ufeff")
	if add(written); len(list) > 0 && list[0][0] != '"' {
		return list
	}
	var places []string
	for _, m := range fence.FindAllStringSubmatch(written, maxCandidates) {
		add(m[1])
		places = append(places, m[1])
	}
	opening := "{["
	if objects {
		opening = "{"
	}
	places = append(places, written)
	left := maxCandidates
	for _, place := range places {
		for at := strings.IndexAny(place, opening); at >= 0 && left > 0; left-- {
			end := at + 1
			decoder := json.NewDecoder(strings.NewReader(place[at:]))
			var value json.RawMessage
			if decoder.Decode(&value) == nil {
				list, end = append(list, value), at+int(decoder.InputOffset())
			} else if mended, length, ok := jsonform.MendPrefix(place[at:]); ok {
				list, end = append(list, mended), at+length
			}
			next := strings.IndexAny(place[end:], opening)
			if next < 0 {
				break
			}
			at = end + next
		}
	}
	return list
}
