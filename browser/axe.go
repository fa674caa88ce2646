package browser

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
	"github.com/citewell/citewell/internal/testing/realpart"
)

// axeSource is axe-core as scripts/test-setup.sh has installed it. The tests of this folder
// run in it.
var axeSource = sync.OnceValues(func() (string, error) {
	const file = "node_modules/axe-core/axe.min.js"
	home, err := realpart.Home("axe", "axe", []string{"package-lock.json"}, file)
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(filepath.Join(home, file))
	return string(source), err
})

// runAxe has every rule up to WCAG 2.2 AA and those of good practice.
const runAxe = `axe.run(document, {
	resultTypes: ["violations", "incomplete"],
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
}).then(({violations, incomplete}) => {
	const nodes = rules => rules.flatMap(rule => rule.nodes.map(node => ({
		rule: rule.id, selector: node.target.flat().join(" "), message: node.failureSummary ?? rule.help,
	})));
	return {violations: nodes(violations), incomplete: nodes(incomplete)};
})`

type axeFinding struct{ Rule, Selector, Message string }

// Axe fails the test for whatever axe-core finds wrong with the page as it is now; state
// says which state of the page that is. What axe-core cannot decide is logged.
func (tab *Tab) Axe(state string) {
	tab.t.Helper()
	source, err := axeSource()
	realpart.Need(tab.t, "axe-core", err)
	if tab.options.NoScript { // axe-core's promises are script as well; the page's own is passed over already
		tab.do("let axe-core run", allowScript(true))
		defer tab.do("stop script", allowScript(false))
	}
	if !Eval[bool](tab, "!!globalThis.axe") {
		// Evaluated, as a page with our policy takes no script element.
		tab.do("load axe-core", chromedp.Evaluate[chromedp.Void](source))
	}
	found := Eval[struct{ Violations, Incomplete []axeFinding }](tab, runAxe)
	for _, f := range found.Violations {
		tab.t.Errorf("%s: %s at %s: %s", state, f.Rule, f.Selector, strings.Join(strings.Fields(f.Message), " "))
	}
	for _, f := range found.Incomplete {
		tab.t.Logf("%s: axe-core cannot decide %s at %s", state, f.Rule, f.Selector)
	}
}
