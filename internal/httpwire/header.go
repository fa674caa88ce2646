package httpwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"golang.org/x/net/http/httpguts"
)

// Bounds of the headers of one call, far below the 8 KiB at which servers refuse.
const (
	maxCallHeaders     = 40
	maxCallHeaderBytes = 6000 // names and values together
)

// reserved are headers that a caller may not set, by why: they say where a request goes, how it is framed and who sent
// it on.
var reserved = map[string]string{
	"Host":                   "the URL says the host",
	"Connection":             connectionOnly,
	"Keep-Alive":             connectionOnly,
	"Proxy-Connection":       connectionOnly,
	"Proxy-Authenticate":     connectionOnly,
	"Proxy-Authorization":    connectionOnly,
	"Te":                     connectionOnly,
	"Trailer":                connectionOnly,
	"Transfer-Encoding":      connectionOnly,
	"Upgrade":                connectionOnly,
	"Http2-Settings":         connectionOnly,
	"Expect":                 connectionOnly,
	"Content-Length":         connectionOnly,
	"Content-Encoding":       "the body is sent as it is",
	"Accept-Encoding":        "gzip is what can be read",
	"Forwarded":              someoneElse,
	"Via":                    someoneElse,
	"X-Real-Ip":              someoneElse,
	"X-Client-Ip":            someoneElse,
	"True-Client-Ip":         someoneElse,
	"Cf-Connecting-Ip":       someoneElse,
	"X-Original-Url":         someoneElse,
	"X-Rewrite-Url":          someoneElse,
	"X-Http-Method":          otherMethod,
	"X-Http-Method-Override": otherMethod,
	"X-Method-Override":      otherMethod,
}

const (
	connectionOnly = "it belongs to the connection"
	someoneElse    = "it speaks for a proxy"
	otherMethod    = "it asks for another method"
)

// ParseHeader reads the headers that a caller wants to send: an object of strings, numbers and booleans, or the same as
// JSON in a string; nil and a blank string are none. A wrong or doubled name, a line break or another control character
// is invalid_argument. Headers that are not the caller's to set are left out and named in notes.
func ParseHeader(value any) (header http.Header, notes []string, err error) {
	fields, err := headerFields(value)
	if err != nil {
		return nil, nil, err
	}
	if len(fields) > maxCallHeaders {
		return nil, nil, badHeader("headers has %d entries; at most %d are sent", len(fields), maxCallHeaders)
	}
	header, size := http.Header{}, 0
	for _, f := range fields {
		name := textproto.CanonicalMIMEHeaderKey(f.name)
		// CGI and its heirs read an underscore as a hyphen.
		alike := textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(f.name, "_", "-"))
		why, isReserved := reserved[alike]
		if strings.HasPrefix(alike, "X-Forwarded-") {
			why, isReserved = someoneElse, true
		}
		switch {
		case strings.ContainsAny(f.name+f.value, "\r\n"):
			return nil, nil, badHeader("the header %.60q has a line break in it, which could begin a header of its "+
				"own; it is not sent", f.name)
		case !httpguts.ValidHeaderFieldName(f.name):
			return nil, nil, badHeader("%.60q is no name of a header: letters, digits and hyphens", f.name)
		case !httpguts.ValidHeaderFieldValue(f.value):
			return nil, nil, badHeader("the value of the header %s has a control character in it", name)
		case header[name] != nil:
			return nil, nil, badHeader("the header %s stands twice", name)
		case isReserved:
			notes = append(notes, fmt.Sprintf("the header %s was not sent: %s", name, why))
			continue
		}
		header[name] = []string{strings.TrimSpace(f.value)}
		if size += len(name) + len(f.value); size > maxCallHeaderBytes {
			return nil, nil, badHeader("headers has more than %d bytes", maxCallHeaderBytes)
		}
	}
	return header, notes, nil
}

func badHeader(format string, args ...any) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "fetch.header",
		Message: fmt.Sprintf(format, args...),
		Hint:    `headers is an object, or JSON of one in a string, as in {"Accept": "application/json"}`}
}

type headerField struct{ name, value string }

// headerFields lists the headers in the order in which they stand, since notes and errors follow it.
func headerFields(value any) ([]headerField, error) {
	var data []byte
	switch v := value.(type) {
	case nil:
		return nil, nil
	case string:
		if strings.TrimSpace(v) == "" {
			return nil, nil
		}
		data = []byte(v)
	case map[string]any:
		encoded, err := json.Marshal(v)
		if err != nil {
			return nil, badHeader("headers is no JSON object")
		}
		data = encoded
	default:
		return nil, badHeader("headers must be an object or a string, not %T", v)
	}
	if !utf8.Valid(data) {
		return nil, badHeader("headers is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, badHeader("headers is no JSON object")
	}
	var fields []headerField
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, badHeader("headers is no JSON object")
		}
		v, err := d.Token()
		if err != nil {
			return nil, badHeader("headers is no JSON object")
		}
		f := headerField{name: name.(string)} // a key of an object is a string
		switch v := v.(type) {
		case string:
			f.value = v
		case json.Number, bool:
			f.value = fmt.Sprint(v)
		default:
			return nil, badHeader("the header %.60q must have a string for its value", f.name)
		}
		fields = append(fields, f)
	}
	if _, err := d.Token(); err != nil {
		return nil, badHeader("headers is no JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badHeader("something follows in headers after the object's end")
	}
	return fields, nil
}
