package bench

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/testing/benchtest"
)

func TestBalanced(t *testing.T) {
	for _, test := range []struct {
		a, ofA, b, ofB  int
		mean, low, high float64
	}{ // by hand; Wilson's interval of 81 in 263 is .2553 to .3662 (Newcombe 1998)
		{81, 263, 81, 263, .3080, .2707, .3491},
		{1, 2, 2, 3, .5833, .2771, .8274},
		{10, 10, 10, 10, 1, .8037, 1},
		{0, 10, 0, 10, 0, 0, .1963},
	} {
		mean, low, high := balanced(test.a, test.ofA, test.b, test.ofB)
		for _, figure := range [][2]float64{{mean, test.mean}, {low, test.low}, {high, test.high}} {
			if math.Abs(figure[0]-figure[1]) > .0001 {
				t.Errorf("%d of %d and %d of %d: %.4f, %.4f to %.4f", test.a, test.ofA, test.b, test.ofB,
					mean, low, high)
				break
			}
		}
	}
}

// Rows are joined where the claim is the same and the ids differ in a last number alone.
func TestJoinRows(t *testing.T) {
	row := func(id, statement, label string) claimRow {
		raw, err := json.Marshal(id)
		if err != nil {
			t.Fatal(err)
		}
		return claimRow{Pair: claim.Pair{ID: raw, Claim: statement, Evidence: new("e")}, Label: label}
	}
	rows := []claimRow{row("w/a/0", "x", labelContradicted), row("w/b", "x", labelSupported),
		row("w/b", "x", labelPartly),
		row("w/a/12", "x", labelPartly), row("w/a/1", "another", labelNotEnough), row("/1", "x", labelSupported),
		row("w/a/", "x", labelSupported)}
	rows = append(rows, claimRow{Pair: claim.Pair{ID: json.RawMessage("7"), Claim: "x"}, Label: labelSupported})
	var got strings.Builder
	for _, c := range joinRows(rows) {
		got.WriteString(c.set + " " + c.label + " " + strings.Repeat("+", len(c.pairs)) + "\n")
	}
	want := "w partly ++\nw supported +\nw partly +\nw not_enough +\n supported +\nw supported +\n supported +\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}

// A claim gets the best verdict of its rows, in every column that a verdict can have, and no
// judge may leave a row out or make a word of its own.
func TestClaimsOfAJudge(t *testing.T) {
	var lines strings.Builder
	for _, said := range []string{"contradicted", "unsupported", "undecided", "partly", "partly", "supported"} {
		lines.WriteString(`{"id":"set/0","claim":"c","evidence":"` + said + `","label":"supported"}` + "\n")
		lines.WriteString(`{"claim":"alone","evidence":"` + said + `","label":"not_enough"}` + "\n")
	}
	dir := benchtest.Folder(t, map[string]string{"claims.jsonl.gz": benchtest.Gzip(t, lines.String()),
		"claims.jsonl": "not this one"})
	judge := func(_ context.Context, pairs []claim.Pair) ([]citewell.Verdict, error) {
		var given []citewell.Verdict
		for _, p := range pairs {
			given = append(given, citewell.Verdict(*p.Evidence))
		}
		return given, nil
	}
	r, err := Claims(t.Context(), []string{dir + "/claims.jsonl.gz"}, ClaimOptions{Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	all := benchtest.Row(t, r, 0, "all")
	benchtest.WantFigure(t, all, "claims", 7)
	benchtest.WantFigure(t, all, "accused", 0)
	benchtest.WantFigure(t, all, "accepted", 1)
	benchtest.WantFigure(t, benchtest.Row(t, r, 1, "true"), "supported", 1)
	if len(r.Tables[1].Columns) != 6 {
		t.Errorf("columns %+v", r.Tables[1].Columns)
	}
	for _, given := range [][]citewell.Verdict{{"supported"}, append(make([]citewell.Verdict, 11), "supported")} {
		wrong := func(context.Context, []claim.Pair) ([]citewell.Verdict, error) { return given, nil }
		if _, err := Claims(t.Context(), []string{dir + "/claims.jsonl.gz"},
			ClaimOptions{Judge: wrong}); citewell.CodeOf(err) != citewell.CodeInternal {
			t.Errorf("got %v", err)
		}
	}
}

// Evidence may be a stretch of a page, without its scripts and with single spaces.
func TestClaimsOfPages(t *testing.T) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	page := "<p>The <b>well</b> is</p>\n<script>or is it</script><p>41 metres deep.</p>"
	if err := w.WriteHeader(&tar.Header{Name: "well.html", Size: int64(len(page)), Mode: 0o600}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(page)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := benchtest.Folder(t, map[string]string{
		"demo-web/manifest.json": `[{"path":"well.html","title":"The well"}]`,
		"demo-web/pages.tar.gz":  benchtest.Gzip(t, archive.String()),
		"claims.jsonl":           `{"claim":"It is deep.","label":"supported","page":"well.html","from":"well is","to":"41 metres"}`,
		"astray.jsonl":           `{"claim":"It is deep.","label":"supported","page":"well.html","from":"well is","to":"42 metres"}`,
	})
	all, err := readClaims(dir+"/claims.jsonl", dir)
	if err != nil || len(all) != 1 || *all[0].pairs[0].Evidence != "well is 41 metres" ||
		all[0].pairs[0].Title != "The well" {
		t.Errorf("%+v %v", all, err)
	}
	if _, err := readClaims(dir+"/astray.jsonl", dir); err == nil ||
		!strings.Contains(err.Error(), "row 1 refers to a stretch of well.html that is not there") {
		t.Errorf("got %v", err)
	}
}
