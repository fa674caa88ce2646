package provider

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/weburl"
)

// A PageText is what a provider read of one page, on its own machines. Text is as it
// came, of many lines; Err says why there is none.
type PageText struct {
	URL    string // as asked; as the provider calls it, for what was not asked
	Title  string // on one line
	Text   string
	ReadAt time.Time // UTC; when the provider said it
	Err    *citewell.Error
}

// MaxPageURLs is how many pages one call may ask for.
const MaxPageURLs = 20

// maxPageTextBytes caps an answer that holds whole pages.
const maxPageTextBytes = 16 << 20

// A reader asks one provider for texts of pages, within the rate of its Description.
type reader struct {
	*wire
	endpoint *url.URL
	key      citewell.Secret
	bucket   *rate.Limiter
}

// newReader is at path below the provider's address, which may be configured with the
// path of its search.
func newReader(d Deps, name, public, path string, refused refuse) (*reader, error) {
	if err := d.missing(registry[name]); err != nil {
		return nil, err
	}
	s := d.Settings[name]
	configured := strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(s.BaseURL), "/"), "/search")
	u, err := endpoint(name, configured, public, path)
	if err != nil {
		return nil, err
	}
	limits := d.Limits(name)
	r := &reader{newWire(d, name, u, refused), u, s.APIKey, rate.NewLimiter(rate.Limit(limits.Rate), max(limits.Burst, 1))}
	r.most = maxPageTextBytes
	r.refused = func(w *wire, answer *reply) *citewell.Error { return r.unusable(answer.status, refused(w, answer)) }
	return r, nil
}

// turn waits until the provider may be asked again.
func (r *reader) turn(ctx context.Context) error {
	if err := r.bucket.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return r.fail(citewell.CodeRateLimited, fmt.Sprintf("our own limit of %g calls a second leaves no time for this one", float64(r.bucket.Limit())), "ask for fewer pages, or later")
	}
	return nil
}

// ask posts body in its turn.
func (r *reader) ask(ctx context.Context, header http.Header, body any) (*reply, error) {
	if err := r.turn(ctx); err != nil {
		return nil, egress.Classify(r.op(), err)
	}
	return r.postJSON(ctx, r.endpoint, header, body)
}

// CheckPageURL says why a service is not asked for a page: its URL is none, or it
// means something inside a network only, and such names are nothing for a third party.
func CheckPageURL(raw string) error {
	u, err := weburl.Parse(raw)
	if err != nil {
		return err
	}
	if isInside(u.Hostname()) {
		return &citewell.Error{Code: citewell.CodeBlockedAddress, Op: "search",
			Message: "it is not a public address, and is sent to no service"}
	}
	return nil
}

// CheckPageURLs checks what one call asks for, and names the one that is wrong.
func CheckPageURLs(urls []string) error {
	if len(urls) == 0 || len(urls) > MaxPageURLs {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search", Message: fmt.Sprintf("urls must have 1 to %d items; it has %d", MaxPageURLs, len(urls))}
	}
	for i, raw := range urls {
		if err := CheckPageURL(raw); err != nil {
			view := citewell.View(err)
			return &citewell.Error{Code: view.Code, Op: "search", Message: fmt.Sprintf("urls[%d]: %s", i, view.Message), Hint: view.Hint, Err: err}
		}
	}
	return nil
}

// isInside tells hosts that mean something within one network only.
func isInside(host string) bool {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		addr = addr.Unmap()
		return !addr.IsGlobalUnicast() || addr.IsPrivate()
	}
	dot := strings.LastIndexByte(host, '.')
	return dot < 0 || slices.Contains([]string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp"}, host[dot+1:]) || strings.HasSuffix(host, ".home.arpa")
}

// unusable turns the refusal of a request into words about pages.
func (r *reader) unusable(status int, e *citewell.Error) *citewell.Error {
	if e.Code == citewell.CodeInvalidArgument {
		e.Message = fmt.Sprintf("%s answered HTTP %d: it does not take these URLs as they were put", r.name, status)
		e.Hint = "check each of them, or ask for fewer"
	}
	return e
}

// inOrder puts found beside the URLs that were asked for, each once; what was asked
// for and is not among them says so, and what nobody asked for comes after it. A
// provider may spell a URL in its own way, so the canonical form tells them too.
func (r *reader) inOrder(urls []string, found []PageText) []PageText {
	now := time.Now().UTC()
	for i := range found {
		found[i].ReadAt = now
	}
	texts := make([]PageText, 0, len(urls))
	used := make([]bool, len(found))
	take := func(same func(string) bool) (PageText, bool) {
		for i, p := range found {
			if !used[i] && same(p.URL) {
				used[i] = true
				return p, true
			}
		}
		return PageText{}, false
	}
	exact := make([]PageText, len(urls))
	for i, asked := range urls { // those that are spelled alike go first
		if p, ok := take(func(u string) bool { return u == asked }); ok {
			p.URL = asked
			exact[i] = p
		}
	}
	for i, asked := range urls {
		p := exact[i]
		if before := slices.Index(urls[:i], asked); before >= 0 && p.URL == "" {
			p = texts[before]
		}
		if p.URL == "" {
			var ok bool
			if p, ok = take(func(u string) bool { return weburl.Canonical(u) == weburl.Canonical(asked) }); !ok {
				p.Err = r.fail(citewell.CodeBadResponse, r.name+" said nothing about this URL", "")
			}
			p.URL = asked
		}
		texts = append(texts, p)
	}
	for i, p := range found {
		if !used[i] && p.Err == nil {
			texts = append(texts, p)
		}
	}
	return texts
}

// page is one that came; without text it has an error.
func (r *reader) page(url string, title, text loose) PageText {
	p := PageText{URL: url, Title: oneLine(string(title), maxTitleBytes), Text: strings.TrimSpace(string(text))}
	if p.Text == "" {
		p.Err = r.fail(citewell.CodeEmptyBody, r.name+" found no content in it", "")
	}
	return p
}

// pageFailed is the error of one page among others: the provider's own words, on one
// line, without a URL that may hold a key.
func (r *reader) pageFailed(code citewell.Code, said string) *citewell.Error {
	said = cmp.Or(oneLine(said, maxTitleBytes), "no reason given")
	return r.fail(code, r.name+" could not read it: "+said, "")
}
