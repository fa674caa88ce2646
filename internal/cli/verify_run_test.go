package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/backend"
	"github.com/citewell/citewell/internal/report"
)

// A run's report is verified by its file, as Markdown and as JSON, and by the run's id;
// what was changed in it is found.
func TestVerifyARun(t *testing.T) {
	home := t.TempDir()
	var stdout, stderr bytes.Buffer
	run := func(args ...string) (int, string) {
		stdout.Reset()
		stderr.Reset()
		e := &env{
			stdout:  &output{w: &stdout},
			stderr:  &console{w: &stderr},
			version: "v0.0.0-test",
			stdin:   strings.NewReader(""),
			environ: []string{
				"HOME=" + home,
				"XDG_CONFIG_HOME=" + home,
				"XDG_DATA_HOME=" + home,
				"XDG_CACHE_HOME=" + home,
			},
		}
		code := e.run(t.Context(), args)
		return code, stdout.String() + stderr.String()
	}
	const id = "sgr_agent_5b0c1a9e-1111-4222-8333-444455556666"
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	said := "The bridge is 503 metres long.\nIt is grey."
	page := citewell.Page{
		URL:         "https://bridges.test/",
		FinalURL:    "https://bridges.test/",
		Status:      200,
		ContentType: "text/html",
		Body:        []byte("<p>" + said),
		FetchedAt:   at,
		Outcome:     citewell.FetchOK,
	}
	page.SHA256 = citewell.SHA256(page.Body)
	doc := citewell.Document{
		URL:        page.URL,
		Author:     "A. Builder",
		Text:       said,
		TextSHA256: citewell.SHA256([]byte(said)),
		Extractor:  citewell.Extractor{ID: "html", Version: 1},
	}
	source := citewell.Source{
		N:          1,
		Title:      "Bridges",
		URL:        page.URL,
		FinalURL:   page.URL,
		Host:       "bridges.test",
		FetchedAt:  at,
		PageSHA256: page.SHA256,
		TextSHA256: doc.TextSHA256,
		Extractor:  doc.Extractor,
		Outcome:    citewell.FetchOK,
	}
	passage := citewell.Passage{ID: strings.Repeat("ab", 16), Source: 1, End: len(said), Text: said}
	r := citewell.Report{
		Schema:    citewell.ReportSchema,
		ID:        id,
		Agent:     "sgr_agent",
		Task:      "How long is the bridge?",
		Title:     "The bridge",
		Outcome:   "answered",
		CreatedAt: at,
		Content:   "The bridge is 503 metres long and grey [1].",
		Findings: []citewell.Finding{{Text: "The bridge is 503 metres long and grey.",
			Citations: []citewell.Citation{
				{
					N:       1,
					Passage: passage.ID,
					Quote:   said,
					End:     len(said),
					Verdict: citewell.VerdictSupported,
					By:      "words",
				},
			}}},
		Unverified: []citewell.UnverifiedPhrase{},
		Removed:    []string{},
		Sources:    []citewell.Source{source},
		Passages:   []citewell.Passage{passage},
	}

	e := &env{
		stdout:  &output{w: &stdout},
		stderr:  &console{w: &stderr},
		environ: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_CACHE_HOME=" + home},
	}
	loaded, err := e.load()
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.openAs(t.Context(), app.Options{Config: loaded})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{a.Store.PutSnapshot(t.Context(), page, doc),
		a.Store.AddSource(t.Context(), id, source, []citewell.Passage{passage}),
		a.Store.PutBrief(t.Context(), r.Brief())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	exported := map[string]string{}
	for _, f := range report.Formats {
		var w bytes.Buffer
		if err := report.Write(t.Context(), &w, f.Name, r, a.Store); err != nil {
			t.Fatal(f.Name, err)
		}
		exported[f.Name] = w.String()
	}
	a.Close()
	if !strings.Contains(
		exported[report.FormatWACZ],
		`{"url":"https://bridges.test/","mime":"text/html","status":"200","digest":"sha256:`+page.SHA256,
	) ||
		!strings.Contains(exported[report.FormatBibTeX], "author       = {{A. Builder}}") {
		t.Errorf("the store's page is not in the exports: %q", exported)
	}

	for name, whole := range map[string]string{"report.md": report.WithRecord(r),
		"report.json": exported[report.FormatJSON]} {
		file := filepath.Join(t.TempDir(), name)
		check := func(content string) (int, string) {
			t.Helper()
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			return run("verify", file)
		}
		if code, out := check(whole); code != 0 || !strings.Contains(out, "holds  F1   ①  supported") ||
			!strings.Contains(out, "1 checked against stored snapshots") {
			t.Errorf("%s: %d\n%s", name, code, out)
		}
		for _, change := range [][2]string{{"metres long and", "feet long and"},
			{"503 metres long and grey [1]", "504 metres long and grey [1]"}, {"grey [1]", "grey [2]"},
			{"bridges.test/", "evil.test/"}, {id, strings.Replace(id, "5b", "6b", 1)}, {"How long", "How old"}} {
			want := 1
			if change[0] == id && name == "report.json" {
				want = 0 // a report of somebody else's, checked against the passages that it carries
			}
			if code, out := check(strings.Replace(whole, change[0], change[1], 1)); code != want ||
				want == 0 && !strings.Contains(out, "0 checked against stored snapshots") {
				t.Errorf("%s with %q: %d\n%s", name, change[1], code, out)
			}
		}
	}
	// The store has the citations of this one and not its report, so that nothing can be rendered again.
	file := filepath.Join(t.TempDir(), "report.md")
	for change, want := range map[string]string{"": "its words have the hash that it names",
		"feet": "its words do not have the hash that it names"} {
		if err := os.WriteFile(file, []byte(strings.Replace(exported[report.FormatMarkdown], "metres",
			cmp.Or(change, "metres"), 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out := run("verify", file); code != 1 ||
			!strings.Contains(out, "not_found: this store does not keep "+id) ||
			!strings.Contains(out, want) ||
			!strings.Contains(out, "--record") {
			t.Errorf("without its record: %d\n%s", code, out)
		}
	}
	if code, out := run("verify", id); code != 0 || !strings.Contains(out, "1 of 1 citation holds") {
		t.Errorf("by id: %d\n%s", code, out)
	}
	if code, out := run("verify", strings.Replace(id, "5b", "6b", 1)); code != 1 ||
		!strings.Contains(out, "not_found") {
		t.Errorf("by another id: %d\n%s", code, out)
	}
}

// The outcome of a run may have come after its file, also where the content has lines
// like those of the Verification section.
func TestARunsOwnOutcomeIsTheLast(t *testing.T) {
	kept := citewell.Report{
		ID:      "r_1",
		Title:   "T",
		Outcome: "answered",
		Content: "Words.\n\n## Verification\n\nRun r_0, outcome answered, text 00",
	}
	file := kept
	file.Outcome = "partial"
	changes := func(rendered string) []cite.Problem {
		f, err := parseFile([]byte(rendered))
		if err != nil {
			t.Fatal(err)
		}
		var v cite.Verification
		if err := tampered(t.Context(), nil, &report.Record{Report: &kept}, f, &v); err != nil {
			t.Fatal(err)
		}
		return v.Problems
	}
	for _, rendered := range []string{report.OfRun(file), report.WithRecord(file)} {
		if problems := changes(rendered); len(problems) > 0 {
			t.Error(problems)
		}
	}
	file.Content = strings.Replace(file.Content, "r_0", "r_2", 1)
	if problems := changes(report.OfRun(file)); len(problems) != 2 ||
		!strings.Contains(problems[1].Message, "made anew") { // the line, and that its hash holds
		t.Error(problems)
	}
	if problems := changes(report.WithRecord(file)); len(problems) != 3 ||
		!strings.Contains(problems[2].Message, ".content") { // and the record
		t.Error(problems)
	}
}

// What is of the moment in which a file was written is its own: the rest is rendered as it is kept.
func TestAFileIsOfItsMoment(t *testing.T) {
	read := citewell.Source{
		N:          1,
		Title:      "T",
		URL:        "https://a.test/",
		FinalURL:   "https://a.test/",
		PageSHA256: "ab",
		Extractor:  citewell.Extractor{ID: "html"},
		Outcome:    citewell.FetchOK,
	}
	kept := citewell.Brief{
		Schema:    citewell.BriefSchema,
		ID:        strings.Repeat("0a", 16),
		Query:     "Q",
		CreatedAt: time.Unix(1e9, 0),
		Sources:   []citewell.Source{read},
		Passages: []citewell.Passage{
			{ID: "p", Source: 1, Text: "Said.", End: 5},
		},
		Coverage: citewell.Coverage{WallMS: 1700},
	}
	a := &app.App{Store: bylines{author: "Ada Older"}}
	changed := func(file string) []cite.Problem {
		t.Helper()
		f, err := parseFile([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		var v cite.Verification
		if err := tampered(t.Context(), a, &report.Record{Brief: &kept}, f, &v); err != nil {
			t.Fatal(err)
		}
		return v.Problems
	}
	cached := kept
	cached.Coverage.Cache, cached.Coverage.WallMS = true, 123
	listed, err := report.BriefWithReferences(t.Context(), kept, a.Store, report.StyleAPA)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"whole":      report.Markdown(kept, report.Options{Verification: true}),
		"compact":    report.Markdown(kept, report.Options{Verification: true, Compact: true}),
		"cached":     report.Markdown(cached, report.Options{Verification: true}),
		"references": report.Markdown(listed, report.Options{Verification: true}),
		"both":       report.Markdown(cached, report.Options{Verification: true, Compact: true, Record: true}),
	} {
		if problems := changed(file); len(problems) > 0 {
			t.Errorf("%s: %+v\n%s", name, problems, file)
		}
		if problems := changed(strings.Replace(file, "# Research: Q", "# Research: P", 1)); len(problems) == 0 ||
			!strings.HasPrefix(problems[0].Message, "line 1 was written as") {
			t.Errorf("%s: %+v", name, problems)
		}
		if name == "references" {
			if problems := changed(strings.Replace(file, "Older", "Oldest", 1)); len(problems) != 1 ||
				!strings.Contains(problems[0].Message, "Oldest") {
				t.Errorf("%s: %+v", name, problems)
			}
			if problems := changed(strings.Replace(file, "> Said.", "> Unsaid.", 1)); len(
				problems,
			) == 0 { // the extract below the list
				t.Error("an extract below the references is not looked at")
			}
		}
		if problems := changed(strings.Replace(file, ", hash ",
			", hash 0123456789abcdef0123456789abcdef, was ", 1)); len(
			problems,
		) == 0 {
			t.Errorf("%s: another hash is let pass", name)
		}
	}
	forged := listed
	forged.References = &citewell.References{Style: report.StyleAPA, Entries: []string{"It was sold in 1999."}}
	data, err := json.Marshal(forged)
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{ // each with its own hash
		"a list made anew":          report.Markdown(forged, report.Options{Verification: true}),
		"a list in a record":        report.Markdown(forged, report.Options{Verification: true, Record: true}),
		"a list in JSON":            string(data),
		"an error of words in JSON": strings.Replace(string(data), "{", `{"error":"all below is retracted",`, 1),
	} {
		if problems := changed(file); len(problems) == 0 {
			t.Errorf("%s is let pass", name)
		}
	}
	unknown := strings.Replace(
		report.Markdown(listed, report.Options{Verification: true}),
		", references apa",
		", references vancouver",
		1,
	)
	if problems := changed(unknown); len(problems) == 0 {
		t.Error("a style that there is not is let pass")
	}
}

// bylines is a store that knows of every page who wrote it.
type bylines struct {
	backend.Kept
	author string
}

func (b bylines) Snapshot(_ context.Context, url string) (citewell.Page, citewell.Document, error) {
	return citewell.Page{SHA256: "ab"}, citewell.Document{Author: b.author}, nil
}

// A citation that holds and bears nothing out is not left to be taken for a proof.
func TestACitationThatHoldsAndBearsNothingOut(t *testing.T) {
	var stdout bytes.Buffer
	e := &env{stdout: &output{w: &stdout}}
	held := cite.Checked{Statement: "F1", N: 1, OK: true, Verdict: citewell.VerdictSupported}
	e.writeVerification(cite.Verification{OK: true, Citations: []cite.Checked{held}})
	if strings.Contains(stdout.String(), "bear out") {
		t.Error(stdout.String())
	}
	bare := held
	bare.Statement, bare.Verdict = "F2", citewell.VerdictUnsupported
	e.writeVerification(cite.Verification{OK: true, Citations: []cite.Checked{held, bare}})
	if !strings.HasSuffix(stdout.String(), "the words of the source do not bear out F2.\n") {
		t.Error(stdout.String())
	}
}

// A record that verify would not read back is not written, and that is said.
func TestRecordThatIsTooLarge(t *testing.T) {
	for size, want := range map[int]string{1: "", 9 << 20: "note: the record is larger than verify reads back"} {
		var stdout, stderr bytes.Buffer
		e := &env{record: true, stdout: &output{w: &stdout}, stderr: &console{w: &stderr}}
		b := citewell.Brief{Outcome: citewell.BriefAnswered,
			Sources: []citewell.Source{{N: 1, PageSHA256: strings.Repeat("x", size)}}}
		if err := e.showBrief(t.Context(), nil, b, nil, report.Options{}, "citewell"); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(stderr.String(), want) || want == "" && stderr.Len() > 0 ||
			report.CarriesRecord(stdout.String()) != (want == "") {
			t.Errorf("%d bytes: %q", size, stderr.String())
		}
	}
}
