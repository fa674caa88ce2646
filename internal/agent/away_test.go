package agent_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// A forgetful journal loses what kind a model's failure was, as one did that was written
// before runs went by that.
type forgetful struct{ agent.Journal }

func (f forgetful) Finish(ctx context.Context, c agent.Call, e agent.Entry) error {
	if e.Error != nil && c.Kind == agent.CallModel {
		var r agent.Reply
		if err := json.Unmarshal(e.Result, &r); err != nil {
			return err
		}
		r.Failed = ""
		var err error
		if e.Result, err = json.Marshal(r); err != nil {
			return err
		}
	}
	return f.Journal.Finish(ctx, c, e)
}

// A model that is away for the moment is waited for, some two minutes within the wall of
// time, and the run goes on; one that was never there is not.
func TestAModelThatIsAway(t *testing.T) {
	down, busy := failing(citewell.CodeConnectFailed), failing(citewell.CodeRateLimited)
	before := []reply{calls(searchFor("herons")), calls(readHerons)}
	for name, test := range map[string]struct {
		away    []reply
		begun   bool
		wall    time.Duration
		outcome runstore.RunOutcome
		asked   int
		took    time.Duration
	}{
		"for half a minute":   {slices.Repeat([]reply{down}, 5), true, 0, runstore.RunAnswered, 8, 31 * time.Second},
		"busy":                {slices.Repeat([]reply{busy}, 7), true, 0, runstore.RunAnswered, 10, 123 * time.Second},
		"busy from the first": {slices.Repeat([]reply{busy}, 4), false, 0, runstore.RunAnswered, 7, 15 * time.Second},
		"for good": {slices.Repeat([]reply{down}, 9), true, 0, runstore.RunModelFailed, 10,
			123 * time.Second},
		"never there": {slices.Repeat([]reply{down}, 9), false, 0, runstore.RunModelFailed, 3, 3 * time.Second},
		"longer than the run": {slices.Repeat([]reply{down}, 9), true, 20 * time.Second, runstore.RunOverBudget, 7,
			20 * time.Second},
		"and failing": {[]reply{down, failing(citewell.CodeModelFailed), down, failing(citewell.CodeTimeout), down,
			failing(citewell.CodeModelFailed)}, true, 0,
			runstore.RunModelFailed, 8, 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &script{replies: append(slices.Clone(test.away), calls(heronFinal))}
				if test.begun {
					m.replies = append(slices.Clone(before), m.replies...)
				} else {
					m.replies = append(slices.Clone(test.away), append(slices.Clone(before), calls(heronFinal))...)
				}
				o := newShelf().options(agent.ShapeToolCalling, m)
				o.Budget.WallTime = test.wall
				var told []string
				o.Tell = func(e agent.Event) {
					if e.Kind == "paused" {
						told = append(told, e.Text)
					}
				}
				began := time.Now()
				r := run(t, o, heronTask)
				if took := time.Since(began); r.Outcome != test.outcome || len(m.asked) != test.asked ||
					took.Truncate(time.Second/10) != test.took {
					t.Errorf("%s %s after %d requests and %v: %s", r.State, r.Outcome, len(m.asked), took, r.Reason)
				}
				if waited := test.took > 3*time.Second; waited != slices.ContainsFunc(told, func(s string) bool {
					return strings.HasSuffix(s, "; asked again in 4s")
				}) {
					t.Errorf("told %q", told)
				}
				if again := run(t, o, heronTask); again.Outcome != r.Outcome || again.Answer != r.Answer ||
					len(m.asked) != test.asked {
					t.Errorf("played again: %s after %d requests: %s", again.Outcome, len(m.asked), again.Answer)
				}
			})
		})
	}
}

// A run whose journal does not know what kind its failures were ends after three.
func TestAnOldRunIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &script{replies: append([]reply{calls(searchFor("herons")), calls(readHerons)},
			slices.Repeat([]reply{failing(citewell.CodeConnectFailed)}, 8)...)}
		o := newShelf().options(agent.ShapeToolCalling, m)
		o.Journal = forgetful{o.Journal}
		run(t, o, heronTask)
		asked := len(m.asked)
		if again := run(t, o, heronTask); again.Outcome != runstore.RunModelFailed || len(m.asked) != asked {
			t.Errorf("%s after %d requests, %d before", again.Outcome, len(m.asked), asked)
		}
	})
}
