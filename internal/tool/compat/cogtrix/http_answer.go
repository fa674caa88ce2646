package cogtrix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
	"golang.org/x/net/html/charset"
)

// httpAnswer is what an API answered, as data.
type httpAnswer struct {
	Status      int               `json:"status"`
	StatusText  string            `json:"status_text"`
	FinalURL    string            `json:"final_url" jsonschema:"after redirects"`
	ContentType string            `json:"content_type,omitempty"`
	Headers     map[string]string `json:"headers" jsonschema:"those of the answer's headers that tell a caller something; never cookies"`
	Bytes       int               `json:"bytes" jsonschema:"of the body that were read"`
	Truncated   bool              `json:"truncated" jsonschema:"the body goes on beyond the 512,000 bytes that are read"`
	Form        string            `json:"form" jsonschema:"what body is: json, html (its text), text, binary (not shown) or empty"`
	Body        string            `json:"body"`
	JSON        any               `json:"json,omitempty" jsonschema:"the same as data, where it is JSON and body holds all of it"`
	Notes       []string          `json:"notes" jsonschema:"what was not done as it was asked: headers left out, a redirect that changed the request"`
}

// What a body is.
const (
	formJSON   = "json"
	formHTML   = "html"
	formText   = "text"
	formBinary = "binary"
	formEmpty  = "empty"
)

// call makes a call as a tool's caller wrote it; Body of the answer is the whole text.
func (d Deps) call(ctx context.Context, method, url string, headers any, timeoutSeconds int,
	data []byte) (httpAnswer, error) {
	header, notes, err := httpwire.ParseHeader(headers)
	if err != nil {
		return httpAnswer{}, err
	}
	reply, err := d.Caller.Do(ctx, fetch.Call{Method: method, URL: strings.TrimSpace(url), Header: header, Body: data,
		Timeout: time.Duration(timeoutSeconds) * time.Second})
	if err != nil {
		return httpAnswer{}, err
	}
	a := httpAnswer{Status: reply.Status, StatusText: http.StatusText(reply.Status), FinalURL: reply.FinalURL,
		ContentType: headerValue(reply.Header, "Content-Type"),
		Headers:     tellingHeaders(reply.Header), Bytes: len(reply.Body), Truncated: reply.Truncated,
		Notes: append(append([]string{}, notes...), reply.Notes...)}
	return a, d.readBody(ctx, &a, reply)
}

// readBody puts the body into a, in the form in which it can be read.
func (d Deps) readBody(ctx context.Context, a *httpAnswer, reply fetch.Reply) error {
	media, _, err := mime.ParseMediaType(reply.Header.Get("Content-Type"))
	if err != nil {
		media = ""
	}
	text, isText := textOf(reply, media)
	switch {
	case len(reply.Body) == 0:
		a.Form = formEmpty
	case !isText:
		a.Form = formBinary
		a.Body = fmt.Sprintf("[%s, %d bytes: no text, not shown]", cmp.Or(a.ContentType, "an unknown type"), a.Bytes)
	case looksJSON(media, text) && json.Valid([]byte(text)):
		a.Form, a.JSON = formJSON, json.RawMessage(text)
		a.Body = indented(text)
	case media == "text/html", media == "application/xhtml+xml",
		media == "" && strings.HasPrefix(http.DetectContentType(reply.Body), "text/html"):
		a.Form = formHTML
		page := citewell.Page{URL: a.FinalURL, FinalURL: a.FinalURL, Status: a.Status,
			ContentType: reply.Header.Get("Content-Type"),
			FetchedAt:   reply.FetchedAt, Body: reply.Body, SHA256: citewell.SHA256(reply.Body),
			Outcome: citewell.FetchOK}
		doc, err := d.Extract(ctx, page)
		switch citewell.CodeOf(err) {
		case "":
			a.Body = doc.Text
		case citewell.CodeExtractionFailed, citewell.CodeExtractionTimeout, citewell.CodeUnsupportedType:
			a.Body = "[the page holds no text that could be read]"
		default:
			return err
		}
	default:
		a.Form, a.Body = formText, text
	}
	return nil
}

// textOf returns the body as clean UTF-8, and whether it is text at all, by its bytes before its declared type.
func textOf(reply fetch.Reply, media string) (string, bool) {
	body := reply.Body
	if reply.Truncated { // the cut may have split a character
		for cut := 0; cut < utf8.UTFMax-1 && len(body) > 0 && !utf8.Valid(body); cut++ {
			body = body[:len(body)-1]
		}
		if !utf8.Valid(body) {
			body = reply.Body
		}
	}
	declaredText := strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "json") ||
		strings.HasSuffix(media, "xml")
	if !declaredText && !strings.HasPrefix(http.DetectContentType(body), "text/") {
		return "", false
	}
	wide := bytes.HasPrefix(body, []byte("\xfe\xff")) || bytes.HasPrefix(body, []byte("\xff\xfe"))
	if wide || !utf8.Valid(body) {
		reader, err := charset.NewReader(bytes.NewReader(body), reply.Header.Get("Content-Type"))
		if err != nil {
			return "", false
		}
		if body, err = io.ReadAll(io.LimitReader(reader, 4*fetch.DefaultCallMaxBytes)); err != nil {
			return "", false
		}
	}
	if bytes.IndexByte(body, 0) >= 0 {
		return "", false
	}
	return tool.CleanLines(string(body)), true
}

func looksJSON(media, text string) bool {
	if strings.HasSuffix(media, "/json") || strings.HasSuffix(media, "+json") {
		return true
	}
	start := strings.TrimLeft(text, " \t\r\n")
	return (media == "" || media == "text/plain" || media == "application/octet-stream") &&
		(strings.HasPrefix(start, "{") || strings.HasPrefix(start, "["))
}

// maxIndented is how deep JSON may be to be set out: each level costs two bytes a line.
const maxIndented = 24

// indented sets JSON out over lines; JSON that is too deep stays as it came.
func indented(text string) string {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	var b bytes.Buffer
	if deepest > maxIndented || json.Indent(&b, []byte(strings.TrimSpace(text)), "", "  ") != nil {
		return text
	}
	return b.String()
}

// telling are the headers of an answer that a caller can use.
var telling = []string{"Allow", "Cache-Control", "Content-Disposition", "Content-Language", "Content-Range", "Date",
	"Etag", "Expires", "Last-Modified",
	"Link", "Location", "Retry-After", "Server", "Www-Authenticate", "X-Request-Id", "X-Total-Count",
	"Ratelimit-Limit", "Ratelimit-Remaining", "Ratelimit-Reset", "X-Ratelimit-Limit", "X-Ratelimit-Remaining",
	"X-Ratelimit-Reset"}

func tellingHeaders(header http.Header) map[string]string {
	headers := map[string]string{}
	for _, name := range telling {
		if header[name] != nil {
			headers[name] = headerValue(header, name)
		}
	}
	return headers
}

// headerValue is a header on one line, of at most 500 bytes.
func headerValue(header http.Header, name string) string {
	value, _ := tool.Window{MaxLength: 500}.Cut(text.OneLine(tool.CleanLines(strings.Join(header[name], ", "))))
	return value
}

// text is the answer as a model reads it; body is the part of it that is shown.
func (a httpAnswer) text(body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Status: %s\n", strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, a.StatusText)))
	if a.ContentType != "" {
		fmt.Fprintf(&b, "Content-Type: %s\n", a.ContentType)
	}
	fmt.Fprintf(&b, "Content-Length: %d bytes", a.Bytes)
	if a.Truncated {
		b.WriteString(" (read limit reached)")
	}
	b.WriteByte('\n')
	for _, note := range a.Notes {
		fmt.Fprintf(&b, "Note: %s\n", note)
	}
	label := cmp.Or(map[string]string{formJSON: "Response (JSON):", formHTML: "Response (text extracted from HTML):",
		formEmpty: "Response: (empty)"}[a.Form], "Response:")
	fmt.Fprintf(&b, "\n%s\n%s", label, body)
	return strings.TrimRight(b.String(), "\n")
}

// shown is the answer of which only this part of the body is given.
func (a httpAnswer) shown(part string) httpAnswer {
	if part != a.Body {
		a.JSON = nil
	}
	a.Body = part
	return a
}

// originalBody is how much of a body Cogtrix's own tools show, in characters.
const originalBody = 10_000

// An originalHTTPOutput is the answer in Cogtrix's form, which knows no parts.
type originalHTTPOutput struct {
	httpAnswer
	body string
}

// Text is the answer as a model reads it.
func (o originalHTTPOutput) Text() string { return o.text(o.body) }

func originalHTTP(a httpAnswer, err error) (originalHTTPOutput, error) {
	part := firstRunes(a.Body, originalBody)
	body := part
	if len(part) < len(a.Body) {
		body += fmt.Sprintf("\n... (truncated, %d total characters)", utf8.RuneCountInString(a.Body))
	}
	return originalHTTPOutput{a.shown(part), body}, err
}

// firstRunes is s up to its first n characters.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// withHeaders completes the schema of a tool that takes headers, for Cogtrix also as JSON in a string.
func withHeaders(t *tool.Tool) *tool.Tool {
	t.Input.Properties["headers"].Type = "object"
	return t
}
