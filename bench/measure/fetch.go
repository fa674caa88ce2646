package measure

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/citewell/citewell/internal/sheet"
)

// A Getter gets a page over HTTP. Open returns nil for get where it cannot be had
// that way (with new connections, say).
type Getter struct {
	Name string
	Note string
	Open func(keepConnections bool) (get func(ctx context.Context,
		url string) (bytes int, err error), close func(), err error)
}

const (
	pageBytes = 4 << 10
	batches   = 8 // turns of each getter in a round, short ones: a busy machine then disturbs all alike

	keptBatch = 250 // requests of a turn
	newBatch  = 60  // fewer: each leaves a port that rests for a minute
)

// Fetch measures getters on loopback beside the first, bare net/http.
func Fetch(ctx context.Context, getters []Getter, o Options) (sheet.Report, error) {
	o = o.withDefaults()
	body := make([]byte, pageBytes)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return sheet.Report{}, fmt.Errorf("bench: loopback: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write(body)
		})}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener) // ends with ErrServerClosed, below
	}()
	defer func() {
		_ = server.Close()
		<-ended
	}()
	report := sheet.Report{Schema: sheet.Schema, Name: "fetch", Rounds: o.Rounds}
	for _, way := range []struct {
		name string
		kept bool
		size int
	}{{"kept connection", true, keptBatch}, {"a new connection for each request", false, newBatch}} {
		o.Say("fetching, " + way.name)
		t, err := fetchTable(ctx, "http://"+listener.Addr().String()+"/page", way.kept, way.size, getters, o.Rounds)
		if err != nil {
			return sheet.Report{}, err
		}
		t.Title = fmt.Sprintf("A page of %d KiB on loopback, %s", pageBytes>>10, way.name)
		report.Tables = append(report.Tables, t)
	}
	return report, nil
}

func fetchTable(ctx context.Context, url string, kept bool, size int, getters []Getter,
	rounds int) (sheet.Table, error) {
	t := sheet.Table{Columns: []sheet.Column{{Key: "requests_per_s", Title: "requests/s"},
		{Key: "of_bare", Title: "of bare", Decimals: 2}}}
	var turns []func(context.Context) error
	var rows []sheet.Row
	for _, g := range getters {
		get, done, err := g.Open(kept)
		if err != nil {
			return t, err
		}
		if get == nil {
			continue
		}
		defer done()
		turn := func(ctx context.Context) error {
			for range size {
				n, err := get(ctx, url)
				if err != nil {
					return fmt.Errorf("bench: %s: %w", g.Name, err)
				}
				if n != pageBytes {
					return fmt.Errorf("bench: %s got %d bytes of %d", g.Name, n, pageBytes)
				}
			}
			return ctx.Err()
		}
		if err := turn(ctx); err != nil { // warms up
			return t, err
		}
		turns = append(turns, turn)
		rows = append(rows, sheet.Row{Name: g.Name, Origin: sheet.Measured, Note: g.Note})
	}
	took, err := takeTurns(ctx, rounds*batches, turns...)
	if err != nil {
		return t, err
	}
	for i := range rows {
		rows[i].Figures = map[string]float64{"requests_per_s": float64(size) / medianOf(took[i].wall),
			"of_bare": ratio(took[0].wall, took[i].wall)}
	}
	rows[0].Origin = sheet.Limit
	t.Rows = rows
	return t, nil
}
