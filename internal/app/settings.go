package app

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/config"
)

// settings are what the operator says, as it is in force, and where files stand.
type settings struct {
	Config     config.Config
	DataDir    string
	paths      config.Paths
	configFile string // empty where there is none
	tokensFile string
	userAgent  string
	version    string
	command    string   // Options.Command
	agentNames []string // of the configured agents, in the order of the files
	samples    []string // Options.Samples
	log        *slog.Logger
}

func newSettings(o Options) (settings, error) {
	c := inForce(o.Config.Config)
	s := settings{Config: c, paths: o.Config.Paths, configFile: o.Config.File, tokensFile: TokensFile(o.Config),
		userAgent: cmp.Or(c.Fetch.UserAgent, "Citewell/"+o.Version+" (+https://github.com/citewell/citewell)"),
		version:   o.Version, command: o.Command, agentNames: agentplan.Names(o.Config), samples: o.Samples,
		log: slog.New(slog.DiscardHandler)}
	if o.Log != nil {
		written := config.NewRedactor(c).Writer(o.Log)
		s.log = slog.New(o.LogFormat.handler(written, &slog.HandlerOptions{Level: o.LogLevel}))
	}
	var err error
	s.DataDir, err = backend.Dir(c.Store.URL, s.paths.Data)
	return s, err
}

// StorePlace names the store for people, and as store.url takes it, without a password.
func (s settings) StorePlace() string { return backend.Place(s.Config.Store.URL, s.DataDir) }

// Log is where the App logs to.
func (s settings) Log() *slog.Logger { return s.log }

// audit logs what the guard refused, with the address that no caller is told.
func (s settings) audit(e egress.AuditEvent) {
	if !e.Allowed {
		s.log.Info("address refused", "host", e.Host, "address", e.Addr, "reason", e.Reason)
	}
}

// warn logs what is no more than a warning to those who do without.
func (s settings) warn(message string, err error) { s.log.Warn(message, "error", err) }

// alone logs that other processes, which do not hear of what this one does, may do a thing too.
func (s settings) alone(may string) func(context.Context, error) {
	return func(_ context.Context, err error) { s.warn("other processes may "+may, err) }
}
