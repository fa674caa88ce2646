// Package backend opens the store that a configuration names, whatever its backend, and copies one store into another.
//
// Flow: store.url → Dir → Open → Store → Tenant → Kept.
// Errors: invalid_config (a URL that names no store), and those of the backends.
// Concurrency: a Store serves many goroutines.
package backend

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
	"github.com/citewell/citewell/store/postgres"
	"github.com/citewell/citewell/store/sqlite"
)

// Kept is what a tenant keeps, whichever the backend.
type Kept interface {
	store.Snapshots
	store.Ledger
	store.Text
	store.Vectors
	store.Graph
	runstore.Runs
	runstore.Spending
	runstore.Watches
	runstore.Pace
}

// A Store is an open store of all tenants.
type Store interface {
	upkeep.Disk
	Tenant(name string) Kept
	CountRuns(ctx context.Context) (map[runstore.RunState]int, error)
	// TenantsWanting are those with runs in which an executor has something to do, or watches that are due.
	TenantsWanting(ctx context.Context) ([]string, error)
	// LongestWait is for how long the run has waited for an executor that has waited longest; 0
	// where none waits.
	LongestWait(ctx context.Context) (time.Duration, error)
	// LeaseTTL is for how long a run is left to an executor of which nothing is heard.
	LeaseTTL() time.Duration
	// OnWork has do called when a run may want an executor that another process told of.
	OnWork(do func())
	Check(ctx context.Context) (upkeep.CheckReport, error)
	Backup(ctx context.Context, dir string) (upkeep.BackupReport, error)
	Close() error
}

// A Cache is the cache of all tenants.
type Cache interface {
	store.Cache
	Usage(ctx context.Context) ([]upkeep.UsagePart, error)
	Prune(ctx context.Context, dryRun bool) (entries int, bytes int64, err error)
	Close() error
}

// embedded is the store of one machine.
type embedded struct{ *sqlite.DB }

func (e embedded) Tenant(name string) Kept { return e.DB.Tenant(name) }

// OnWork does nothing: other processes on one file are found by looking.
func (e embedded) OnWork(func()) {}

// LeaseTTL is long: on one machine it is known which processes live.
func (e embedded) LeaseTTL() time.Duration { return 30 * time.Second }

// served is the store of many machines.
type served struct{ *postgres.DB }

func (s served) Tenant(name string) Kept { return s.DB.Tenant(name) }

// LeaseTTL is short: of another machine's processes nothing is known but what they write.
func (s served) LeaseTTL() time.Duration { return 6 * time.Second }

// Backup implements Store: PostgreSQL has its own.
func (s served) Backup(context.Context, string) (upkeep.BackupReport, error) {
	return upkeep.BackupReport{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "store.backup",
		Message: "a store in PostgreSQL is backed up by PostgreSQL",
		Hint: "pg_dump --format=custom --file=FILE DATABASE copies it as it is at one moment, and pg_restore brings " +
			"it back; nothing else is to be copied"}
}

// Options say which store is opened.
type Options struct {
	URL       string // as store.url has it
	ListenURL string
	Dir       string // of a store on this machine, as Dir gives it
	Command   string // of whom a database is told
	IsThere   bool   // not_found where there is no store yet, which is made else
	Log       *slog.Logger
}

// Open opens the store that a URL names. The caller closes it.
func Open(ctx context.Context, o Options) (Store, error) {
	if !onPostgres(o.URL) {
		db, err := sqlite.Open(ctx, o.Dir, sqlite.Options{IsThere: o.IsThere})
		if err != nil {
			return nil, err
		}
		return embedded{db}, nil
	}
	db, err := postgres.Open(ctx, postgres.Options{URL: o.URL, ListenURL: o.ListenURL, IsThere: o.IsThere,
		Application: strings.TrimSpace("citewell " + o.Command)})
	if err != nil {
		return nil, err
	}
	for _, warning := range db.Warnings() {
		o.Log.Warn("the database", "warning", warning)
	}
	return served{db}, nil
}

func onPostgres(storeURL string) bool {
	return strings.HasPrefix(storeURL, "postgres://") || strings.HasPrefix(storeURL, "postgresql://")
}

// Place names the store for people, and as store.url takes it, in full and without a password.
func Place(storeURL, dir string) string {
	if !onPostgres(storeURL) {
		return "sqlite:" + dir
	}
	u, err := url.Parse(storeURL)
	if err != nil {
		return "postgres://" // which could not be opened
	}
	u.User = url.User(u.User.Username())
	if query := u.Query(); query.Has("password") {
		query.Del("password")
		u.RawQuery = query.Encode()
	}
	return u.String()
}

// Kind is the backend of a store's URL by its name.
func Kind(storeURL string) string {
	if onPostgres(storeURL) {
		return "postgres"
	}
	return "sqlite"
}

// Dir is the folder of the embedded store that a store URL names; one elsewhere has none, and
// what else is kept in files stands where it would.
func Dir(url, standard string) (string, error) {
	kind, dir, named := strings.Cut(url, ":")
	switch {
	case kind == "sqlite" && !named, onPostgres(url):
		return standard, nil
	case kind == "sqlite" && dir != "":
		return dir, nil
	}
	return "", &citewell.Error{Code: citewell.CodeInvalidConfig,
		Message: "store.url " + kind + " is not a store of this version",
		Hint:    "use sqlite, sqlite:DIR for a folder of your own, or postgres://USER@HOST/DATABASE"}
}

// OpenCache opens the cache: that of the database where the store is one, so that what one process got
// is there for all, and a file in a folder of this machine else. The caller closes it.
func OpenCache(ctx context.Context, of Store, dir string) (Cache, error) {
	if s, ok := of.(served); ok {
		return s.DB.Cache(0), nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return sqlite.OpenCache(ctx, filepath.Join(dir, "cache.db"), sqlite.CacheOptions{})
}
