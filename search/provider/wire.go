package provider

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/search"
	"golang.org/x/net/html/charset"
)

// maxAnswerBytes caps what a provider sends: real answers are below 200 KB.
const maxAnswerBytes = 4 << 20

// What is read of a refusal: its code stands at the beginning.
const (
	refusalBytes    = 16 << 10
	refusalPatience = 500 * time.Millisecond
)

// A wire is the connection to one provider's base URL and to no other host.
type wire struct {
	name      string
	client    *http.Client
	userAgent string
	most      int64 // bytes of an answer
	refused   refuse
}

// A refuse says what an answer with another status than 200 means.
type refuse func(*wire, *reply) *citewell.Error

func newWire(d Deps, name string, base *url.URL, refused refuse) *wire {
	return &wire{name: name, client: cmp.Or(d.Guard, egress.Default()).TrustedClient(base), userAgent: d.agentFor(name),
		most: maxAnswerBytes, refused: refused}
}

// Name implements search.Provider.
func (w *wire) Name() string { return w.name }

// Profile implements search.Profiled.
func (w *wire) Profile() search.Profile { return profileOf(w.name) }

// A reply is a whole answer, decoded from its content encoding, or a refusal: there status is
// not 200, and body is what came soon of the first refusalBytes. It serves to tell refusals
// apart and is not shown to anyone, since it may hold the query or the key.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// get asks for u. Header adds to what travels: the agent, what is accepted, and the
// languages, which some instances insist on.
func (w *wire) get(ctx context.Context, u *url.URL, header http.Header) (*reply, error) {
	return w.send(ctx, http.MethodGet, u, header, nil)
}

// getJSON asks for u where the answer is JSON.
func (w *wire) getJSON(ctx context.Context, u *url.URL, header http.Header) (*reply, error) {
	header = header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("Accept", "application/json")
	return w.send(ctx, http.MethodGet, u, header, nil)
}

// getAnswer asks for u, whose answer readAnswer decodes.
func (w *wire) getAnswer(ctx context.Context, u *url.URL, header http.Header, into any, members ...string) error {
	r, err := w.getJSON(ctx, u, header)
	if err != nil {
		return err
	}
	return w.readAnswer(r, into, members...)
}

// postJSON sends body as JSON. A POST is not redirected, not even within the host.
func (w *wire) postJSON(ctx context.Context, u *url.URL, header http.Header, body any) (*reply, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, w.unsent()
	}
	header = header.Clone()
	header.Set("Accept", "application/json")
	header.Set("Content-Type", "application/json")
	return w.send(ctx, http.MethodPost, u, header, encoded)
}

func (w *wire) send(ctx context.Context, method string, u *url.URL, header http.Header, body []byte) (*reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, w.unsent() // err has the URL in it, and that may have the key
	}
	req.Header = header.Clone()
	req.Header.Set("Accept-Encoding", "gzip")
	if w.userAgent != "" {
		req.Header.Set("User-Agent", w.userAgent)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return nil, httpwire.Classify(w.op(), err)
	}
	defer resp.Body.Close()
	r := &reply{status: resp.StatusCode, header: resp.Header}
	if resp.StatusCode != http.StatusOK {
		r.body = refusalBody(ctx, resp)
		return nil, w.refused(w, r)
	}
	content, truncated, err := httpwire.ReadBody(ctx, resp, httpwire.Budget{MaxBytes: w.most, MaxWireBytes: w.most})
	if err != nil {
		return nil, httpwire.Classify(w.op(), err)
	}
	if truncated {
		return nil, w.fail(citewell.CodeResponseTooLarge, fmt.Sprintf("%s sent more than %d MiB", w.name, w.most>>20),
			"")
	}
	r.body = content
	return r, nil
}

// refusalBody reads what explains a refusal, for a short time only: the status alone
// says enough where it does not come.
func refusalBody(ctx context.Context, resp *http.Response) []byte {
	ctx, cancel := context.WithTimeout(ctx, refusalPatience)
	defer cancel()
	body, _, err := httpwire.ReadBody(ctx, resp, httpwire.Budget{MaxBytes: refusalBytes, MaxWireBytes: refusalBytes})
	if err != nil {
		return nil
	}
	return body
}

func (w *wire) unsent() *citewell.Error {
	return w.fail(citewell.CodeInternal, "the request to "+w.name+" could not be made; please report it", "")
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
		e = w.fail(citewell.CodeQuotaExhausted, status+": the account's credits are used up",
			"top the account up, or leave this provider out")
	case r.status == http.StatusTooManyRequests:
		e = w.fail(citewell.CodeRateLimited, status+": too many calls for now", "")
	case r.status == http.StatusBadRequest, r.status == http.StatusUnprocessableEntity:
		e = w.fail(citewell.CodeInvalidArgument, status+": it does not take the query as it was put",
			"use other words, or no region, time range or option of its own")
	case r.status == http.StatusRequestURITooLong:
		e = w.fail(citewell.CodeInvalidArgument, status+": the query is too long", "ask with fewer words")
	case r.status >= 500:
		e = w.fail(citewell.CodeHTTPStatus, status, "")
		e.Err = search.ErrTemporary
	default:
		e = w.fail(citewell.CodeHTTPStatus, status, "")
		if r.status == http.StatusNotFound {
			e.Err = errNotThere
		}
	}
	e.RetryAfter = httpwire.RetryAfter(r.header, time.Now())
	if e.RetryAfter > 0 && e.Hint == "" {
		e.Hint = "it asked for a pause"
	}
	return e
}

// errNotThere marks a 404, which says of a look-up that the register has no such record.
var errNotThere = errors.New("not there")

// getRecord asks for one record, and says whether there is one.
func (w *wire) getRecord(ctx context.Context, u *url.URL, header http.Header, into any,
	members ...string) (there bool, err error) {
	err = w.getAnswer(ctx, u, header, into, members...)
	if errors.Is(err, errNotThere) {
		return false, nil
	}
	return err == nil, err
}

// become gives a refusal another meaning than its status has. Code is the provider's
// own name for it, shown where it is one.
func (w *wire) become(e *citewell.Error, code citewell.Code, own, message, hint string) *citewell.Error {
	if refusalCode.MatchString(own) {
		message += " (" + own + ")"
	}
	e.Code, e.Message, e.Hint = code, w.name+" "+message, hint
	return e
}

// refusalCode is the form of a provider's own error codes; a key or a query has
// another one.
var refusalCode = lazyregexp.New(`^[A-Z]{2,}(_[A-Z]+)*$`)

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

// readAnswer decodes a JSON object that has at least one of the members which every
// answer of this API has; what has none of them is somebody else's.
func (w *wire) readAnswer(r *reply, into any, members ...string) error {
	var fields map[string]json.RawMessage
	if err := w.readJSON(r, &fields); err != nil {
		return err
	}
	for _, member := range members {
		if _, ok := fields[member]; ok {
			return w.readJSON(r, into)
		}
	}
	return w.fail(citewell.CodeBadResponse, "what answered is JSON, but no answer of "+w.name,
		"check search.providers."+w.name+".base_url")
}

// kept tidies the results of an answer that said it had found some. One of which nothing can
// be read is in another form than the documented one, and not empty.
func (w *wire) kept(results []citewell.Result, found, limit int) ([]citewell.Result, error) {
	tidied := tidy(w.name, results, limit)
	if found > 0 && len(tidied) == 0 {
		return nil, w.fail(citewell.CodeBadResponse, w.name+" sent results of which none can be read", "")
	}
	return tidied, nil
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
