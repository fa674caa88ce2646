package cli

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/testing/wayback"
	"github.com/rogpeppe/go-internal/testscript"
)

// publicweb DIR serves DIR/web/HOST/PATH as http://HOST/PATH, HOST being an IPv4 address in
// public space, behind an egress proxy; DIR/results.json as the answer of a SearXNG; and
// DIR/archive/STAMP/HOST/PATH as the copies of an archive. A page that begins with "HTTP " has
// its status there, and below it header lines. It writes the ./citewell.yaml that asks there.
// `archive MODE` has the archive fail, and `archive asked PATTERN` says what it was asked for.
func cmdPublicweb(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	sites := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		servePublic(w, r, filepath.Join(dir, "web", r.Host, filepath.FromSlash(r.URL.Path)))
	}))
	ts.Defer(sites.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			http.Error(w, "CONNECT alone", http.StatusBadRequest)
			return
		}
		tunnel(w, sites.Listener.Addr().String())
	}))
	ts.Defer(proxy.Close)
	copies := &wayback.Server{Captures: copiesBelow(ts, filepath.Join(dir, "archive"))}
	ts.Setenv("ARCHIVE", strconv.Itoa(archives.add(copies)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/search" {
			copies.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		http.ServeFile(w, r, filepath.Join(dir, "results.json"))
	}))
	ts.Defer(server.Close)
	ts.Setenv("WAYBACK", server.URL)
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), fmt.Appendf(nil,
		"search:\n  providers:\n    searxng: {base_url: %q, rate: 100}\n    duckduckgo: {enabled: false}\nfetch:\n  "+
			"cache_ttl: 1ms\n  egress_proxy: %q\n  archive: {base_url: %q, rate: 1000}\n",
		server.URL, proxy.URL, server.URL), 0o600))
}

// archives are those of the scripts that run, by their number in $ARCHIVE.
var archives archiveList

type archiveList struct {
	mu  sync.Mutex
	all []*askedArchive
}

// An askedArchive is one whose script knows the first so many things it was asked for.
type askedArchive struct {
	server *wayback.Server
	known  int
}

func (l *archiveList) add(s *wayback.Server) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, &askedArchive{server: s})
	return len(l.all) - 1
}

func (l *archiveList) of(at int) *askedArchive {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all[at]
}

// news is what it was asked for since the last time.
func (a *askedArchive) news() []string {
	asked := a.server.Asked()
	since := asked[a.known:]
	a.known = len(asked)
	return since
}

func servePublic(w http.ResponseWriter, r *http.Request, file string) {
	page, err := os.Open(file)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer page.Close()
	body := bufio.NewReader(page)
	status := http.StatusOK
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if strings.HasSuffix(file, ".vtt") {
		w.Header().Set("Content-Type", "text/vtt")
	}
	if head, _ := body.Peek(5); string(head) == "HTTP " {
		line, _ := body.ReadString('\n')
		status, _ = strconv.Atoi(strings.TrimSpace(line[5:]))
		for line, _ = body.ReadString('\n'); strings.TrimSpace(line) != ""; line, _ = body.ReadString('\n') {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			w.Header().Set(name, value)
		}
	}
	w.WriteHeader(status)
	_, _ = io.Copy(w, body)
}

// tunnel joins a client that asked for a connection to a server.
func tunnel(w http.ResponseWriter, to string) {
	server, err := net.Dial("tcp", to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	client, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		server.Close()
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	join := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		to.Close()
		from.Close()
	}
	go join(server, client)
	go join(client, server)
}

// copiesBelow are the files of an archive.
func copiesBelow(ts *testscript.TestScript, dir string) []wayback.Capture {
	var all []wayback.Capture
	if _, err := os.Stat(dir); err != nil {
		return nil // it has no copies
	}
	ts.Check(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		below, _ := filepath.Rel(dir, path)
		stamp, address, _ := strings.Cut(filepath.ToSlash(below), "/")
		all = append(all, wayback.Capture{Stamp: stamp, URL: "http://" + address, Body: string(body)})
		return err
	}))
	return all
}

// archive MODE has the running archive fail so; archive asked WORDS... fails unless it was
// asked for all of these, in their order, since the script last wanted to know; none is nothing.
func cmdArchive(ts *testscript.TestScript, neg bool, args []string) {
	at, err := strconv.Atoi(cmp.Or(ts.Getenv("ARCHIVE"), "none"))
	ts.Check(err)
	if args[0] != "asked" {
		archives.of(at).server.Fail(strings.TrimPrefix(args[0], "ok"))
		return
	}
	var got []string
	for _, asked := range archives.of(at).news() {
		u, err := url.PathUnescape(asked)
		ts.Check(err)
		got = append(got, u)
	}
	if want := args[1:]; strings.Join(got, "\n") != strings.Join(want, "\n") {
		ts.Fatalf("the archive was asked for %q, not %q", got, want)
	}
}
