package textual

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
)

// JSON reads data, one value or one in each line.
var JSON = media.Reader{Name: "application/json", Called: "JSON", Read: readJSON,
	Files: map[string]string{".json": "application/json", ".geojson": "application/json",
		".ndjson": "application/x-ndjson", ".jsonl": "application/x-ndjson"}, Claims: func(page media.Page) string {
		sub, application := strings.CutPrefix(page.Declared, "application/")
		switch {
		case page.Declared == "application/json" || page.Declared == "text/json" || application &&
			(strings.HasSuffix(sub, "+json") || sub == "x-ndjson" || sub == "jsonl"):
			return page.Declared
		case page.Vague && (page.Found == "application/json" || page.Found == "application/geo+json" ||
			page.Found == "application/x-ndjson"):
			return "application/json"
		}
		return ""
	}}

// maxJSONDepth is how deep values are followed; a page that goes deeper stays as it is.
const maxJSONDepth = 100

// readJSON writes JSON, one value or one in each line, as lines of "key: value", indented by depth. A short record of a
// list is one line, so that its figure can be quoted with its day. Numbers, and what is no JSON, stay as they are.
func readJSON(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindData}
	w := jsonWriter{room: in.MaxText + 1}
	decoder := &tokens{Decoder: json.NewDecoder(deadline.Reader(ctx, strings.NewReader(in.Text)))}
	decoder.UseNumber()
	var err error
	for err == nil && w.room > 0 {
		token, end := decoder.Token()
		if errors.Is(end, io.EOF) {
			break
		}
		if err = end; err == nil {
			err = w.value(decoder, token, 0, "")
		}
	}
	switch {
	case ctx.Err() != nil:
		return r, deadline.ErrCut
	case err == nil || errors.Is(err, errFullJSON):
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		r.Degraded = "the JSON ends before its values do: read to there"
	default:
		r.Degraded = "the page is no JSON that is read by its keys: kept as it is written"
		w.out.Reset()
		w.out.WriteString(plain.LineEnds.Replace(in.Text))
	}
	if text := block.CodeText(charset.WellFormedText(w.out.String())); text != "" {
		r.Blocks = []block.Block{{Kind: block.Code, Text: text}}
		r.Markdown = block.Markdown(r.Blocks)
	}
	return r, nil
}

var (
	errFullJSON = errors.New("there is more than is kept")
	errDeepJSON = errors.New("values are nested too deep")
)

type jsonWriter struct {
	out  strings.Builder
	room int
}

func (w *jsonWriter) line(s string) error {
	if w.room -= len(s) + 1; w.room < 0 {
		return errFullJSON
	}
	w.out.WriteString(s)
	w.out.WriteByte('\n')
	return nil
}

// value writes the value that begins with token. lead is what stands before it in its line: a key, a dash, or nothing.
func (w *jsonWriter) value(d *tokens, token json.Token, depth int, lead string) error {
	indent := strings.Repeat("  ", min(depth, maxJSONDepth))
	open, is := token.(json.Delim)
	if !is {
		return w.line(indent + lead + scalar(token, indent+"  "))
	}
	if !d.More() {
		_, err := d.Token()
		if err != nil {
			return err
		}
		return w.line(indent + lead + map[json.Delim]string{'{': "{}", '[': "[]"}[open])
	}
	if depth >= maxJSONDepth {
		return errDeepJSON
	}
	if open == '{' && lead == inList {
		if row := d.row(); row != "" {
			return w.line(indent + lead + row)
		}
	}
	if lead != "" {
		if err := w.line(strings.TrimRight(indent+lead, " ")); err != nil {
			return err
		}
		depth++
	}
	for d.More() {
		next := inList
		if open == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			next = plain.OneLine(key.(string)) + ": "
		}
		token, err := d.Token()
		if err != nil {
			return err
		}
		if err := w.value(d, token, depth, next); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// inList stands before a value of a list.
const inList = "- "

// maxRow is how many bytes a record has at most that is written as one line.
const maxRow = 300

// tokens are those of a decoder, of which some were looked at before their turn.
type tokens struct {
	*json.Decoder
	ahead []json.Token
}

func (t *tokens) Token() (json.Token, error) {
	if len(t.ahead) > 0 {
		next := t.ahead[0]
		t.ahead = t.ahead[1:]
		return next, nil
	}
	return t.Decoder.Token()
}

func (t *tokens) More() bool {
	if len(t.ahead) > 0 {
		return t.ahead[0] != json.Delim('}') && t.ahead[0] != json.Delim(']')
	}
	return t.Decoder.More()
}

// row takes the rest of an object as the cells of one line, "date: 2023 | country.id: DE". It is empty and takes
// nothing for lists, deeper objects, lines, or more than maxRow bytes.
func (t *tokens) row() string {
	var cells []string
	var keys []string // of the value that comes next, or of the object that it is in
	room, named := maxRow, false
	for at := 0; ; at++ {
		if at == len(t.ahead) {
			token, err := t.Decoder.Token()
			if err != nil {
				return "" // it comes again in its turn
			}
			t.ahead = append(t.ahead, token)
		}
		token := t.ahead[at]
		switch {
		case token == json.Delim('}') && len(keys) == 0:
			t.ahead = t.ahead[at+1:]
			return strings.Join(cells, citewell.Cells)
		case token == json.Delim('}'):
			if t.ahead[at-1] == json.Delim('{') {
				return "" // an empty object has no cell
			}
			keys = nil
		case !named:
			keys, named = append(keys, plain.OneLine(token.(string))), true
		case token == json.Delim('{') && len(keys) == 1:
			named = false
		default:
			cell := strings.Join(keys, ".") + ": " + scalar(token, "")
			if _, nested := token.(json.Delim); nested || len(cell) > room || strings.ContainsAny(cell, "\n|") {
				return ""
			}
			room -= len(cell)
			cells, keys, named = append(cells, cell), keys[:len(keys)-1], false
		}
	}
}

// scalar is a value in its line; the further lines of a long string stand below, set in.
func scalar(token json.Token, indent string) string {
	switch v := token.(type) {
	case string:
		if v == "" {
			return `""`
		}
		return strings.ReplaceAll(strings.TrimRight(plain.LineEnds.Replace(v), "\n"), "\n", "\n"+indent)
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	return "null"
}
