package replay

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A key names all requests that count as the same one.
type key [sha256.Size]byte

// form is a request as it is compared: what decides the answer, without what chance put
// into it. Other headers say who asks and how the answer travels, and change with
// Citewell's version.
func (q request) form() string {
	body := q.Text
	if q.Base64 != "" {
		body = q.Base64
	}
	return q.Method + " " + q.URL + "\n" + strings.Join(q.Header[http.CanonicalHeaderKey("Accept-Language")], ",") + "\n" +
		boundary.ReplaceAllString(body, "<<<$1 boundary")
}

// boundary is that of an llm.Envelope. No text within one can look like it: Neutralize
// breaks the marks up. In JSON the marks may be escaped.
var boundary = regexp.MustCompile(`(?:<|\\u003[cC]){3}(DATA|END) [a-z2-7]{26}\b`)

func keyOf(form string) key { return sha256.Sum256([]byte(form)) }

// ids are those that citewell.NewID and store.NewRunID give. A hash of 64 digits is none:
// it says what bytes are meant.
var ids = regexp.MustCompile(`\b(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`)

// withoutIDs gives ids numbers in the order of their first appearance, so that two texts
// are the same only where they name the same things in the same places.
func withoutIDs(s string) string {
	numbers := map[string]int{}
	return ids.ReplaceAllStringFunc(s, func(id string) string {
		if numbers[id] == 0 {
			numbers[id] = len(numbers) + 1
		}
		return fmt.Sprintf("<id %d>", numbers[id])
	})
}

// dayForms are how prompts and queries write a day.
var dayForms = []string{time.DateOnly, "20060102", "2 January 2006", "2. January 2006", "January 2, 2006", "2 Jan 2006", "Jan 2, 2006", "02.01.2006"}

// maxDays bounds the days that are looked for: each is some forty words of a regular
// expression.
const maxDays = 16

// days finds the given days, and a day, a week, a month and a year before each, which is
// how "lately" is put to providers; with the time of day where one follows. The days of
// the recording and of the replay are looked for on both sides: a page that was dated
// when it was recorded is dated so in the replay too.
func days(given []time.Time) *regexp.Regexp {
	var forms []string
	for _, day := range given {
		for _, zoned := range []time.Time{day.UTC(), day.Local()} {
			for _, d := range []time.Time{zoned, zoned.AddDate(0, 0, -1), zoned.AddDate(0, 0, -7), zoned.AddDate(0, -1, 0), zoned.AddDate(-1, 0, 0)} {
				for _, form := range dayForms {
					forms = append(forms, regexp.QuoteMeta(d.Format(form)))
				}
			}
		}
	}
	slices.Sort(forms)
	return regexp.MustCompile(`(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?\b(?:` + strings.Join(slices.Compact(forms), "|") +
		`)(?:(?:[T _]|%20|\+)?\d\d(?::|%3A)?\d\d(?:(?::|%3A)?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`)
}

// Steady is a result of Citewell's without what differs between two runs that found the
// same: ids have numbers, moments and durations are gone. Golden files
// hold it.
func Steady(result string) string {
	result = moments.ReplaceAllString(withoutIDs(result), "<time>")
	return seconds.ReplaceAllString(durations.ReplaceAllString(result, "${1}<ms>"), "${1}<s>")
}

var (
	moments   = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?`)
	durations = regexp.MustCompile(`("[a-z_]*_ms": ?)\d+`)
	// seconds of a brief's coverage in Markdown.
	seconds = regexp.MustCompile(`(?m)^( *- .*?(?:, |; |: ))\d+\.\ds\b`)
)
