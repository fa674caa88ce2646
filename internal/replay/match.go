package replay

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// A key names all requests that count as the same one.
type key [sha256.Size]byte

// form is a request as it is compared: what decides the answer, without what chance put into it. Other headers say who
// asks and how the answer travels, and change with Citewell's version.
func (q request) form() string {
	body := cmp.Or(q.Base64, q.Text)
	if strings.Contains(body, "DATA ") { // looking for marks costs more than all else of a match
		body = unbound(body)
	}
	return q.Method + " " + q.URL + "\n" + strings.Join(q.Header[http.CanonicalHeaderKey("Accept-Language")],
		",") + "\n" + body
}

// unbound is a body without what chance put into it.
func unbound(body string) string { return boundary.ReplaceAllString(body, "<<<$1 boundary") }

// boundary is that of an envelope.Envelope. No text within one can look like it: Neutralize
// breaks the marks up. In JSON the marks may be escaped.
var boundary = lazyregexp.New(`(?:<|\\u003[cC]){3}(DATA|END) [a-z2-7]{26}\b`)

func keyOf(form string) key { return sha256.Sum256([]byte(form)) }

// ids are those that citewell.NewID and store.NewRunID give. A hash of 64 digits is none:
// it says what bytes are meant. A run's begins with its agent's name and an underscore.
var ids = lazyregexp.New(`(?:\b|_)(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b`)

// WithoutIDs gives the ids of a text numbers in the order of their first appearance, so that two texts
// are the same only where they name the same things in the same places.
func WithoutIDs(s string) string {
	numbers := map[string]int{}
	return ids.ReplaceAllStringFunc(s, func(found string) string {
		id := strings.TrimPrefix(found, "_")
		if numbers[id] == 0 {
			numbers[id] = len(numbers) + 1
		}
		return fmt.Sprintf("%s<id %d>", found[:len(found)-len(id)], numbers[id])
	})
}

// dayForms are how prompts and queries write a day; dayLike finds them all, with the day
// of the week before and the time of day behind.
var (
	dayForms = []string{time.DateOnly, "20060102", "02.01.2006", "2 January 2006", "2. January 2006", "2 Jan 2006",
		"January 2, 2006", "Jan 2, 2006"}
	dayLike = lazyregexp.New(
		`(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,? )?\b(\d{4}-\d\d-\d\d|\d{8}|\d\d\.\d\d\.\d{4}|\d{1,2}\.? [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4})` +
			`(?:(?:[T _]|%20|\+)?\d\d(?::|%3A)?\d\d(?:(?::|%3A)?\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?`)
)

// days are texts that name a day which counts as today.
type days map[string]bool

// add adds a day, and a day, a week, a month and a year before it, which is how "lately" is put to providers, in the
// zones of providers and of this machine. The days of the recording and of the replay are looked for on both sides: a
// page that was dated when it was recorded is dated so in the replay too.
func (d days) add(day time.Time) {
	for _, zoned := range []time.Time{day.UTC(), day.Local()} {
		for _, at := range []time.Time{zoned, zoned.AddDate(0, 0, -1), zoned.AddDate(0, 0, -7), zoned.AddDate(0, -1, 0),
			zoned.AddDate(-1, 0, 0)} {
			for _, form := range dayForms {
				d[at.Format(form)] = true
			}
		}
	}
}

// without is a text in which all these days are the same one.
func (d days) without(s string) string {
	var out strings.Builder
	end := 0
	for _, at := range dayLike.FindAllStringSubmatchIndex(s, -1) {
		if d[s[at[2]:at[3]]] {
			out.WriteString(s[end:at[0]])
			out.WriteString("<day>")
			end = at[1]
		}
	}
	out.WriteString(s[end:])
	return out.String()
}
