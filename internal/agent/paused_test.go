package agent_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

// As long as an endpoint asks to be left alone, it is, and that is told; where the time
// of the run does not last for that, the run ends at once and says when to try again,
// also when it is played again.
func TestAModelThatAsksToWait(t *testing.T) {
	const said = "the model's endpoint is rate limited"
	limited := func(after time.Duration) reply {
		return func(agent.Request) (agent.Reply, error) {
			return agent.Reply{}, &citewell.Error{Code: citewell.CodeRateLimited, Message: said, RetryAfter: after}
		}
	}
	for name, test := range map[string]struct {
		replies []reply
		wall    time.Duration
		took    time.Duration
		told    string
		reason  string
		asked   int
	}{
		"a while": {[]reply{limited(5 * time.Minute), limited(time.Minute)}, 0, 6 * time.Minute,
			said + "; asked again in 5m0s|" + said + "; asked again in 1m0s", "", 5},
		"a moment": {[]reply{limited(2 * time.Second)}, 0, 2 * time.Second, "", "", 4},
		"a day": {[]reply{limited(24 * time.Hour)}, 0, 0, "",
			said + "; it may be asked again at 2000-01-02 00:00:00 UTC, 24h0m0s from now", 1},
		"no wall": {[]reply{limited(2 * time.Hour)}, -1, 0, "",
			said + "; it may be asked again at 2000-01-01 02:00:00 UTC, 2h0m0s from now", 1},
		"too little": {[]reply{limited(time.Minute), limited(10 * time.Minute)}, 5 * time.Minute, time.Minute,
			said + "; asked again in 1m0s", said + "; it may be asked again at 2000-01-01 00:11:00 UTC, 10m0s from now",
			2},
		"all the while": {slices.Repeat([]reply{limited(time.Minute)}, 8), 0, 7 * time.Minute,
			strings.Repeat(said+"; asked again in 1m0s|", 6) + said + "; asked again in 1m0s",
			said + "; it may be asked again at 2000-01-01 00:08:00 UTC, 1m0s from now", 8},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				m := &script{replies: append(test.replies, calls(searchFor("herons")), calls(readHerons),
					calls(heronFinal))}
				o := newShelf().options(agent.ShapeToolCalling, m)
				o.Budget.WallTime = test.wall
				var told []string
				o.Tell = func(e agent.Event) {
					if e.Kind == "paused" {
						told = append(told, e.Text)
					}
				}
				for range 2 {
					r := run(t, o, heronTask)
					if r.Reason != test.reason || r.RetryAt.IsZero() != (test.reason == "") ||
						len(m.asked) != test.asked {
						t.Errorf("%+v after %d", r, len(m.asked))
					}
					if took := time.Since(began); took != test.took || strings.Join(told, "|") != test.told {
						t.Errorf("it took %v and told %q", took, told)
					}
				}
			})
		})
	}
}
