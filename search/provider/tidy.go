package provider

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// Caps for what is shown of one result.
const (
	maxTitleBytes   = 300
	maxSnippetBytes = 2000
)

// tidy makes results safe to show and to fetch: plain text on one line, URLs that
// weburl.Parse accepts, dates that are dates, no page twice (of an image search, no
// picture), at most limit of them (0: all), ranked in their order.
func tidy(name string, results []citewell.Result, limit int) []citewell.Result {
	var kept []citewell.Result
	seen := make(map[string]bool)
	for _, r := range results {
		r.URL = strings.TrimSpace(r.URL)
		if _, err := weburl.Parse(r.Image); err != nil {
			r.Image = ""
		}
		key := r.URL + "\n" + r.Image // a page may show many pictures
		if _, err := weburl.Parse(r.URL); err != nil || seen[key] {
			continue
		}
		seen[key] = true
		r.Provider = name
		r.Title, r.Snippet = oneLine(r.Title, maxTitleBytes), oneLine(r.Snippet, maxSnippetBytes)
		r.Published = isoDate(r.Published)
		r.Work = tidyWork(r.Work)
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

// dateOf returns the day that a provider's date states: ISO 8601, the form of HTTP
// headers, words ("Feb 11, 2026", "11. Februar 2026"), or a number of minutes, hours or
// days ago. Weeks and months ago say no day. lang is the language of the answer, and
// empty where it is not known.
func dateOf(s, lang string, now time.Time) string {
	s = strings.TrimSpace(s)
	if day := isoDate(s); day != "" || len(s) > 100 {
		return day
	}
	if ago := timeAgo.FindStringSubmatch(strings.ToLower(s)); ago != nil {
		n, err := strconv.Atoi(ago[1])
		if err != nil || n > 1000 {
			return ""
		}
		unit := map[string]time.Duration{"min": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[ago[2]]
		return now.Add(-time.Duration(n) * unit).UTC().Format(time.DateOnly)
	}
	for _, lang := range []string{lang, "en"} {
		for _, d := range quantity.Dates(text.Read(s, lang)) {
			if d.Year > 0 && d.Month > 0 && d.Day > 0 {
				return isoDate(fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day))
			}
		}
	}
	return ""
}

var timeAgo = lazyregexp.New(`^(\d+) (min|hour|day)(?:ute)?s? ago$`)

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
