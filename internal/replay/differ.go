package replay

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

// compared bounds how much of two bodies is compared to find the nearest, in bytes.
const compared = 64 << 10

// missing is the error for a request that has no answer left. Had is how often it was recorded. The caller holds mu.
func (p *Player) missing(q request, had int) error {
	e := &citewell.Error{Code: citewell.CodeNotRecorded, Op: "replay",
		Hint: "ask with the arguments and the configuration of the recording"}
	what := q.Method + " " + short(q.URL)
	if had > 0 {
		e.Message = fmt.Sprintf("%s was recorded %s and is asked for again", what, times(had))
		return e
	}
	nearest, best := -1, -1
	for i := range p.list {
		score := likeness(q, p.list[i].Request)
		if !p.played[i] { // what was expected instead
			score += 1 << 27
		}
		if score > best {
			nearest, best = i, score
		}
	}
	if nearest < 0 {
		e.Message = what + " was not recorded; the recording is empty"
		return e
	}
	near := p.list[nearest]
	e.Message = fmt.Sprintf("%s was not recorded; the nearest is number %d, %s", what, near.N,
		difference(near.Request, q))
	return e
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// likeness weighs the host above the path, the path above the method, and that above
// what the rest has in common, at both ends.
func likeness(a, b request) int {
	score := 0
	u, errU := url.Parse(a.URL)
	v, errV := url.Parse(b.URL)
	if errU != nil || errV != nil {
		return 0
	}
	if u.Host == v.Host {
		score += 1 << 30
		if u.Path == v.Path {
			score += 1 << 29
		}
	}
	if a.Method == b.Method {
		score += 1 << 28
	}
	s, t := bounded(u.Path+"?"+u.RawQuery+"\n"+unbound(a.Text)), bounded(v.Path+"?"+v.RawQuery+"\n"+unbound(b.Text))
	head := common(s, t)
	return score + head + commonEnd(s[head:], t[head:])
}

func bounded(s string) string { return s[:min(len(s), compared)] }

// common is how many bytes two texts begin with alike.
func common(s, t string) int {
	for i := range min(len(s), len(t)) {
		if s[i] != t[i] {
			return i
		}
	}
	return min(len(s), len(t))
}

// commonEnd is how many bytes they end with alike.
func commonEnd(s, t string) int {
	n := 0
	for n < min(len(s), len(t)) && s[len(s)-1-n] == t[len(t)-1-n] {
		n++
	}
	return n
}

// difference says where what is asked first differs from what was recorded.
func difference(recorded, asked request) string {
	u, errU := url.Parse(recorded.URL)
	v, errV := url.Parse(asked.URL)
	switch {
	case errU != nil || errV != nil:
	case recorded.Method != asked.Method || u.Scheme != v.Scheme || u.Host != v.Host || u.Path != v.Path:
		return recorded.Method + " " + short(recorded.URL)
	case u.RawQuery != v.RawQuery:
		was, is := u.Query(), v.Query()
		names := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(is))
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if !slices.Equal(was[name], is[name]) {
				return fmt.Sprintf("whose query has %s=%s where this has %s", name, quoted(was[name]), quoted(is[name]))
			}
		}
		return "whose query has the same values in another order"
	}
	if s, t := strings.Join(recorded.Header["Accept-Language"], ","),
		strings.Join(asked.Header["Accept-Language"], ","); s != t {
		return fmt.Sprintf("with Accept-Language %q where this has %q", short(s), short(t))
	}
	s, t := unbound(recorded.Text), unbound(asked.Text)
	if s == "" || t == "" {
		return "whose body is another"
	}
	at := common(s, t)
	return fmt.Sprintf("whose body differs from byte %d on: %q there, %q here", at, around(s, at), around(t, at))
}

func quoted(values []string) string {
	if len(values) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%q", short(strings.Join(values, ",")))
}

// shown bounds what a message shows of a URL, a value or a body, in bytes.
const shown = 160

func short(s string) string {
	if len(s) <= shown {
		return s
	}
	return strings.ToValidUTF8(s[:shown], "") + "…"
}

// around is the text from a little before a byte.
func around(s string, at int) string {
	from := max(at-20, 0)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	return strings.ToValidUTF8(s[from:min(from+60, len(s))], "")
}
