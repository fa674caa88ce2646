package agent

import (
	"time"

	"github.com/citewell/citewell/internal/runstore"
)

// An ending is what brings a run to its end before its model does.
type ending struct {
	closing  string    // why it has to come to an end; empty while it has not
	closed   bool      // it was asked to
	retryAt  time.Time // when the model may be asked again; zero where it did not say
	wallTurn int       // turn in which the wall of time was reached; -1 where it was not
	stale    int       // turns in a row that brought nothing new
	misfits  int       // answers in a row that were in no form
	news     bool      // this turn brought something new
	rejected bool      // what it wrote in this turn was sent back
}

// Bounds of patience.
const (
	maxStale   = 3 // turns in a row that bring nothing new
	maxMisfits = 3 // answers in a row that are in no form
)

// Why a run is asked to come to an end.
const (
	closingBudget = "the budget is nearly used up"
	closingTime   = "the time is nearly used up"
	closingStale  = "the last steps brought nothing new"
)

// Why code wrote the answer.
const (
	reasonSteps = "the steps were used up"
	reasonTime  = "the time is used up"
)

// turned notes that a turn was taken.
func (e *ending) turned() {
	e.misfits = 0
	if e.stale++; e.news || e.rejected {
		e.stale = 0
	}
}

func (e *ending) closingOutcome() runstore.RunOutcome {
	if e.closing == closingStale {
		return runstore.RunPartial
	}
	return runstore.RunOverBudget
}
