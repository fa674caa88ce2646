package trials

import (
	"context"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/sandbox"
)

// Walls try what stands between strangers and this machine.
func Walls(guard *egress.Guard) []doctor.Probe {
	return []doctor.Probe{{Part: "sandbox", Name: "pdf", Try: trySandbox},
		{Part: "sandbox", Name: "programs", Try: tryWall},
		{Part: "guard", Name: "addresses",
			Try: func(context.Context) (doctor.Answer, error) { return tryGuard(guard) }}}
}

// trySandbox has a child attempt what the reader of PDFs must not be able to do.
func trySandbox(ctx context.Context) (doctor.Answer, error) {
	trial, err := sandbox.Try(ctx)
	if err != nil {
		return doctor.Answer{}, &citewell.Error{
			Code:    citewell.CodeExtractionFailed,
			Message: "the child that reads PDFs does not start",
			Hint:    "PDFs will not be read; other documents will",
			Err:     err,
		}
	}
	answer := doctor.Answer{Detail: "PDFs are read in a child behind " + strings.Join(trial.Layers, ", ")}
	var doubts []string
	if len(trial.Missing) > 0 {
		doubts = append(doubts, "this system refuses "+strings.Join(trial.Missing, ", "))
	}
	if len(trial.Holes) > 0 {
		doubts = append(doubts, "the child could "+strings.Join(trial.Holes, ", "))
	}
	if answer.Doubt = strings.Join(doubts, "; "); answer.Doubt != "" {
		answer.Hint = "a PDF made to break its reader would find fewer walls here; see doc/decision/0014-sandbox.md"
	}
	return answer, nil
}

// tryWall finds out what a program would run behind.
func tryWall(context.Context) (doctor.Answer, error) {
	walls, err := sandbox.CommandWalls()
	answer := doctor.Answer{
		Detail: "programs run behind " + strings.Join(walls.Layers, ", "),
		Hint:   "doc/decision/0046-wall.md says what each layer holds",
	}
	if !walls.Holds() {
		answer.Detail = "the wall around programs does not hold"
	}
	switch {
	case err != nil:
		answer.Doubt = err.Error()
	case len(walls.Missing) > 0:
		answer.Doubt = "this system refuses " + strings.Join(walls.Missing, ", ")
	default:
		answer.Hint = ""
	}
	return answer, nil
}

// tryGuard asks whether the guard of outbound addresses knows this machine's own.
func tryGuard(guard *egress.Guard) (doctor.Answer, error) {
	answer := doctor.Answer{Detail: "the guard of outbound addresses knows this machine's own"}
	if err := guard.CanListOwn(); err != nil {
		answer.Detail = "private and special addresses are refused"
		answer.Doubt = "the system does not list this machine's addresses, so a public one of its own is not " +
			"refused: " + err.Error()
		answer.Hint = "allow AF_NETLINK (systemd: RestrictAddressFamilies), or name the addresses in " +
			"fetch.deny_networks"
	}
	return answer, nil
}
