package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/sheet"
)

// claimTables returns the tables of one file: for all its claims, and by set, kind and field if it has
// more than one of these.
func claimTables(name string, all []*labelledClaim) []sheet.Table {
	rows := 0
	for _, c := range all {
		rows += len(c.pairs)
	}
	what := fmt.Sprintf("%d claims of %s", len(all), name)
	if rows > len(all) {
		what = fmt.Sprintf("%d claims in %d rows of %s", len(all), rows, name)
	}
	tables := []sheet.Table{toldTable("Claims told from others: "+what, []claimGroup{{"all", all}}),
		verdictTable("Verdicts by label, shares", byLabel(all))}
	tables[0].Notes = []string{
		"balanced: accuracy of the verdict supported against all others, for claims that are supported and claims " +
			"that are not; 95 % by Wilson's interval of both rates",
		"accused: called unsupported or contradicted; true ones have the label supported, false ones contradicted or " +
			"not_enough",
	}
	for _, by := range []struct {
		name string
		of   func(*labelledClaim) string
	}{
		{"set", func(c *labelledClaim) string { return c.set }},
		{"kind", func(c *labelledClaim) string { return c.kind }},
		{"field", func(c *labelledClaim) string { return c.field }},
	} {
		groups := groupedBy(all, by.of)
		if len(groups) < 2 {
			continue
		}
		var sides []claimGroup
		for _, g := range groups {
			for _, side := range byLabel(g.claims)[:3] {
				sides = append(sides, claimGroup{g.name + ": " + side.name, side.claims})
			}
		}
		tables = append(tables, toldTable("By "+by.name, groups),
			verdictTable("Verdicts by "+by.name+", shares", sides))
	}
	return tables
}

// A claimGroup is the claims of one row.
type claimGroup struct {
	name   string
	claims []*labelledClaim
}

// groupedBy groups claims by a property, sorted by its value.
func groupedBy(all []*labelledClaim, of func(*labelledClaim) string) []claimGroup {
	var groups []claimGroup
	for _, c := range all {
		name := cmp.Or(of(c), "none")
		at := slices.IndexFunc(groups, func(g claimGroup) bool { return g.name == name })
		if at < 0 {
			at, groups = len(groups), append(groups, claimGroup{name: name})
		}
		groups[at].claims = append(groups[at].claims, c)
	}
	slices.SortFunc(groups, func(a, b claimGroup) int { return strings.Compare(a.name, b.name) })
	return groups
}

// byLabel groups claims into true, false and partly true ones, and then the false ones by label.
func byLabel(claims []*labelledClaim) []claimGroup {
	labelled := func(name string, labels ...string) claimGroup {
		g := claimGroup{name: name}
		for _, c := range claims {
			if slices.Contains(labels, c.label) {
				g.claims = append(g.claims, c)
			}
		}
		return g
	}
	return []claimGroup{labelled("true", labelSupported), labelled("false", labelContradicted, labelNotEnough),
		labelled("partly", labelPartly), labelled("false, contradicted", labelContradicted),
		labelled("false, not enough", labelNotEnough)}
}

// toldTable shows for each group how well the verdicts tell true claims from others.
func toldTable(title string, groups []claimGroup) sheet.Table {
	t := sheet.Table{Title: title, Columns: []sheet.Column{{Key: "claims", Title: "claims"},
		{Key: "balanced", Title: "balanced", Decimals: 3},
		{Key: "low", Title: "95 % from", Decimals: 3}, {Key: "high", Title: "to", Decimals: 3},
		{Key: "true", Title: "true"}, {Key: "accused", Title: "accused"},
		{Key: "accused_share", Title: "share", Decimals: 3},
		{Key: "false", Title: "false"}, {Key: "accepted", Title: "supported"},
		{Key: "accepted_share", Title: "share", Decimals: 3}}}
	for _, g := range groups {
		kept, truths, left, others := 0, 0, 0, 0
		accused, accepted, falsehoods := 0, 0, 0
		for _, c := range g.claims {
			supported := c.verdict == citewell.VerdictSupported
			if c.label == labelSupported {
				truths++
				kept += oneIf(supported)
				accused += oneIf(slices.Contains(accusing, c.verdict))
				continue
			}
			others++
			left += oneIf(!supported)
			if c.label != labelPartly {
				falsehoods++
				accepted += oneIf(supported)
			}
		}
		figures := map[string]float64{"claims": float64(len(g.claims)), "true": float64(truths),
			"accused": float64(accused), "false": float64(falsehoods), "accepted": float64(accepted)}
		if truths > 0 {
			figures["accused_share"] = float64(accused) / float64(truths)
		}
		if falsehoods > 0 {
			figures["accepted_share"] = float64(accepted) / float64(falsehoods)
		}
		if truths > 0 && others > 0 {
			figures["balanced"], figures["low"], figures["high"] = balanced(kept, truths, left, others)
		}
		t.Rows = append(t.Rows, sheet.Row{Name: g.name, Origin: sheet.Measured, Figures: figures})
	}
	return t
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// A VerdictGroup is the verdicts of one row.
type VerdictGroup struct {
	Name     string
	Verdicts []citewell.Verdict
}

// VerdictTable shows the share of each verdict in each group. Empty groups and verdicts are left out.
func VerdictTable(title string, groups []VerdictGroup) sheet.Table {
	t := sheet.Table{Title: title, Columns: []sheet.Column{{Key: "claims", Title: "claims"}}}
	seen := map[citewell.Verdict]bool{}
	for _, g := range groups {
		if len(g.Verdicts) == 0 {
			continue
		}
		figures := map[string]float64{"claims": float64(len(g.Verdicts))}
		for _, v := range g.Verdicts {
			seen[v] = true
			figures[string(v)]++
		}
		t.Rows = append(t.Rows, sheet.Row{Name: g.Name, Origin: sheet.Measured, Figures: figures})
	}
	for _, v := range verdicts {
		if seen[v] {
			t.Columns = append(t.Columns, sheet.Column{Key: string(v), Title: string(v), Decimals: 3})
			for _, r := range t.Rows {
				r.Figures[string(v)] /= r.Figures["claims"]
			}
		}
	}
	return t
}

func verdictTable(title string, groups []claimGroup) sheet.Table {
	list := make([]VerdictGroup, len(groups))
	for i, g := range groups {
		list[i].Name = g.name
		for _, c := range g.claims {
			list[i].Verdicts = append(list[i].Verdicts, c.verdict)
		}
	}
	return VerdictTable(title, list)
}

// balanced returns the mean of two rates with its 95 % interval, from the Wilson intervals of both
// (Newcombe 1998, method 10).
func balanced(a, ofA, b, ofB int) (mean, low, high float64) {
	p, pLow, pHigh := wilson(a, ofA)
	q, qLow, qHigh := wilson(b, ofB)
	mean = (p + q) / 2
	return mean, mean - math.Hypot(p-pLow, q-qLow)/2, mean + math.Hypot(pHigh-p, qHigh-q)/2
}

// wilson is a rate with the limits of Wilson's interval of 95 %.
func wilson(hits, of int) (rate, low, high float64) {
	const z = 1.959963984540054
	n := float64(of)
	rate = float64(hits) / n
	middle := (rate + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(rate*(1-rate)/n+z*z/(4*n*n))
	return rate, middle - half, middle + half
}
