package fetch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/weburl"
)

// An ArchiveUse says when the copy of an archive may take a page's place.
type ArchiveUse int

const (
	ArchiveNever    ArchiveUse = iota
	ArchiveWhenGone            // the page is Gone, and the Archive is asked unasked
	ArchiveOnly                // the page itself is not asked for
)

// WhenGone is ArchiveWhenGone where that is wanted, and ArchiveNever where it is not.
func WhenGone(wanted bool) ArchiveUse {
	if wanted {
		return ArchiveWhenGone
	}
	return ArchiveNever
}

// ArchiveOptions say which archive is asked, and how.
type ArchiveOptions struct {
	BaseURL   string  // "" is DefaultArchiveURL. It is the operator's word: its address is not judged
	Rate      float64 // requests a second; 0 is the most that DefaultArchiveURL is asked, MaxArchiveRate
	OnlyAsked bool    // a page that is gone is no reason, ArchiveOnly is
}

// An Archive keeps old copies of pages, as the Wayback Machine does. It gets one request at a time, and none for a
// while after it refused.
//
// Wire: the CDX server's JSON at /cdx/search/cdx, the bytes of a capture at /web/TIMEid_/URL.
type Archive struct {
	base      *url.URL
	spacing   time.Duration
	onlyAsked bool
}

// NewArchive checks the options; invalid_config says what is wrong with them.
func NewArchive(o ArchiveOptions) (*Archive, error) {
	base, err := weburl.Parse(cmp.Or(o.BaseURL, DefaultArchiveURL))
	if err != nil || strings.Trim(base.Path, "/") != "" || base.RawQuery != "" || base.Fragment != "" || o.Rate < 0 {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "fetch.archive",
			Message: "the archive's address or rate cannot be used",
			Hint:    "an address without a path, as in " + DefaultArchiveURL + ", and a rate of 0 or more", Err: err}
	}
	base.Path = ""
	rate := cmp.Or(o.Rate, MaxArchiveRate)
	if base.String() == DefaultArchiveURL {
		rate = min(rate, MaxArchiveRate)
	}
	return &Archive{base: base, spacing: time.Duration(float64(time.Second) / rate), onlyAsked: o.OnlyAsked}, nil
}

// Gone reports whether a fetch ended with err because there is no such page any more: its server says so by 404 or 410,
// or its host has no address. A page that is refused, slow, or behind a failing server is not gone.
func Gone(err error) bool {
	switch StatusOf(err) {
	case http.StatusNotFound, http.StatusGone:
		return true
	}
	return hostGone(err)
}

// hostGone says whether a host has no address: an answer, not the lack of one.
func hostGone(err error) bool {
	if citewell.CodeOf(err) != citewell.CodeDNSFailed {
		return false
	}
	dns, ok := errors.AsType[*net.DNSError](err)
	return !ok || dns.IsNotFound
}

// mayFallBack reports whether the archive may have a page that ended with err. A name below a registered domain without
// an address may belong to a network that is not joined now.
func (c *Client) mayFallBack(ctx context.Context, u *url.URL, err error) bool {
	if c.archive == nil || c.archive.onlyAsked || !Gone(err) || c.isArchive(u) || c.tellable(ctx, u) != nil {
		return false
	}
	host := u.Hostname()
	return !hostGone(err) || strings.TrimPrefix(host, "www.") == weburl.RegisteredDomain(host)
}

func (c *Client) isArchive(u *url.URL) bool { return weburl.StaysOn(c.archive.base, u) }

// tellable reports whether a URL may be told to a third party: its host is public, and nothing in it looks like a key.
func (c *Client) tellable(ctx context.Context, u *url.URL) error {
	refused := &citewell.Error{Code: citewell.CodeBlockedByPolicy,
		Hint: "an archive is a third party, and such addresses are not sent to it"}
	switch {
	case holdsKey(u):
		refused.Message = "the archive is not asked: something in the address looks like a key"
	case !c.guard.Public(ctx, u.Hostname()):
		refused.Message = "the archive is not asked: the host is no public one"
	default:
		return nil
	}
	return refused
}

var (
	letter, lower, upper = lazyregexp.New(`[A-Za-z]`), lazyregexp.New(`[a-z]`), lazyregexp.New(`[A-Z]`)
	digit, run           = lazyregexp.New(`[0-9]`), lazyregexp.New(`[A-Za-z0-9]{20,}`)
)

// holdsKey reports whether a URL has a password, a parameter named for a secret, or 20 letters and digits in a row, in
// a path of both cases, since public paths have hashes and ids of one case.
func holdsKey(u *url.URL) bool {
	if u.User != nil {
		return true
	}
	for pair := range strings.FieldsFuncSeq(u.RawQuery, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		if httpwire.NamesSecret(unescaped(name)) {
			return true
		}
		for _, word := range run.FindAllString(unescaped(value), -1) {
			if letter.MatchString(word) && digit.MatchString(word) {
				return true
			}
		}
	}
	return slices.ContainsFunc(run.FindAllString(u.Path, -1), func(word string) bool {
		return lower.MatchString(word) && upper.MatchString(word) && digit.MatchString(word)
	})
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// fromArchive gets the copy of u that is nearest to r.Near, or the newest; u itself if it is a copy's address. Errors:
// not_found without a copy, blocked_by_policy if the archive is not asked, else blocked_by_provider, rate_limited and
// the network's.
func (c *Client) fromArchive(ctx context.Context, u *url.URL, r Request, a asking) (citewell.Page, int, error) {
	var found capture
	known := false
	if c.archive != nil {
		if found, known = readCapture(c.archive.base, u); known {
			u = found.page()
		}
	}
	err := c.mayAsk(ctx, u)
	if err != nil {
		return citewell.Page{}, 0, err
	}
	a.archive, a.sameSite = true, false
	if !known {
		if found, err = c.lookUp(ctx, u, r.Near, a); err != nil {
			return citewell.Page{}, 0, err
		}
	}
	got, final, err := c.follow(ctx, found.at(c.archive.base), a)
	if err != nil {
		return citewell.Page{}, 0, ofArchive(err)
	}
	page, err := got.page(r, final)
	if err != nil {
		return citewell.Page{}, got.status, ofArchive(err)
	}
	copied, ok := readCapture(c.archive.base, final)
	if !ok || !copied.isOf(u) {
		return citewell.Page{}, got.status, badArchive("it led to something else than a copy of the page")
	}
	page.Archived, page.LastModified = citewell.Archived{URL: copied.original, At: copied.time}, time.Time{}
	return page, got.status, nil
}

// LookUp finds the copy of a page nearest to a time, the newest if that is zero, without reading it. Errors as
// ArchiveOnly.
func (c *Client) LookUp(ctx context.Context, address string, near time.Time) (citewell.Archived, error) {
	u, err := parse(address)
	if err != nil {
		return citewell.Archived{}, err
	}
	if err := c.mayAsk(ctx, u); err != nil {
		return citewell.Archived{}, err
	}
	found, err := c.lookUp(ctx, u, near, asking{language: DefaultAcceptLanguage, robots: !c.ignoreRobots,
		redirects: DefaultMaxRedirects, archive: true})
	return citewell.Archived{URL: found.original, At: found.time}, err
}

// mayAsk says whether the archive is asked for a page.
func (c *Client) mayAsk(ctx context.Context, u *url.URL) error {
	if c.archive == nil {
		return &citewell.Error{Code: citewell.CodeProviderNotConfigured,
			Message: "asking a web archive is switched off", Hint: "set fetch.archive.use to asked, fetch or search"}
	}
	return c.tellable(ctx, u)
}

// maxCDXBytes bounds a list of captures.
const maxCDXBytes = 256 << 10

// lookUp finds the capture of u to read.
func (c *Client) lookUp(ctx context.Context, u *url.URL, near time.Time, a asking) (capture, error) {
	query := url.Values{"url": {u.String()}, "output": {"json"},
		"fl": {"timestamp,original,statuscode,mimetype,digest"}, "filter": {"statuscode:200"}}
	if near.IsZero() {
		query.Set("limit", "-1")
		query.Set("fastLatest", "true")
	} else {
		query.Set("sort", "closest")
		query.Set("closest", near.UTC().Format("20060102"))
		query.Set("limit", "1")
	}
	at := *c.archive.base
	at.Path, at.RawQuery = "/cdx/search/cdx", query.Encode()
	a.maxBytes = maxCDXBytes
	got, _, err := c.follow(ctx, &at, a)
	switch {
	case err != nil:
		return capture{}, ofArchive(err)
	case got.status < 200 || got.status > 299:
		return capture{}, ofArchive(statusError(got))
	case got.truncated:
		return capture{}, badArchive("its list of copies is too long")
	}
	all, err := parseCDX(got.body)
	if err != nil {
		return capture{}, err
	}
	var best capture
	for _, found := range all {
		if !found.isOf(u) || found.time.After(time.Now().Add(24*time.Hour)) {
			continue
		}
		if best.stamp == "" || near.IsZero() && found.time.After(best.time) || !near.IsZero() &&
			found.time.Sub(near).Abs() < best.time.Sub(near).Abs() {
			best = found
		}
	}
	if best.stamp == "" {
		if len(all) > 0 {
			return capture{}, badArchive("it answered with copies of another page")
		}
		return capture{}, &citewell.Error{Code: citewell.CodeNotFound, Message: "the archive has no copy of the page"}
	}
	return best, nil
}

// ofArchive says of an error on the way that it is the archive's.
func ofArchive(err error) error {
	code, status := citewell.CodeOf(err), StatusOf(err)
	e := &citewell.Error{Code: code, Err: err}
	if inner, ok := errors.AsType[*citewell.Error](err); ok {
		e.RetryAfter = inner.RetryAfter
	}
	switch {
	case code == citewell.CodeRateLimited && status != 0:
		e.Message, e.Hint = fmt.Sprintf("the archive asks for time (%d)", status), "try again later"
	case code == citewell.CodeRateLimited:
		e.Message, e.Hint = "the archive is not asked now: "+citewell.View(err).Message, "try again later"
	case status == http.StatusForbidden || status == http.StatusUnauthorized ||
		status == http.StatusUnavailableForLegalReasons:
		e.Code, e.Message = citewell.CodeBlockedByProvider, fmt.Sprintf("the archive may not show the page, or "+
			"refuses us (%d)", status)
	case status == http.StatusNotFound:
		e.Code, e.Message = citewell.CodeNotFound, "the archive does not have the copy that it lists"
		e.Err = errors.New("HTTP status 404 of the archive") // Gone is said of pages
	case status != 0:
		e.Message = fmt.Sprintf("the archive answered %d", status)
	case code == citewell.CodeCanceled:
		return err
	default:
		e.Message = "the archive does not answer: " + citewell.View(err).Message
	}
	return e
}

func badArchive(what string) error {
	return &citewell.Error{Code: citewell.CodeBadResponse, Message: "the archive's answer cannot be used: " + what}
}

// withoutCopy adds to why a page is gone what the archive said of it.
func withoutCopy(gone, archive error) error {
	e := &citewell.Error{Code: citewell.CodeOf(gone), Err: gone}
	e.Message = citewell.View(gone).Message + "; " + citewell.View(archive).Message
	return e
}

// A capture is one copy in an archive.
type capture struct {
	stamp    string // as the archive writes its time
	time     time.Time
	original string // URL
}

const stampForm = "20060102150405"

func newCapture(stamp, original string) (capture, bool) {
	at, err := time.Parse(stampForm, stamp)
	if err != nil || len(stamp) != len(stampForm) {
		return capture{}, false
	}
	if _, err := weburl.Parse(original); err != nil {
		return capture{}, false
	}
	return capture{stamp, at, original}, true
}

// isOf says whether the capture is one of u: an archive takes a host with and without www. as one, and http and https.
func (c capture) isOf(u *url.URL) bool {
	return strings.TrimPrefix(c.page().Hostname(), "www.") == strings.TrimPrefix(u.Hostname(), "www.")
}

// page is the URL that was captured.
func (c capture) page() *url.URL {
	u, err := parse(c.original)
	if err != nil {
		return &url.URL{} // newCapture has parsed it
	}
	return u
}

// at is where the captured bytes are, as they came.
func (c capture) at(base *url.URL) *url.URL {
	original := c.page()
	u := *base
	u.Path, u.RawPath = "/web/"+c.stamp+"id_/"+original.Scheme+"://"+original.Host+original.Path,
		"/web/"+c.stamp+"id_/"+original.Scheme+"://"+original.Host+original.EscapedPath()
	u.RawQuery = original.RawQuery
	return &u
}

// readCapture reads the address of a capture.
func readCapture(base, at *url.URL) (capture, bool) {
	rest, ok := strings.CutPrefix(at.String(), base.String()+"/web/")
	if !ok {
		return capture{}, false
	}
	stamp, original, ok := strings.Cut(rest, "id_/")
	if !ok {
		return capture{}, false
	}
	return newCapture(stamp, original)
}

// parseCDX reads a list of captures: a row of names and rows of values. It leaves out rows whose time or URL it cannot
// read.
func parseCDX(body []byte) ([]capture, error) {
	var rows [][]string
	if err := json.Unmarshal(body, &rows); err != nil {
		return nil, badArchive("it is no list of copies")
	}
	if len(rows) == 0 {
		return nil, nil
	}
	stamp, original := -1, -1
	for i, name := range rows[0] {
		switch name {
		case "timestamp":
			stamp = i
		case "original":
			original = i
		}
	}
	if stamp < 0 || original < 0 {
		return nil, badArchive("its list of copies names neither their times nor their addresses")
	}
	var all []capture
	for _, row := range rows[1:] {
		if len(row) != len(rows[0]) {
			return nil, badArchive("its list of copies is broken")
		}
		if found, ok := newCapture(row[stamp], row[original]); ok {
			all = append(all, found)
		}
	}
	if len(all) == 0 && len(rows) > 1 {
		return nil, badArchive("no time or address in its list of copies can be read")
	}
	return all, nil
}
