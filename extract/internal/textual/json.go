package textual

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/charset"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
)

// JSON reads data, one value or one in each line.
var JSON = media.Reader{Name: "application/json", Called: "JSON", Read: readJSON, Claims: func(page media.Page) string {
	sub, application := strings.CutPrefix(page.Declared, "application/")
	switch {
	case page.Declared == "application/json" || page.Declared == "text/json" || application && (strings.HasSuffix(sub, "+json") || sub == "x-ndjson" || sub == "jsonl"):
		return page.Declared
	case page.Vague && (page.Found == "application/json" || page.Found == "application/geo+json" || page.Found == "application/x-ndjson"):
		return "application/json"
	}
	return ""
}}

// maxJSONDepth is how deep values are followed; a page that goes deeper stays as it is.
const maxJSONDepth = 100

// readJSON writes JSON, one value or one in each line, as lines of "key: value",
// indented by depth, so that a line can be quoted with its key. Numbers stay as
// they were written. What is no JSON stays as it is.
func readJSON(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindData}
	w := jsonWriter{room: in.MaxText + 1}
	decoder := json.NewDecoder(deadline.Reader(ctx, strings.NewReader(in.Text)))
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

// value writes the value that begins with token. lead is what stands before it in
// its line: a key, a dash, or nothing.
func (w *jsonWriter) value(d *json.Decoder, token json.Token, depth int, lead string) error {
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
	if lead != "" {
		if err := w.line(strings.TrimRight(indent+lead, " ")); err != nil {
			return err
		}
		depth++
	}
	for d.More() {
		next := "- "
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

// scalar is a value in its line; the further lines of a long string stand below,
// set in.
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
