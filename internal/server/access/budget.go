package access

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
)

// A Budget is what a token may spend on each day of UTC, and how many of its runs may be under
// way at once. 0 is no bound.
type Budget struct {
	Tokens   int64   `json:"tokens,omitempty"` // of chat models, in and out
	USD      float64 `json:"usd,omitempty"`    // by the prices of the configuration
	Searches int64   `json:"searches,omitempty"`
	Runs     int     `json:"runs,omitempty"` // that have not ended
}

// BudgetKeys are what a Budget bounds, for messages.
var BudgetKeys = []string{"tokens", "usd", "searches", "runs"}

// ParseBudget reads a budget of words like tokens=1000000.
func ParseBudget(words []string) (b Budget, err error) {
	seen := map[string]bool{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if seen[key] {
			return b, badBudget(word, "it stands twice")
		}
		seen[key] = true
		amount, err := strconv.ParseFloat(value, 64)
		if whole := key != "usd"; err != nil || !(amount > 0) || amount > 1e12 || whole &&
			amount != math.Trunc(amount) || key == "runs" && amount > 1000 {
			return b, badBudget(word, "the amount is above 0, at most 1e12, of runs 1000, and whole but for usd")
		}
		switch key {
		case "tokens":
			b.Tokens = int64(amount)
		case "usd":
			b.USD = amount
		case "searches":
			b.Searches = int64(amount)
		case "runs":
			b.Runs = int(amount)
		default:
			return b, badBudget(word, "there is no such key")
		}
	}
	return b, nil
}

func badBudget(word, why string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument,
		Message: fmt.Sprintf("the budget %.60q cannot be: %s", word, why),
		Hint:    "KEY=AMOUNT, as in tokens=1000000; there are " + strings.Join(BudgetKeys, ", ")}
}

// String is the budget as ParseBudget reads it, with blanks between; empty where there is none.
func (b Budget) String() string {
	var words []string
	for i, amount := range []float64{float64(b.Tokens), b.USD, float64(b.Searches), float64(b.Runs)} {
		if amount > 0 {
			words = append(words, BudgetKeys[i]+"="+strconv.FormatFloat(amount, 'f', -1, 64))
		}
	}
	return strings.Join(words, " ")
}
