package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/egress"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/weburl"
	"golang.org/x/net/html/charset"
)

// Caps for what a provider sends: real answers are below 200 KB.
const (
	maxAnswerBytes  = 4 << 20
	maxTitleBytes   = 300
	maxSnippetBytes = 2000
)

// A wire is the connection to one provider's base URL and to no other host.
type wire struct {
	name      string
	client    *http.Client
	userAgent string
}

func newWire(d Deps, name string, base *url.URL) *wire {
	return &wire{name: name, client: d.Guard.TrustedClient(base), userAgent: d.UserAgent}
}

// A reply is a whole answer, decoded from its content encoding. Body is empty where
// Status is not 200: what a refusal says is not shown to anyone.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// get asks for u. Header adds to what travels: the agent, what is accepted, and the
// languages, which some instances insist on.
func (w *wire) get(ctx context.Context, u *url.URL, header http.Header) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeInternal, Op: w.op(), Message: "the request to " + w.name + " could not be made", Err: err}
	}
	req.Header = header.Clone()
	req.Header.Set("Accept-Encoding", "gzip")
	if w.userAgent != "" {
		req.Header.Set("User-Agent", w.userAgent)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, egress.Classify(w.op(), err)
	}
	defer resp.Body.Close()
	r := &reply{status: resp.StatusCode, header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		return r, nil
	}
	body, truncated, err := egress.ReadBody(ctx, resp, egress.Budget{MaxBytes: maxAnswerBytes, MaxWireBytes: maxAnswerBytes})
	if err != nil {
		return nil, egress.Classify(w.op(), err)
	}
	if truncated {
		return nil, w.fail(citewell.CodeResponseTooLarge, fmt.Sprintf("%s sent more than %d MiB", w.name, maxAnswerBytes>>20), "")
	}
	r.body = body
	return r, nil
}

func (w *wire) op() string { return "search " + w.name }

func (w *wire) fail(code citewell.Code, message, hint string) *citewell.Error {
	return &citewell.Error{Code: code, Op: w.op(), Message: message, Hint: hint}
}

// refusal says what a status other than 200 means where the provider gives it no
// meaning of its own.
func (w *wire) refusal(r *reply) *citewell.Error {
	status := fmt.Sprintf("%s answered HTTP %d", w.name, r.status)
	var e *citewell.Error
	switch {
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		e = w.fail(citewell.CodeAuth, status+": the key or password was refused", "check search.providers."+w.name)
	case r.status == http.StatusPaymentRequired:
		e = w.fail(citewell.CodeQuotaExhausted, status+": the account's credits are used up", "")
	case r.status == http.StatusTooManyRequests:
		e = w.fail(citewell.CodeRateLimited, status+": too many calls for now", "")
	case r.status == http.StatusRequestURITooLong:
		e = w.fail(citewell.CodeInvalidArgument, status+": the query is too long", "ask with fewer words")
	case r.status >= 500:
		e = w.fail(citewell.CodeHTTPStatus, status, "")
		e.Err = search.ErrTemporary
	default:
		e = w.fail(citewell.CodeHTTPStatus, status, "")
	}
	e.RetryAfter = search.RetryAfter(r.header, time.Now())
	return e
}

// readJSON decodes a JSON answer, and says what came instead where it is none.
func (w *wire) readJSON(r *reply, into any) error {
	body := bytes.TrimPrefix(bytes.TrimSpace(r.text()), []byte("\ufeff"))
	if len(body) == 0 {
		return w.fail(citewell.CodeBadResponse, w.name+" answered with nothing where JSON was asked", "")
	}
	if body[0] == '<' {
		return w.fail(citewell.CodeBadResponse, w.name+" answered with a web page where JSON was asked",
			"check that search.providers."+w.name+".base_url is its address, with no login page before it")
	}
	if err := json.Unmarshal(body, into); err != nil {
		e := w.fail(citewell.CodeBadResponse, w.name+" sent JSON that is cut off or not in the documented form", "")
		e.Err = err
		return e
	}
	return nil
}

// text returns the body as UTF-8, whatever charset was declared: a declaration is
// believed only where the bytes are not UTF-8 already.
func (r *reply) text() []byte {
	if utf8.Valid(r.body) {
		return r.body
	}
	contentType := r.header.Get("Content-Type")
	if _, params, err := mime.ParseMediaType(contentType); err == nil && strings.EqualFold(params["charset"], "utf-8") {
		return bytes.ToValidUTF8(r.body, []byte("\ufffd"))
	}
	decoded, err := charset.NewReader(bytes.NewReader(r.body), contentType)
	if err != nil {
		return bytes.ToValidUTF8(r.body, []byte("\ufffd"))
	}
	text, err := io.ReadAll(io.LimitReader(decoded, 4*maxAnswerBytes))
	if err != nil {
		return bytes.ToValidUTF8(r.body, []byte("\ufffd"))
	}
	return bytes.ToValidUTF8(text, []byte("\ufffd"))
}

// tidy makes results safe to show and to fetch: plain text on one line, URLs that
// weburl.Parse accepts, dates that are dates, no page twice, at most limit of them
// (0: all), ranked in their order.
func tidy(name string, results []citewell.Result, limit int) []citewell.Result {
	var kept []citewell.Result
	seen := make(map[string]bool)
	for _, r := range results {
		r.URL = strings.TrimSpace(r.URL)
		if _, err := weburl.Parse(r.URL); err != nil || seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		r.Provider = name
		r.Title, r.Snippet = oneLine(r.Title, maxTitleBytes), oneLine(r.Snippet, maxSnippetBytes)
		r.Published = isoDate(r.Published)
		r.Rank = len(kept) + 1
		kept = append(kept, r)
		if len(kept) == limit {
			break
		}
	}
	return kept
}

// oneLine returns s as valid UTF-8 without control and format characters, each run
// of white space one space, cut to at most limit bytes between two runes.
func oneLine(s string, limit int) string {
	var out strings.Builder
	space := false
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		if unicode.IsSpace(r) {
			space = out.Len() > 0
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			continue
		}
		if out.Len()+utf8.RuneLen(r)+1 > limit {
			break
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteRune(r)
	}
	return out.String()
}

// isoDate returns the day of a time in RFC 3339 or a form that begins like it, and
// empty where there is none.
func isoDate(s string) string {
	s = strings.TrimSpace(s)
	if len(s) < len(time.DateOnly) {
		return ""
	}
	day := s[:len(time.DateOnly)]
	if t, err := time.Parse(time.DateOnly, day); err != nil || t.Year() < 1000 {
		return ""
	}
	return day
}
