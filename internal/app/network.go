package app

import (
	"cmp"
	"errors"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/agentplan"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/replay"
)

// A network is what leads outside: the guards of all connections, and what records or replays them.
type network struct {
	Guard      *egress.Guard
	modelGuard *egress.Guard // of what goes to the chat model's host
	options    egress.Options
	recorder   *replay.Recorder // nil without Options.Record
	player     *replay.Player   // nil without Options.Replay
}

// newNetwork makes the guards, and begins to record or to replay where that is wanted. What goes to a child process's
// standard input, as to some MCP servers, passes no guard and is neither recorded nor replayed.
func newNetwork(s settings, o Options) (n network, err error) {
	of := s.Config.Fetch
	plain := network{options: egress.Options{AllowNetworks: of.AllowNetworks, DenyNetworks: of.DenyNetworks,
		AllowPorts: of.AllowPorts, FollowIntoNetworks: of.FollowIntoNetworks, ProxyURL: of.EgressProxy,
		Audit: s.audit}}
	if n, err = plain.guarded(s.Config.LLM.Proxy); err != nil {
		return n, err
	}
	if _, err := chatModels(s.Config, n, nil); err != nil { // before anything is opened
		return n, err
	}
	taping := replay.Options{Redact: config.NewRedactor(s.Config).String, IsSecret: httpwire.NamesSecret,
		Classify: httpwire.Classify, Version: o.Version}
	switch {
	case o.Record == "" && o.Replay == "":
		return n, nil
	case o.Record != "" && o.Replay != "":
		return n, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "replay",
			Message: "a run is either recorded or replayed",
			Hint:    "unset one of CITEWELL_RECORD and CITEWELL_REPLAY"}
	case o.Record != "":
		if plain.recorder, err = replay.Create(o.Record, taping); err != nil {
			return n, err
		}
		plain.options.Wrap = plain.recorder.Wrap
	default:
		if plain.player, err = replay.Open(o.Replay, taping); err != nil {
			return n, err
		}
		plain.options.Wrap, plain.options.Offline = plain.player.Wrap, true
	}
	if n, err = plain.guarded(s.Config.LLM.Proxy); err != nil && plain.recorder != nil {
		err = errors.Join(err, plain.recorder.Close())
	}
	return n, err
}

// guarded is n with its guards: a proxy of the chat model's own takes the place of the one for everything.
func (n network) guarded(modelProxy string) (network, error) {
	var err error
	if n.Guard, err = egress.NewGuard(n.options); err != nil {
		return n, err
	}
	n.modelGuard, err = n.behind(modelProxy, "llm.proxy")
	return n, err
}

// behind is the guard of what goes to a model by a proxy of its own; the guard of everything where there is none.
func (n network) behind(proxy, key string) (*egress.Guard, error) {
	if proxy == "" {
		return n.Guard, nil
	}
	guard, err := egress.NewGuard(egress.Options{DenyNetworks: n.options.DenyNetworks, ProxyURL: proxy,
		Wrap: n.options.Wrap, Offline: n.options.Offline})
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
			Message: key + " cannot be used", Hint: "an http or https proxy, as in http://127.0.0.1:3128", Err: err}
	}
	return guard, nil
}

// A modelEndpoint is where the model of a section beside llm is asked.
type modelEndpoint struct {
	baseURL string
	key     citewell.Secret
	guard   *egress.Guard
	shared  bool // it is llm's own host
}

// besideLLM says where a model is asked and which key goes there. What its section leaves out is
// llm's, but llm's key and proxy are for llm's own host alone.
func (n network) besideLLM(of config.LLM, baseURL string, key citewell.Secret) modelEndpoint {
	e := modelEndpoint{baseURL: cmp.Or(baseURL, of.BaseURL), key: key, guard: n.Guard}
	if e.shared = agentplan.SameHost(e.baseURL, of.BaseURL); e.shared {
		if e.guard = n.modelGuard; key.Empty() {
			e.key = of.APIKey
		}
	}
	return e
}

// taped reports whether traffic is recorded or replayed.
func (n network) taped() bool { return n.recorder != nil || n.player != nil }

// Replayed says whether a replay held all that was asked for: not_recorded where it did not, nil where there was none.
func (n network) Replayed() error {
	if n.player == nil {
		return nil
	}
	return n.player.Err()
}
