package app

import (
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/replay"
)

// tape begins to record or to replay, where that is wanted, and puts it before every
// connection of the guards. What goes to a child process's standard input, as to some
// MCP servers, passes no guard and is neither recorded nor replayed.
func (a *App) tape(o Options, guarding egress.Options) error {
	taping := replay.Options{Redact: NewRedactor(a.Config).String, IsSecret: egress.NamesSecret, Classify: egress.Classify, Version: o.Version}
	var err error
	switch {
	case o.Record == "" && o.Replay == "":
		return nil
	case o.Record != "" && o.Replay != "":
		return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "replay", Message: "a run is either recorded or replayed",
			Hint: "unset one of CITEWELL_RECORD and CITEWELL_REPLAY"}
	case o.Record != "":
		if a.recorder, err = replay.Create(o.Record, taping); err != nil {
			return err
		}
		guarding.Wrap = a.recorder.Wrap
	default:
		if a.player, err = replay.Open(o.Replay, taping); err != nil {
			return err
		}
		guarding.Wrap, guarding.Offline = a.player.Wrap, true
	}
	return a.guard(guarding)
}

// Replayed says whether a replay held all that was asked for: not_recorded where it did
// not, nil where there was none.
func (a *App) Replayed() error {
	if a.player == nil {
		return nil
	}
	return a.player.Err()
}
