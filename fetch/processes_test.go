package fetch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/pace"
	"github.com/citewell/citewell/internal/testing/pgtest"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/store/postgres"
	"github.com/citewell/citewell/store/sqlite"
)

// The test binary is run again as a process that fetches, on a store that others use too.
const childEnv = "CITEWELL_FETCH_CHILD"

// A childJob is what such a process does.
type childJob struct {
	Store   string // a folder, or postgres://…
	Proxy   string // by which it reaches every host
	URLs    []string
	Archive bool // copies of an archive are wanted, in the place of the pages
	Timeout time.Duration
}

const (
	childSpacing = 100 * time.Millisecond
	archiveRate  = 10 // a second
)

func init() {
	var job childJob
	if err := json.Unmarshal([]byte(os.Getenv(childEnv)), &job); err == nil {
		if err := job.do(context.Background()); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// parts are the pace and the cache of the store.
func (j childJob) parts(ctx context.Context) (pace.Turns, fetch.Cache, error) {
	if strings.HasPrefix(j.Store, "postgres") {
		db, err := postgres.Open(ctx, postgres.Options{URL: j.Store})
		if err != nil {
			return nil, nil, err
		}
		return db.Tenant(""), db.Cache(0), nil
	}
	db, err := sqlite.Open(ctx, j.Store, sqlite.Options{LockWait: time.Minute})
	if err != nil {
		return nil, nil, err
	}
	cache, err := sqlite.OpenCache(ctx, filepath.Join(j.Store, "cache.db"), sqlite.CacheOptions{})
	return db.Tenant(""), cache, err
}

func (j childJob) do(ctx context.Context) error {
	pace, cache, err := j.parts(ctx)
	if err != nil {
		return err
	}
	guard, err := egress.NewGuard(egress.Options{ProxyURL: j.Proxy, Resolver: anyName{}})
	if err != nil {
		return err
	}
	o := fetch.Options{Guard: guard, Spacing: childSpacing, Cache: cache, Pace: pace,
		Alone: func(_ context.Context, err error) { fmt.Println("alone:", err); os.Exit(1) }}
	use := fetch.ArchiveNever
	if j.Archive {
		use = fetch.ArchiveOnly
		if o.Archive, err = fetch.NewArchive(fetch.ArchiveOptions{
			BaseURL: "http://archive.example", Rate: archiveRate}); err != nil {
			return err
		}
	}
	client := fetch.New(o)
	defer client.Close()
	var group sync.WaitGroup
	failed := make(chan error, len(j.URLs))
	for _, url := range j.URLs {
		group.Go(func() {
			if _, err := client.Get(ctx, fetch.Request{URL: url, Timeout: j.Timeout, Archived: use}); err != nil {
				failed <- err
			}
		})
	}
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

// anyName is a resolver that gives every name a public address. Nothing goes there: all goes to
// the proxy.
type anyName struct{}

func (anyName) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
}

// start runs the job in a process of its own.
func (j childJob) start(t *testing.T) *exec.Cmd {
	t.Helper()
	job, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(job))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// A web is every host there is, and counts what each is asked. It is reached as a proxy that
// makes tunnels, all of which lead to it.
type web struct {
	*httptest.Server
	hang chan string // is told the URL of a request that is never answered

	mu       sync.Mutex
	inFlight map[string]int
	overlaps int
	asked    map[string]int // by URL
	starts   map[string][]time.Time
}

func newWeb(t *testing.T) *web {
	w := &web{hang: make(chan string, 9), inFlight: map[string]int{}, asked: map[string]int{},
		starts: map[string][]time.Time{}}
	w.Server = httptest.NewUnstartedServer(w)
	w.Start()
	t.Cleanup(w.Close)
	return w
}

// ServeHTTP takes a while over each answer. It is counted as ended before a client can have all
// of it.
func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodConnect {
		w.tunnel(rw)
		return
	}
	r.URL.Scheme, r.URL.Host = "http", r.Host
	w.mu.Lock()
	w.asked[r.URL.String()]++
	w.starts[r.URL.Host] = append(w.starts[r.URL.Host], time.Now())
	if w.inFlight[r.URL.Host]++; w.inFlight[r.URL.Host] > 1 {
		w.overlaps++
	}
	w.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/hangs") {
		w.hang <- r.URL.String()
		<-r.Context().Done()
	} else {
		time.Sleep(10 * time.Millisecond)
	}
	w.mu.Lock()
	w.inFlight[r.URL.Host]--
	w.mu.Unlock()
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(rw, r)
	case r.URL.Path == "/cdx/search/cdx":
		fmt.Fprintf(rw,
			`[["timestamp","original","statuscode","mimetype","digest"],["20240102030405",%q,"200","text/html","X"]]`,
			r.URL.Query().Get("url"))
	default:
		rw.Header().Set("Cache-Control", "max-age=600")
		fmt.Fprintf(rw, "<p>the page %s", r.URL)
	}
}

func (w *web) tunnel(rw http.ResponseWriter) {
	client, _, err := rw.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	inside, err := net.Dial("tcp", w.Listener.Addr().String())
	if err != nil {
		return
	}
	defer inside.Close()
	io.WriteString(client, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		defer inside.Close()
		io.Copy(inside, client)
	}()
	io.Copy(client, inside)
}

// check says whether any host was asked twice at once, or more often than each spacing.
func (w *web) check(t *testing.T, spacing time.Duration) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.overlaps > 0 {
		t.Errorf("%d requests began while the same host had another under way", w.overlaps)
	}
	for host, starts := range w.starts {
		counted := len(starts) - w.asked["http://"+host+"/robots.txt"]
		took := starts[len(starts)-1].Sub(starts[0])
		t.Logf("%s: %d requests in %v", host, len(starts), took)
		// The first may have been on its way for longer than the last.
		if least := time.Duration(counted-1)*spacing - spacing; took < least {
			t.Errorf("%s was asked %d times within %v, want at least %v", host, counted, took, least)
		}
	}
}

func stores(t *testing.T) map[string]string {
	return map[string]string{"folder": t.TempDir(), "database": pgtest.URL(t)}
}

// Several processes on one store ask a host one at a time and no sooner than its spacing, and
// ask for each page once.
func TestProcessesKeepMannersTogether(t *testing.T) {
	if testing.Short() || score.RaceDetector { // a robots.txt has five seconds
		t.Skip("starts processes")
	}
	for name, place := range stores(t) {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t)
			job := childJob{Store: place, Proxy: w.URL, Timeout: time.Minute}
			for host := range 3 {
				for page := range 6 {
					job.URLs = append(job.URLs, fmt.Sprintf("http://host%d.example/%d", host, page))
				}
			}
			const processes = 4
			runAll(t, job, processes)
			w.check(t, childSpacing)
			for url, n := range w.asked {
				// A robots.txt that is not there is not kept: each process asks for it once.
				if n != 1 && !(strings.HasSuffix(url, "/robots.txt") && n <= processes) {
					t.Errorf("%s was asked for %d times", url, n)
				}
			}
		})
	}
}

// An archive is asked by all processes together no faster than its rate.
func TestProcessesAskAnArchiveTogether(t *testing.T) {
	if testing.Short() || score.RaceDetector { // a robots.txt has five seconds
		t.Skip("starts processes")
	}
	for name, place := range stores(t) {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t)
			job := childJob{Store: place, Proxy: w.URL, Timeout: time.Minute, Archive: true}
			for page := range 4 {
				job.URLs = append(job.URLs, fmt.Sprintf("http://gone-pages.net/%d", page))
			}
			runAll(t, job, 3)
			w.check(t, time.Second/archiveRate)
			if n := len(w.starts["archive.example"]); n < 8 {
				t.Errorf("the archive was asked %d times only", n)
			}
		})
	}
}

func runAll(t *testing.T, job childJob, processes int) {
	t.Helper()
	var all []*exec.Cmd
	for range processes {
		all = append(all, job.start(t))
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
}

// A process that is killed while it asks a host, with a request that may last for a minute, frees it
// within the time that the next one has by default.
func TestAKilledProcessFreesItsHost(t *testing.T) {
	if testing.Short() || score.RaceDetector { // a robots.txt has five seconds
		t.Skip("starts processes")
	}
	for name, place := range stores(t) {
		t.Run(name, func(t *testing.T) {
			w := newWeb(t)
			job := childJob{Store: place, Proxy: w.URL, Timeout: time.Minute,
				URLs: []string{"http://host.example/hangs"}}
			first := job.start(t)
			select {
			case <-w.hang:
			case <-time.After(time.Minute):
				t.Fatal("the host was not asked")
			}
			if err := first.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			first.Wait()
			job.URLs, job.Timeout = []string{"http://host.example/page"}, fetch.DefaultTimeout
			if err := job.start(t).Wait(); err != nil {
				t.Fatal(err)
			}
			w.check(t, childSpacing)
		})
	}
}
