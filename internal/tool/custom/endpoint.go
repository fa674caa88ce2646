package custom

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// runEndpoint posts the arguments to the operator's endpoint, and to no other host, since headers may hold a key.
func runEndpoint(ctx context.Context, s Spec, client *http.Client, arguments json.RawMessage) (tool.Result, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL.String(), bytes.NewReader(arguments))
	if err != nil {
		return tool.Result{}, httpwire.Classify(s.Name, err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/plain;q=0.5")
	req.Header.Set("Accept-Encoding", "gzip")
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	resp, err := client.Do(req)
	if err != nil {
		return tool.Result{}, httpwire.Classify(s.Name, err)
	}
	body, cut, err := httpwire.ReadBody(ctx, resp, httpwire.Budget{MaxBytes: maxAnswer})
	if err != nil {
		return tool.Result{}, err
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return tool.Result{}, &citewell.Error{Code: citewell.CodeAuth, Op: s.Name,
			Message: s.Name + "'s endpoint refused the key", Hint: "check tools." + s.Name + ".headers"}
	case resp.StatusCode == http.StatusTooManyRequests:
		return tool.Result{}, &citewell.Error{Code: citewell.CodeRateLimited, Op: s.Name,
			Message: s.Name + "'s endpoint is rate limited"}
	case resp.StatusCode >= 300:
		said := text.OneLine(strings.ToValidUTF8(text.Prefix(hidden(string(body), s.Headers), 300), ""))
		return tool.Result{}, failed(s.Name, fmt.Sprintf("%s's endpoint answered %d %s", s.Name, resp.StatusCode,
			http.StatusText(resp.StatusCode)), said, nil)
	case cut:
		return tool.Result{}, &citewell.Error{Code: citewell.CodeResponseTooLarge, Op: s.Name,
			Message: fmt.Sprintf("%s answered with more than %d bytes", s.Name, maxAnswer)}
	}
	return answered(hidden(string(body), s.Headers)), nil
}
