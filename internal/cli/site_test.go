package cli

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// site DIR serves DIR/HOST/PATH as http://HOST.localhost:$PORT/PATH, and to a SearXNG's
// client DIR/results.json as the answer to every query, in which PORT is the port's
// place. It writes the ./citewell.yaml that asks there.
func cmdSite(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	var port string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			http.Error(w, "no host", http.StatusBadRequest)
			return
		}
		name, below := strings.CutSuffix(host, ".localhost")
		if below {
			http.ServeFile(w, r, filepath.Join(dir, name, filepath.FromSlash(r.URL.Path)))
			return
		}
		results, err := os.ReadFile(filepath.Join(dir, "results.json"))
		if err != nil || r.URL.Path != "/search" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, strings.ReplaceAll(string(results), "PORT", port))
	}))
	ts.Defer(server.Close)
	base, err := url.Parse(server.URL)
	ts.Check(err)
	port = base.Port()
	ts.Setenv("PORT", port)
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), fmt.Appendf(nil,
		"search:\n  providers:\n    searxng: {base_url: %q, rate: 100}\n    duckduckgo: {enabled: false}\nfetch:\n  "+
			"allow_networks: [127.0.0.0/8, \"::1/128\"]\n", server.URL), 0o600))
}
