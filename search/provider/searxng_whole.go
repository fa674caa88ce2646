package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strconv"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
)

// A searxngWhole is an instance as its own API has it: what is asked goes there as it
// stands, with bangs, languages and keywords in it, and what is answered comes back
// with every field. It has no limits of its own either; a search.Gate holds it to them.
type searxngWhole struct{ p *searxng }

// OpenSearXNG returns the configured instance. Its errors are New's.
func OpenSearXNG(d Deps) (*searxngWhole, error) {
	p, err := NewWith(d, services.SearXNGOptions{})
	if err != nil {
		return nil, err
	}
	return &searxngWhole{p.(*searxng)}, nil
}

// Ask puts q to the instance. An answer that holds nothing but engines which failed is
// an error: nobody knows then whether there is something to find.
func (s *searxngWhole) Ask(ctx context.Context, q services.SearXNGQuery) (services.SearXNGAnswer, error) {
	params := maps.Clone(s.p.fixed)
	params.Set("q", q.Text)
	params.Set("format", "json")
	params.Set("safesearch", strconv.Itoa(q.SafeSearch))
	for name, value := range map[string]string{"time_range": string(q.TimeRange), "categories": q.Categories,
		"language": q.Language} {
		if value != "" {
			params.Set(name, value)
		}
	}
	if q.Page > 1 {
		params.Set("pageno", strconv.Itoa(q.Page))
	}
	r, err := s.p.ask(ctx, params)
	if err != nil {
		return services.SearXNGAnswer{}, s.bangAway(q, err)
	}
	return s.p.readWhole(r)
}

// bangAway says whose wish it was where an instance wants to send us to another host:
// the query's own, by the bang that means "go there" and not "search there".
func (s *searxngWhole) bangAway(q services.SearXNGQuery, err error) error {
	e, ok := errors.AsType[*citewell.Error](err)
	if !ok || e.Code != citewell.CodeBlockedRedirect || !strings.Contains(q.Text, "!!") {
		return err
	}
	return &citewell.Error{Code: e.Code, Op: e.Op, Err: err,
		Message: "the query's !! asks searxng to send its reader to another site, which is not followed",
		Hint:    "search there with one !, as in !wp, or fetch the site's page by its URL"}
}

func (p *searxng) readWhole(r *reply) (services.SearXNGAnswer, error) {
	var known searxngAnswer // whether it is an answer at all, and which engines failed
	if err := p.readAnswer(r, &known, "results"); err != nil {
		return services.SearXNGAnswer{}, err
	}
	body, err := visible(bytes.TrimPrefix(bytes.TrimSpace(r.text()), []byte("\ufeff")))
	var a services.SearXNGAnswer
	if err == nil {
		err = json.Unmarshal(body, &a.Other)
	}
	if err != nil { // it cannot be: it has been read once
		return services.SearXNGAnswer{}, p.fail(citewell.CodeBadResponse,
			"searxng sent JSON that cannot be read twice", "")
	}
	for name, list := range map[string]*[]json.RawMessage{"results": &a.Results, "answers": &a.Answers,
		"corrections": &a.Corrections,
		"infoboxes":   &a.Infoboxes, "suggestions": &a.Suggestions, "unresponsive_engines": &a.UnresponsiveEngines} {
		raw, ok := a.Other[name]
		delete(a.Other, name)
		if ok && json.Unmarshal(raw, list) != nil {
			return services.SearXNGAnswer{}, p.fail(citewell.CodeBadResponse,
				"searxng sent "+name+" that are no list", "")
		}
	}
	failed := known.failedEngines()
	if len(failed) > 0 && len(a.Results)+len(a.Answers)+len(a.Infoboxes) == 0 {
		return services.SearXNGAnswer{}, p.enginesDown(failed)
	}
	return a, nil
}

// visible rewrites JSON, in its own order and with its own numbers, without the
// characters that only a machine would see, in names and in strings: control, zero-width,
// bidirectional and tag characters. Line ends and tabs stay.
func visible(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var b bytes.Buffer
	if err := writeVisible(&b, d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeVisible(b *bytes.Buffer, d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		b.WriteString(v.String())
		for n := 0; d.More(); n++ {
			if n > 0 {
				b.WriteByte(',')
			}
			if v == '{' {
				if err := writeVisible(b, d); err != nil { // the name
					return err
				}
				b.WriteByte(':')
			}
			if err := writeVisible(b, d); err != nil {
				return err
			}
		}
		end, err := d.Token()
		if err != nil {
			return err
		}
		b.WriteString(end.(json.Delim).String())
		return nil
	case string:
		return writeString(b, strings.Map(func(r rune) rune {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
				return -1
			}
			return r
		}, v))
	case json.Number:
		b.WriteString(v.String())
	case bool:
		b.WriteString(strconv.FormatBool(v))
	default:
		b.WriteString("null")
	}
	return nil
}

// writeString writes s without the escapes that only a web page would need.
func writeString(b *bytes.Buffer, s string) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // the line's end
	return nil
}
