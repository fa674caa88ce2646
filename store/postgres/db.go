package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DefaultTenant is the tenant of a store with one user, and what the empty name stands for.
const DefaultTenant = "default"

// oldest is the oldest PostgreSQL that is used, as server_version_num has it.
const oldest = 15_00_00

// Options of a store; URL is required.
type Options struct {
	URL string // postgres://…, as libpq has it; it may hold a password
	// ListenURL leads to the same database without a pooler, for notifications and migrations; URL when empty. If it is
	// given, URL is taken to lead through a pooler, and no connection is given settings.
	ListenURL   string
	Application string               // how the process is named in pg_stat_activity; citewell when empty
	Connections int32                // at most; what URL says by pool_max_conns when 0, or 16
	IsThere     bool                 // not_found where the database has no store, which is made else
	Copying     bool                 // for package transfer: a copy that is not finished is an error else
	Retry       time.Duration        // how long a server that cannot be reached is tried again; 15 s when 0
	Events      runstore.EventSchema // of the logs of runs; version 1 when zero
}

// A DB is an open database. Tenant gives what is read and written through.
type DB struct {
	*sharedDB

	near      bool            // the server has pgvector: vectornear.go
	isPlanned atomic.Bool     // the server knows what the tables of texts hold: statistics.go
	building  sync.Map        // collections whose index is being made
	working   context.Context // ends what is made beside calls
	stop      context.CancelFunc
	work      sync.WaitGroup
	pool      *pgxpool.Pool
	news      *news
	clock     serverClock
	events    runstore.EventSchema
	retry     time.Duration
	warnings  []string
	close     func() error
}

// Open opens a database and brings its schema up to date. Warnings say what makes it a weaker store. The caller closes
// it.
func Open(ctx context.Context, o Options) (*DB, error) {
	const op = "store.open"
	if err := o.Events.Check(op); err != nil {
		return nil, err
	}
	o.Retry = cmp.Or(o.Retry, 15*time.Second)
	config, err := poolConfig(o)
	if err != nil {
		return nil, fault.Failed(op, "the address of the database cannot be read",
			"store.url is postgres://USER@HOST/DATABASE, as libpq has it", err)
	}
	direct := config.ConnConfig
	if o.ListenURL != "" {
		if direct, err = pgx.ParseConfig(o.ListenURL); err != nil {
			return nil, fault.Failed(op, "store.listen_url cannot be read",
				"it is postgres://USER@HOST/DATABASE, as libpq has it", err)
		}
		settle(direct, o)
	}
	db := &DB{events: o.Events, retry: o.Retry}
	db.sharedDB = sqlstore.New(engine{db}, dialect, o.Events)
	db.working, db.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := db.prepare(ctx, direct, o); err != nil {
		return nil, storeError(op, err)
	}
	if db.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, storeError(op, err)
	}
	if err := db.clock.set(ctx, db.pool); err != nil {
		db.pool.Close()
		return nil, storeError(op, err)
	}
	db.news = startNews(db.pool, direct)
	db.work.Go(db.sweep)
	db.close = sync.OnceValue(db.closeAll)
	if err := sqlstore.RenewTexts(ctx, db.sharedDB); err != nil {
		return nil, errors.Join(storeError(op, err), db.Close())
	}
	return db, nil
}

// poolConfig is how connections are made.
func poolConfig(o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Connections > 0 {
		config.MaxConns = o.Connections
	} else if !strings.Contains(o.URL, "pool_max_conns") {
		config.MaxConns = 16
	}
	if o.ListenURL == "" { // a pooler refuses settings of one client
		settle(config.ConnConfig, o)
	}
	return config, nil
}

// settle gives a connection the settings that the URL does not.
func settle(config *pgx.ConnConfig, o Options) {
	for name, value := range map[string]string{
		"application_name":                    cmp.Or(o.Application, "citewell"),
		"statement_timeout":                   "60s",
		"lock_timeout":                        "5s",
		"idle_in_transaction_session_timeout": "30s",
		"client_connection_check_interval":    "5s", // one that is gone keeps no locks
		"tcp_user_timeout":                    "10s",
		"tcp_keepalives_idle":                 "5",
		"tcp_keepalives_interval":             "3",
		"tcp_keepalives_count":                "3",
		"jit":                                 "off", // short questions gain nothing by it
	} {
		if _, given := config.RuntimeParams[name]; !given {
			config.RuntimeParams[name] = value
		}
	}
}

// prepare looks whether the server can be a store and migrates it.
func (db *DB) prepare(ctx context.Context, direct *pgx.ConnConfig, o Options) error {
	c, err := pgx.ConnectConfig(ctx, direct)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	if err := db.inspect(ctx, c); err != nil {
		return err
	}
	var there bool
	if err := c.QueryRow(ctx, `SELECT to_regclass('citewell_schema') IS NOT NULL`).Scan(&there); err != nil {
		return err
	}
	if o.IsThere && !there {
		return &citewell.Error{Code: citewell.CodeNotFound, Op: "store.open",
			Message: "there is no store in the database",
			Hint:    "store.url names the database; the first write creates the store"}
	}
	if err := migrate(ctx, c); err != nil {
		return err
	}
	if !o.Copying {
		if err := sqlstore.RefuseUnfinished(ctx, conn{c}); err != nil {
			return err
		}
	}
	return db.addNear(ctx, c)
}

// inspect refuses what cannot be a store, and notes what may lose something.
func (db *DB) inspect(ctx context.Context, conn *pgx.Conn) error {
	const op = "store.open"
	var version int
	var named, fsync, commit, encoding string
	var replica bool
	if err := conn.QueryRow(ctx,
		`SELECT current_setting('server_version_num')::int, current_setting('server_version'), current_setting('fsync'),
		current_setting('synchronous_commit'), current_setting('server_encoding'), pg_is_in_recovery()`).Scan(&version, &named, &fsync, &commit, &encoding, &replica); err != nil {
		return err
	}
	switch {
	case version < oldest:
		return fault.Failed(op, fmt.Sprintf("the server is PostgreSQL %s", named),
			fmt.Sprintf("use PostgreSQL %d or later", oldest/10000), nil)
	case replica:
		return fault.Failed(op, "the server is a replica, which cannot be written",
			"give store.url the primary, or every host with target_session_attrs=read-write", nil)
	case encoding != "UTF8":
		return fault.Failed(op, fmt.Sprintf("the database is encoded as %s", encoding),
			"make it with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0", nil)
	}
	if fsync != "on" {
		db.warnings = append(db.warnings, "fsync is off: a crash of the machine may damage everything that is kept")
	}
	if commit == "off" || commit == "local" {
		db.warnings = append(db.warnings, fmt.Sprintf("synchronous_commit is %s: a crash or a failover may lose what "+
			"was said to be kept", commit))
	}
	return nil
}

// Warnings are what of the server's settings may lose something that is kept.
func (db *DB) Warnings() []string { return db.warnings }

// Ping asks whether the server answers.
func (db *DB) Ping(ctx context.Context) error {
	return storeError("store.ping", db.pool.Ping(ctx))
}

// Close ends the store. It waits until what is being read and written is done, and may be called again.
func (db *DB) Close() error { return db.close() }

func (db *DB) closeAll() error {
	db.stop()
	db.work.Wait()
	db.news.Close()
	db.pool.Close()
	return nil
}

// Tenant binds the store to one tenant: nothing read or written through it leaves that tenant. It costs nothing.
func (db *DB) Tenant(name string) *Store {
	return &Store{sqlstore.Bind(db.sharedDB, cmp.Or(name, DefaultTenant))}
}

// OnWork has do called when a run of any tenant may want an executor, perhaps too often and from several goroutines; do
// must not wait. A missed call is made good by asking AcquireNext now and then.
func (db *DB) OnWork(do func()) { db.news.onWork(do) }

// A Store is what one tenant keeps.
type Store struct{ sharedStore }

// isOurs says whether err has a code of the table already.
func isOurs(err error) bool {
	_, ok := errors.AsType[*citewell.Error](err)
	return ok
}
