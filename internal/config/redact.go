package config

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// A Redactor replaces every secret of a configuration by [redacted], in whatever form a log or a message may hold it.
// It is the last wall: a Secret prints itself redacted already, but other people's errors may carry what we sent.
type Redactor struct{ replace *strings.Replacer }

// shortest is how long a secret must be to be looked for. A shorter one protects
// nothing, and without its letters no log could be read.
const shortest = 4

// NewRedactor knows the secrets of c: every Secret, what those that are lists hold, and the password of every URL.
func NewRedactor(c Config) Redactor {
	var forms []string
	add := func(secret string) {
		if len(secret) < shortest {
			return
		}
		encoded, _ := json.Marshal(secret) // a string always can be
		for _, form := range []string{secret, inside(strconv.Quote(secret)), inside(string(encoded)),
			url.QueryEscape(secret), url.PathEscape(secret)} {
			forms = append(forms, form, inside(strconv.Quote(form))) // the log quotes what has spaces
		}
	}
	eachSecret(reflect.ValueOf(c), add)
	// what is not of this form is refused elsewhere
	_ = EachPair(c.Telemetry.Traces.Headers.Reveal(), func(_, value string) { add(value) })
	slices.SortFunc(forms, func(a, b string) int { // one secret may begin with another
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, redacted)
	}
	return Redactor{strings.NewReplacer(pairs...)}
}

// String returns s without secrets.
func (r Redactor) String(s string) string {
	if r.replace == nil {
		return s
	}
	return r.replace.Replace(s)
}

// Writer writes to w without secrets. Each Write must hold whole secrets, as those
// of slog do: it writes a record at once.
func (r Redactor) Writer(w io.Writer) io.Writer { return redactingWriter{r, w} }

type redactingWriter struct {
	Redactor
	w io.Writer
}

func (r redactingWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.w, r.String(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// eachSecret finds every Secret below v, and the passwords of URLs.
func eachSecret(v reflect.Value, found func(string)) {
	switch v.Kind() {
	case reflect.Struct:
		if s, ok := v.Interface().(citewell.Secret); ok {
			found(s.Reveal())
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachSecret(v.Field(i), found)
			}
		}
	case reflect.Map:
		for key, value := range v.Seq2() {
			// a header of a tool of the operator's
			if named, ok := value.Interface().(string); ok && httpwire.NamesSecret(key.String()) {
				found(named)
			}
			eachSecret(value, found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachSecret(v.Index(i), found)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			eachSecret(v.Elem(), found)
		}
	case reflect.String:
		if u, err := url.Parse(v.String()); err == nil && u.User != nil {
			password, _ := u.User.Password()
			found(password)
		}
	}
}

// inside takes the quotation marks away.
func inside(s string) string { return s[1 : len(s)-1] }
