package runs

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
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/text"
	"github.com/citewell/citewell/tool"
)

func invalid(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "runs", Message: fmt.Sprintf(format, args...)}
}

// read takes the body of a request as a T. It counts until release is called, which it must
// be where there is no error.
func read[T any](bodies *intake.Bodies, w http.ResponseWriter, r *http.Request, form tool.Form[T]) (given T, release func(), err error) {
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

// A parameter of a query: its form, and whether it may stand several times.
type parameter struct {
	name string
	form *lazyregexp.Regexp
	must string // in words
	many bool
}

// query reads the parameters of a request; there are no others than known.
func query(r *http.Request, known ...parameter) (url.Values, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("the query of the address cannot be read: a %% or ; in it has another meaning")
	}
	names := make([]string, len(known))
	for i, p := range known {
		names[i] = p.name
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, invalid("the parameter %.80q is unknown%s", name, text.DidYouMean(name, names))
		}
		p := known[i]
		if len(values[name]) > 1 && !p.many {
			return nil, invalid("the parameter %s stands %d times", name, len(values[name]))
		}
		for _, v := range values[name] {
			if !p.form.MatchString(v) {
				return nil, invalid("%s must be %s; it is %.60q", name, p.must, v)
			}
		}
	}
	return values, nil
}

var (
	digits = lazyregexp.New(`^[0-9]{1,18}$`)
	// maxNumber bounds numbers of events: JSON's readers count exactly to 2^53.
	maxNumber = int64(1)<<53 - 1
)

// number reads a number that query has seen.
func number(values url.Values, name string, otherwise, low, high int64) (int64, error) {
	if !values.Has(name) {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(values.Get(name), 10, 64)
	if err != nil || n < low || n > high {
		return 0, invalid("%s must be from %d to %d; it is %.30s", name, low, high, values.Get(name))
	}
	return n, nil
}

// choose is what an Accept header likes best of what is offered, the first of equals;
// 406 where it takes none.
func choose(r *http.Request, offers ...string) (string, error) {
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
		return "", &intake.Fault{Status: http.StatusNotAcceptable, Err: &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "runs",
			Message: "none of what Accept takes is given here", Hint: "there is " + strings.Join(offers, ", ")}}
	}
	return best, nil
}
