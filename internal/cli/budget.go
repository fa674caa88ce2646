package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/text"
)

// noWall is the value of a budget that is not to be kept.
const noWall = "none"

// budgetKeys are the walls of a run, each with what it takes and how the configuration says that there is none.
var budgetKeys = []struct {
	name, form, none string
	takes            func(string) bool
}{
	{"tokens", "a whole number", "0", isCount},
	{"usd", "an amount as in 0.50", noWall, func(s string) bool {
		usd, err := strconv.ParseFloat(s, 64)
		return err == nil && usd > 0 && !math.IsInf(usd, 0)
	}},
	{"wall_time", "a time such as 90s or 10m", "0s", func(s string) bool {
		d, err := time.ParseDuration(s)
		return err == nil && d > 0
	}},
	{"searches", "a whole number", "0", isCount},
	{"fetches", "a whole number", "0", isCount},
}

func isCount(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n > 0 && n <= 1e9
}

func budgetNames() []string {
	var names []string
	for _, k := range budgetKeys {
		names = append(names, k.name)
	}
	return names
}

// budgetForms are the keys and what they take, for people.
func budgetForms() string {
	var forms []string
	for _, k := range budgetKeys {
		forms = append(forms, k.name+" "+k.form)
	}
	return strings.Join(forms, ", ") + ", or " + noWall
}

// budgetSettings makes settings of what --budget says. Who gives it is the operator: it
// may be more than the configuration says.
func budgetSettings(pairs []string) ([]string, error) {
	var sets []string
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, usage(fmt.Sprintf("--budget is %.60q; it must be KEY=VALUE, as in searches=6", pair),
				"keys: "+strings.Join(budgetNames(), ", "))
		}
		at := slices.Index(budgetNames(), name)
		if at < 0 {
			hint := "keys: " + strings.Join(budgetNames(), ", ")
			if near := text.Nearest(name, budgetNames()); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return nil, usage(fmt.Sprintf("--budget has no %.60q", name), hint)
		}
		k := budgetKeys[at]
		if value == noWall {
			value = k.none
		} else if !k.takes(value) {
			return nil, usage(fmt.Sprintf("--budget %s is %.60q; it must be %s above 0, or %s", name, value, k.form,
				noWall), "")
		}
		sets = append(sets, "budget."+name+"="+value)
	}
	return sets, nil
}

// walls says in words what a run may spend.
func walls(b job.Budget) string {
	var all []string
	if b.Tokens > 0 {
		all = append(all, count(b.Tokens, "token"))
	}
	if b.USD > 0 {
		all = append(all, fmt.Sprintf("%v USD", b.USD))
	}
	if b.WallMS > 0 {
		all = append(all, (time.Duration(b.WallMS) * time.Millisecond).String())
	}
	if b.Searches > 0 {
		all = append(all, count(b.Searches, "search"))
	}
	if b.Fetches > 0 {
		all = append(all, count(b.Fetches, "page"))
	}
	if len(all) == 0 {
		return "no budget"
	}
	return "at most " + strings.Join(all, ", ")
}
