package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// The endpoints that can be made to fail.
const (
	SearXNG    = "searxng"
	DuckDuckGo = "duckduckgo"
)

// The ways an endpoint can fail. Each keeps the wire shape that the real service has in that state.
const (
	ModeOK          = "ok"            // answers as it should
	Mode429         = "429"           // too many requests, with Retry-After
	ModeBlocked     = "blocked"       // a challenge for bots: 202 and a page, or every engine behind a CAPTCHA
	Mode403         = "403"           // forbidden: SearXNG with its JSON format off
	Mode500         = "500"           // internal server error
	ModeHang        = "hang"          // no answer, until the client gives up
	ModeHTML        = "html"          // 200 and an unrelated HTML page
	ModeTruncated   = "truncated"     // 200 and a well-framed answer that ends in the middle
	ModeCut         = "cut"           // 200 and a connection that closes in the middle
	ModeEmpty       = "empty"         // a real answer that found nothing
	ModeEnginesDown = "engines-down"  // 200, no results, every engine with its reason; SearXNG only
	ModeRedirect    = "redirect-away" // 302 to another host
	ModeDrip        = "slow-drip"     // one byte every 100 ms
)

// Modes lists every mode that an endpoint knows, ModeOK first.
func Modes(endpoint string) []string {
	modes := []string{ModeOK, Mode429, ModeBlocked, Mode403, Mode500, ModeHang, ModeHTML, ModeTruncated, ModeCut,
		ModeEmpty, ModeEnginesDown, ModeRedirect, ModeDrip}
	switch endpoint {
	case SearXNG:
		return modes
	case DuckDuckGo:
		return slices.DeleteFunc(modes, func(m string) bool { return m == ModeEnginesDown })
	}
	return nil
}

// faults holds the mode of each endpoint; the zero value has all of them well.
type faults struct {
	mu    sync.Mutex
	modes map[string]string
}

// Fail switches an endpoint to a mode, from the next request on. ModeOK heals it.
func (w *Web) Fail(endpoint, mode string) error {
	modes := Modes(endpoint)
	if modes == nil {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "demo.fail",
			Message: fmt.Sprintf("endpoint %q is not one of %s, %s", endpoint, SearXNG, DuckDuckGo)}
	}
	if !slices.Contains(modes, mode) {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "demo.fail",
			Message: fmt.Sprintf("mode %q of %s is not one of %s", mode, endpoint, strings.Join(modes, ", "))}
	}
	w.faults.mu.Lock()
	defer w.faults.mu.Unlock()
	if w.faults.modes == nil {
		w.faults.modes = map[string]string{}
	}
	w.faults.modes[endpoint] = mode
	return nil
}

// mode returns what is switched on for an endpoint.
func (w *Web) mode(endpoint string) string {
	w.faults.mu.Lock()
	defer w.faults.mu.Unlock()
	if m := w.faults.modes[endpoint]; m != "" {
		return m
	}
	return ModeOK
}

// retryAfter is what a 429 asks for: more than a search has, so that waiting it out is no way round.
const retryAfter = 30 * time.Second

const dripPause = 100 * time.Millisecond

// A reply is a whole answer of an endpoint, to be sent well or badly.
type reply struct {
	status      int
	contentType string
	body        []byte
}

func (a reply) send(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", a.contentType)
	rw.Header().Set("Content-Length", fmt.Sprint(len(a.body)))
	rw.WriteHeader(a.status)
	rw.Write(a.body)
}

// sendBadly sends the reply in one of the modes that every endpoint shares, and says whether mode is one of them.
func (w *Web) sendBadly(rw http.ResponseWriter, r *http.Request, mode string, good reply) bool {
	half := good.body[:len(good.body)/2]
	switch mode {
	case Mode429:
		rw.Header().Set("Retry-After", fmt.Sprint(int(retryAfter.Seconds())))
		reply{http.StatusTooManyRequests, "text/plain; charset=utf-8", []byte("Too Many Requests")}.send(rw)
	case Mode500:
		reply{http.StatusInternalServerError, "text/html; charset=utf-8",
			[]byte("<!doctype html><title>500 Internal Server Error</title><h1>Internal Server Error</h1><p>The " +
				"server met an error and could not answer.</p>")}.send(rw)
	case ModeHTML:
		reply{http.StatusOK, "text/html; charset=utf-8", []byte(portalPage)}.send(rw)
	case ModeTruncated:
		reply{good.status, good.contentType, half}.send(rw)
	case ModeCut:
		rw.Header().Set("Content-Type", good.contentType)
		rw.Header().Set("Content-Length", fmt.Sprint(len(good.body)))
		rw.Write(half) // the server closes a connection that owes bytes
	case ModeRedirect:
		http.Redirect(rw, r, "http://"+awayHost+":"+w.port+r.URL.RequestURI(), http.StatusFound)
	case ModeHang:
		w.wait(r, 0)
		panic(http.ErrAbortHandler) // or the server would send an empty 200
	case ModeDrip:
		w.drip(rw, r, good)
	default:
		return false
	}
	return true
}

// drip sends the body byte by byte; a client without a floor waits for minutes.
func (w *Web) drip(rw http.ResponseWriter, r *http.Request, good reply) {
	rw.Header().Set("Content-Type", good.contentType)
	rw.WriteHeader(good.status)
	flush := http.NewResponseController(rw)
	for i := range good.body {
		if _, err := rw.Write(good.body[i : i+1]); err != nil || flush.Flush() != nil || !w.wait(r, dripPause) {
			return
		}
	}
}

// wait pauses for d, or for ever when d is 0, and says whether the client and the web are still there.
func (w *Web) wait(r *http.Request, d time.Duration) bool {
	var after <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-after:
		return true
	case <-r.Context().Done():
	case <-w.stop:
	}
	return false
}

const portalPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in to the guest network</title></head>
<body><h1>Welcome to the guest network</h1>
<p>Accept the terms of use to go on to the internet.</p>
<form method="post" action="/accept"><button>Accept and connect</button></form></body></html>
`
