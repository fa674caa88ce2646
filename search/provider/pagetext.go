package provider

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/weburl"
	"golang.org/x/time/rate"
)

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
	r := &reader{newWire(d, name, u, refused), u, s.APIKey,
		rate.NewLimiter(rate.Limit(limits.Rate), max(limits.Burst, 1))}
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
		return r.fail(citewell.CodeRateLimited, fmt.Sprintf("our own limit of %g calls a second leaves no time for "+
			"this one", float64(r.bucket.Limit())), "ask for fewer pages, or later")
	}
	return nil
}

// ask posts body in its turn.
func (r *reader) ask(ctx context.Context, header http.Header, body any) (*reply, error) {
	if err := r.turn(ctx); err != nil {
		return nil, httpwire.Classify(r.op(), err)
	}
	return r.postJSON(ctx, r.endpoint, header, body)
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
func (r *reader) inOrder(urls []string, found []services.PageText) []services.PageText {
	now := time.Now().UTC()
	for i := range found {
		found[i].ReadAt = now
	}
	texts := make([]services.PageText, 0, len(urls))
	used := make([]bool, len(found))
	take := func(same func(string) bool) (services.PageText, bool) {
		for i, p := range found {
			if !used[i] && same(p.URL) {
				used[i] = true
				return p, true
			}
		}
		return services.PageText{}, false
	}
	exact := make([]services.PageText, len(urls))
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
func (r *reader) page(url string, title, text loose) services.PageText {
	p := services.PageText{URL: url, Title: oneLine(string(title), maxTitleBytes),
		Text: strings.TrimSpace(string(text))}
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
