package intake

import (
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// Invalid is the error of a request that cannot be as it is.
func Invalid(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Message: fmt.Sprintf(format, args...)}
}

// Read takes the body of a request as a T. It counts until release is called, which it must be where there is no error.
func Read[T any](bodies *Bodies, w http.ResponseWriter, r *http.Request,
	form tool.Form[T]) (given T, release func(), err error) {
	body, release, err := bodies.JSON(w, r)
	if err != nil {
		return given, nil, err
	}
	if given, err = form.Read(body); err != nil {
		release()
		return given, nil, err
	}
	return given, release, nil
}

// A Parameter of a query: its form, and whether it may stand several times.
type Parameter struct {
	Name string
	Form *lazyregexp.Regexp
	Must string // be, in words
	Many bool
}

// Query reads the parameters of a request; there are no others than known.
func Query(r *http.Request, known ...Parameter) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Invalid("the query of the address cannot be read: a %% or ; in it has another meaning")
	}
	names := make([]string, len(known))
	for i, p := range known {
		names[i] = p.Name
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.Index(names, name)
		if i < 0 {
			near := text.DidYouMean(name, names)
			e := &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: fmt.Sprintf("the parameter %.80q is unknown%s", name, near)}
			switch {
			case len(names) == 0:
				e.Hint = "this path takes no parameters"
			case near == "":
				e.Hint = "there are " + strings.Join(names, ", ")
			}
			return nil, e
		}
		p := known[i]
		if len(values[name]) > 1 && !p.Many {
			return nil, Invalid("the parameter %s stands %d times", name, len(values[name]))
		}
		for _, v := range values[name] {
			if !p.Form.MatchString(v) {
				return nil, Invalid("%s must be %s; it is %.60q", name, p.Must, v)
			}
		}
	}
	return values, nil
}

// Digits is the form of a parameter that is a number.
var Digits = lazyregexp.New(`^[0-9]{1,18}$`)

// MaxNumber bounds numbers: JSON's readers count exactly to 2^53.
const MaxNumber = int64(1)<<53 - 1

// Number reads a number that Query has seen.
func Number(values url.Values, name string, otherwise, low, high int64) (int64, error) {
	if !values.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(values.Get(name), 10, 64)
	if err != nil || n < low || n > high {
		return 0, Invalid("%s must be from %d to %d; it is %.30s", name, low, high, values.Get(name))
	}
	return n, nil
}

// SpanParameters are those that Span reads.
var SpanParameters = []Parameter{{Name: "start", Form: Digits, Must: "a number of bytes"},
	{Name: "end", Form: Digits, Must: "a number of bytes"}}

// Span reads which bytes of a text are asked for, most of them where no end is named.
func Span(r *http.Request, most int64) (start, end int, err error) {
	values, err := Query(r, SpanParameters...)
	if err != nil {
		return 0, 0, err
	}
	from, err := Number(values, "start", 0, 0, MaxNumber)
	if err != nil {
		return 0, 0, err
	}
	to, err := Number(values, "end", from+most, 0, MaxNumber)
	return int(from), int(to), err
}

// Choose is what an Accept header likes best of what is offered, the first of equals; 406 where it takes none.
func Choose(r *http.Request, offers ...string) (string, error) {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	best, most, named := offers[0], 0.0, false
	for _, offer := range offers {
		kind, _, _ := strings.Cut(offer, ";")
		weight, exact := 0.0, -1
		for part := range strings.SplitSeq(accept, ",") {
			taken, parameters, err := mime.ParseMediaType(part)
			if err != nil || !strings.Contains(taken, "/") {
				continue
			}
			named = true
			major, _, _ := strings.Cut(kind, "/")
			level := slices.Index([]string{"*/*", major + "/*", kind}, taken)
			if level <= exact {
				continue
			}
			exact, weight = level, 1
			if q, ok := parameters["q"]; ok {
				if weight, err = strconv.ParseFloat(q, 64); err != nil {
					weight = 0
				}
			}
		}
		if weight > most {
			best, most = offer, weight
		}
	}
	if named && most == 0 {
		return "", &Fault{Status: http.StatusNotAcceptable, Err: &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: "none of the formats in Accept is available here", Hint: "there is " + strings.Join(offers, ", ")}}
	}
	return best, nil
}
