package report_test

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// inFile asks for all that a file has.
var inFile = report.Options{Verification: true, Record: true}

// shown is a string as it is seen: in one line, without what is not seen.
func shown(s string) string {
	return strings.Join(strings.Fields(visible(s)), " ")
}

// verified reads a Markdown file and checks it, as `citewell verify` does where no store
// keeps what it was written from.
func verified(t *testing.T, markdown string, archive cite.Archive) (codes []string, v cite.Verification) {
	t.Helper()
	stamp, record, err := report.Parse(markdown)
	if err != nil {
		t.Fatal(err)
	}
	var problems []cite.Problem
	b := citewell.Brief{}
	if record.Report != nil {
		b, problems = agent.HandedIn(*record.Report)
	} else {
		b = *record.Brief
	}
	if v, err = cite.Verify(t.Context(), b, archive); err != nil {
		t.Fatal(err)
	}
	v.Problems = append(append(record.Changes(markdown, stamp), problems...), v.Problems...)
	v.OK = v.OK && len(v.Problems) == 0
	for _, p := range v.Problems {
		codes = append(codes, p.Code)
	}
	for _, c := range v.Citations {
		for _, p := range c.Problems {
			codes = append(codes, p.Code)
		}
	}
	return codes, v
}

func asJSON(t interface{ Fatal(...any) }, value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// A file carries what it was written from, whatever words are in it, and differs from it
// in nothing.
func TestRoundTrip(t *testing.T) {
	if score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	roundTrip := func(t interface {
		Fatal(...any)
		Fatalf(string, ...any)
	}, b citewell.Brief) {
		for _, compact := range []bool{false, true} {
			markdown := report.Markdown(b, report.Options{Compact: compact, Verification: true, Record: true})
			stamp, got, err := report.Parse(markdown)
			if err != nil || stamp.ID != b.ID || !stamp.Holds || stamp.Compact != compact ||
				stamp.Cached != b.Coverage.Cache ||
				got.Brief == nil {
				t.Fatalf("%v, %+v\n%s", err, stamp, markdown)
			}
			if diff := cmp.Diff(asJSON(t, b), asJSON(t, got.Brief)); diff != "" || got.Compact != compact {
				t.Fatalf("(-want +got):\n%s", diff)
			}
			if changes := got.Changes(markdown, stamp); len(changes) > 0 {
				t.Fatalf("%+v\n%s", changes, markdown)
			}
		}
	}
	b, _ := sample(t)
	roundTrip(t, b)
	for _, words := range hostile {
		b := everywhere(strings.ToValidUTF8(words, "\ufffd"), "https://a.test/")
		roundTrip(t, b)
		roundTrip(t, researched(b))
	}
	rapid.Check(t, func(t *rapid.T) {
		var b citewell.Brief // with words as JSON keeps them
		if err := json.Unmarshal([]byte(asJSON(t, hostileBrief().Draw(t, "brief"))), &b); err != nil {
			t.Fatal(err)
		}
		roundTrip(t, b)
	})
}

func TestVerifyUntouched(t *testing.T) {
	b, archive := sample(t)
	for name, against := range map[cite.Basis]cite.Archive{cite.BasisSnapshot: archive, cite.BasisFile: nil} {
		for _, compact := range []bool{false, true} {
			codes, v := verified(
				t,
				report.Markdown(b, report.Options{Compact: compact, Verification: true, Record: true}),
				against,
			)
			if !v.OK || len(v.Citations) != 8 {
				t.Errorf("%v, %d citations: %+v", codes, len(v.Citations), v)
			}
			for _, c := range v.Citations {
				if c.Basis != name {
					t.Errorf("%s %d was checked against the %s", c.Statement, c.N, c.Basis)
				}
			}
		}
	}
}

// A brief about a page that is full of Markdown verifies like any other.
func TestVerifyUntouchedHostile(t *testing.T) {
	for i, words := range append(slices.Clone(hostile), hostileURLs...) {
		words = strings.Map(func(r rune) rune { // what no canonical text has
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(words, "\ufffd"))
		b, archive := oneSource("The tower is 330 m tall, says "+words+" and so on.", hostileURLs[i%len(hostileURLs)])
		if codes, v := verified(t, report.Markdown(b, inFile), archive); !v.OK {
			t.Errorf("%q: %v %+v", words, codes, v)
		}
	}
}

// Programs change line ends, list markers and empty lines; the words stay.
func TestVerifyAfterFormatting(t *testing.T) {
	b, archive := sample(t)
	markdown := report.Markdown(b, inFile)
	for name, formatted := range map[string]string{
		"crlf":        strings.ReplaceAll(markdown, "\n", "\r\n"),
		"stars":       strings.ReplaceAll(markdown, "\n- ", "\n* "),
		"blank_lines": strings.ReplaceAll(strings.ReplaceAll(markdown, "\n- ", "\n\n- "), "\n### ", "\n\n### "),
		"no_last_end": strings.TrimRight(markdown, "\n"),
		"mark":        "\ufeff" + markdown,
	} {
		if codes, v := verified(t, formatted, archive); !v.OK {
			t.Errorf("%s: %v %+v", name, codes, v.Problems)
		}
	}
}

// Whatever is changed of what a reader sees is told with its line, what was written there
// and what is there now.
func TestTampering(t *testing.T) {
	b, archive := sample(t)
	whole := report.Markdown(b, inFile)
	for _, test := range []struct{ name, old, new, want string }{
		{"figure", "330 m tall, counted from the quay to the tip of its mast.” [",
			"380 m tall, counted from the quay to the tip of its mast.” [", "380 m tall"},
		{"mark", "mast.” [①", "mast.” [③", "[③"},
		{"url", "   https://courier.test/1989/03/a-hundred-years", "   https://evil.test/1989/03/a-hundred-years",
			"evil.test"},
		{"passage", id(400) + " 29-70", id(401) + " 29-70", id(401)},
		{"span", "29-70 supported", "30-70 supported", "30-70"},
		{"verdict", "0-75 snippet-only", "0-75 supported", "was written as"},
		{"remark", " (snippet-only)", "", "was written as"},
		{"finding", "\n## Disagreements", "\n- “It is made of gold.” [①]\n\n## Disagreements",
			"was added: \"- “It is made of gold.” [①]\""},
		{"appended", "\n## Verification", "\nThe tower fell in 1999.\n\n## Verification",
			"was added: \"The tower fell in 1999.\""},
		{"after_data", "-->\n", "-->\nThe tower fell in 1999.\n", "was added: \"The tower fell in 1999.\""},
		{"before", "# Research: ", "Read me first.\n# Research: ", "line 1 was added: \"Read me first.\""},
		{"question", "# Research: ", "# Research: Why and ", "line 1 was written as"},
		{"brief", "\nBrief " + id(1), "\nBrief " + id(2), "\"Brief " + id(1)},
		{"removed", "④ tower-friends.test [unknown · undated]\n   A visitor's guide\n   " +
			"https://tower-friends.test/guide\n", "", "is missing: \"④ tower-friends.test"},
		{"extract", "> Measured between 2015", "> Guessed between 2015", "Guessed"},
		{"comment", "## Key findings", "<!--\n## Key findings", "was added: \"<!--\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := strings.Replace(whole, test.old, test.new, 1)
			if changed == whole {
				t.Fatalf("%q is not in the brief", test.old)
			}
			for _, against := range []cite.Archive{archive, nil} {
				codes, v := verified(t, changed, against)
				if v.OK || codes[0] != cite.ProblemChanged || !strings.Contains(v.Problems[0].Message, test.want) {
					t.Errorf("found %v: %+v", codes, v.Problems)
				}
			}
		})
	}
}

// The first changes are told, each around what differs, and that there are more.
func TestChangesAreTold(t *testing.T) {
	b, _ := sample(t)
	w := report.Record{Brief: &b}
	whole := w.Markdown()
	long := strings.Replace(whole, "years and need sixty tonnes", "years and need ninety tonnes", 1)
	told := w.Changes(long, report.Stamp{})
	if len(told) != 1 || !strings.Contains(told[0].Message, "years and need sixty tonnes") ||
		!strings.Contains(told[0].Message, "years and need ninety tonnes") ||
		!strings.Contains(told[0].Message, `as "… `) {
		t.Errorf("%+v", told)
	}
	got := w.Changes(strings.ReplaceAll(whole, "\n", " x\n"), report.Stamp{})
	if len(got) != 6 || got[5].Message != "more lines differ than these 5" {
		t.Errorf("%+v", got)
	}
	if got := w.Changes("", report.Stamp{}); len(got) != 6 ||
		!strings.HasPrefix(got[0].Message, "line 1 as it was written is missing: ") {
		t.Errorf("%+v", got)
	}
}

// Data that was written anew tells what it tells: the store knows what was written.
func TestTamperingWithData(t *testing.T) {
	b, archive := sample(t)
	for name, change := range map[string]func(b *citewell.Brief){
		cite.ProblemStatement: func(b *citewell.Brief) {
			b.Findings[1].Text = "The tower reaches a height of " +
				"312 feet."
		},
		cite.ProblemSource:  func(b *citewell.Brief) { b.Findings[1].Citations[0].N = 2 },
		cite.ProblemPassage: func(b *citewell.Brief) { b.Findings[1].Citations[0].Passage = id(4001) },
		cite.ProblemQuote:   func(b *citewell.Brief) { b.Findings[1].Citations[0].Start++ },
		cite.ProblemVerdict: func(b *citewell.Brief) {
			b.Findings[3].Citations[0].Verdict =
				citewell.VerdictSupported
		},
	} {
		changed := clone(b)
		change(&changed)
		if codes, _ := verified(t, report.Markdown(changed, inFile), archive); !slices.Contains(codes, name) {
			t.Errorf("found %v, not %s", codes, name)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	b, _ := sample(t)
	whole := report.Markdown(b, inFile)
	at := strings.Index(whole, "<!-- citewell:")
	unstamped := strings.Replace(whole, "\nBrief ", "\nBericht ", 1)
	packed := func(s string) string {
		return unstamped[:strings.Index(unstamped, "<!-- citewell:")] + "<!-- citewell:" + s + " -->\n"
	}
	for name, markdown := range map[string]string{
		"empty":           "",
		"other_text":      "# Research: x\n\nSome text.\n",
		"no_verification": report.Markdown(b, report.Options{}),
		"no_brief_line":   strings.Replace(whole[:at], "\nBrief ", "\nBericht ", 1),
		"short_id":        strings.Replace(whole[:at], "\nBrief "+b.ID, "\nBrief "+b.ID[1:], 1),
		"binary":          "\x00\x01\xff",
		"cut_record":      unstamped[:at+200],
		"no_base64":       packed("é"),
		"not_packed":      packed(base64.StdEncoding.EncodeToString([]byte("{}"))),
		"no_record":       packed(""),
	} {
		_, got, err := report.Parse(markdown)
		view := citewell.View(err)
		if view.Code != citewell.CodeInvalidArgument || view.Message == "" || strings.Contains(view.Message, "\n") {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
	}
	// With its stamp a file whose record is damaged still names the brief, and tells of the record.
	for name, record := range map[string]string{"cut": whole[at : at+200], "no_base64": "<!-- citewell:é -->\n",
		"empty": "<!-- citewell: -->\n"} {
		stamp, w, err := report.Parse(whole[:at] + record)
		if err != nil || stamp.ID != b.ID || !w.Empty() || len(stamp.Beside) != 1 {
			t.Errorf("%s: %+v %+v %v", name, stamp, w, err)
		}
	}
	// Without its record the file names the brief, and a store may know it.
	if stamp, w, err := report.Parse(whole[:at]); stamp.ID != b.ID || !stamp.Holds || !w.Empty() || err != nil {
		t.Errorf("%+v %+v %v", stamp, w, err)
	}
}

// Data of which readers differ in what it says is refused, at whatever depth and in
// whatever letter case a key stands twice.
func TestParseRefusesARepeatedKey(t *testing.T) {
	b, _ := sample(t)
	whole := report.Markdown(b, inFile)
	at := strings.Index(whole, "<!-- citewell:")
	for old, twice := range map[string]string{
		`"query":`:   `"query":"Was it sold?","query":`,
		`"quote":`:   `"Quote":"It was sold.","quote":`,
		`"brief":`:   `"Brief":{},"brief":`,
		`"passage":`: `"paſſage":"","passage":`,
	} {
		var packed bytes.Buffer
		deflate, err := flate.NewWriter(&packed, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(report.Record{Brief: &b})
		if err != nil || !strings.Contains(string(encoded), old) {
			t.Fatal(old, err)
		}
		deflate.Write([]byte(strings.Replace(string(encoded), old, twice, 1)))
		deflate.Close()
		_, _, err = report.Parse(
			whole[:at] + "<!-- citewell:" + base64.StdEncoding.EncodeToString(packed.Bytes()) + " -->\n",
		)
		if citewell.CodeOf(err) != citewell.CodeInvalidArgument ||
			!strings.Contains(citewell.View(err).Message, "stands twice") {
			t.Errorf("%s: %v", twice, err)
		}
	}
}

// What a file looks like decides nothing of how long it is read.
func TestParseIsLinear(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	b, _ := sample(t)
	w := report.Record{Brief: &b}
	r, _ := sampleRun(t)
	const n = 1 << 19
	for name, markdown := range map[string]string{
		"named":    strings.Repeat("Brief "+id(1)+", made x\n", n/45),
		"brackets": strings.Repeat("[", n), "links": strings.Repeat("[a](", n/4), "items": strings.Repeat("> ", n/2),
		"marks": strings.Repeat("[1, ", n/4), "lines": strings.Repeat("x\n", n/2), "spaces": strings.Repeat(" ", n),
	} {
		began := time.Now()
		stamp, _, _ := report.Parse(markdown)
		w.Changes(markdown, stamp)
		r.Content = markdown
		agent.HandedIn(r)
		// half a MB at the square would take many, and a busy machine takes a second
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(report.Markdown(everywhere("words", "https://a.test/[x]"), inFile))
	f.Add(report.Markdown(researched(everywhere("words", "https://a.test/[x]")), inFile))
	f.Add(report.WithRecord(hostileReport("words", "https://a.test/")))
	f.Add(report.OfRun(hostileReport("words", "https://a.test/")))
	f.Add(
		fmt.Sprintf("Brief %s, hash , made x, compact, references ieee, from the cache after 999999999999 ms. ", id(0)),
	)
	f.Add(fmt.Sprintf("Brief %s, made x\n<!-- citewell: -->", id(0)))
	for _, words := range hostile {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		stamp, w, err := report.Parse(markdown)
		if err != nil {
			if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
				t.Fatal(err)
			}
			return
		}
		if stamp.ID == "" {
			t.Fatal("neither an id nor an error")
		}
		if !w.Empty() {
			w.Changes(markdown, stamp)
		}
	})
}

// What a file has below its text is no longer than its text, whatever stands in the citations. What a report
// must say of itself is no part of that.
func TestAppendixIsNoLongerThanItsText(t *testing.T) {
	long := func(all []citewell.Citation) {
		for i := range all {
			all[i].Quote, all[i].Reason, all[i].Verdict = strings.Repeat(
				"other words ",
				40,
			), "it says otherwise", citewell.VerdictUnsupported
		}
	}
	b, _ := sample(t)
	b = clone(b)
	r, _ := sampleRun(t)
	few := report.OfRun(r)
	for _, f := range append(slices.Clone(b.Findings), r.Findings...) {
		long(f.Citations)
	}
	r.Task = strings.Repeat("A long task. ", 100)
	for name, file := range map[string]string{
		"brief":   report.Markdown(b, report.Options{Verification: true}),
		"compact": report.Markdown(b, report.Options{Verification: true, Compact: true}),
		"run":     report.OfRun(r),
		"some":    few,
	} {
		above, below, _ := strings.Cut(file, "\n## Verification\n")
		if len(below) > len(above) || !strings.Contains(below, ", hash ") {
			t.Errorf("%s: %d bytes below %d", name, len(below), len(above))
		}
		if name == "some" && !strings.Contains(below, " more: citewell verify "+r.ID) {
			t.Errorf("it does not say what it leaves out: %s", below)
		}
	}
}

// Small values in great numbers take a hundred times their bytes: they are refused before they are read.
func TestTooMany(t *testing.T) {
	for name, encoded := range map[string]string{
		"objects": strings.Repeat("{}", 200_001), "lists": strings.Repeat("[", 200_001),
		"values": "[" + strings.Repeat("null,", 2_000_001),
	} {
		if !report.TooMany([]byte(encoded)) {
			t.Errorf("%s are let pass", name)
		}
	}
	if report.TooMany([]byte(strings.Repeat(`{"text":"a, b, c"},[`, 200_000))) {
		t.Error("as many as there may be are refused")
	}
}

// Of several stamps the last counts, and of several records the one of what the stamp names; a comment that cannot be
// read takes nothing from a record that can. All that is not taken is told.
func TestParseOfSeveral(t *testing.T) {
	b, _ := sample(t)
	another := clone(b)
	another.ID = id(77)
	whole, other := report.Markdown(b, inFile), report.Markdown(another, inFile)
	at := strings.Index(whole, "<!-- citewell:")
	record, foreign := whole[at:], other[strings.Index(other, "<!-- citewell:"):]
	const stray = "<!-- citewell:AAAA -->\n"
	for name, test := range map[string]struct {
		file, id string
		beside   []string
	}{
		"one":          {whole, b.ID, nil},
		"stray_before": {stray + whole, b.ID, []string{"1 comment in the form of a record cannot be read"}},
		"stray_behind": {whole + stray + stray, b.ID, []string{"2 comments in the form of a record cannot be read"}},
		"cut": {strings.TrimRight(whole, " ->\n")[:len(whole)-40], b.ID,
			[]string{"the record at the end of the file is cut off; the file was not copied whole"}},
		"many_strays": {whole + strings.Repeat(stray, 9), b.ID,
			[]string{"10 comments in the form of a record cannot be read"}},
		"twice": {whole + record, b.ID, []string{"the file carries 2 records; one of " + b.ID +
			" is checked"}},
		"foreign_behind": {whole + foreign, b.ID, []string{"the file carries 2 records; one of " + b.ID +
			" is checked"}},
		"two_files": {whole + other, another.ID, []string{
			"the file has more than one stamp, as Brief " + b.ID + "; that of Brief " + another.ID + " is checked",
			"the file carries 2 records; one of " + another.ID + " is checked"}},
	} {
		stamp, r, err := report.Parse(test.file)
		if err != nil || stamp.ID != test.id || r.Empty() != (name == "many_strays" || name == "cut") || !r.Empty() &&
			r.Brief.ID != test.id {
			t.Errorf("%s: %+v %v", name, stamp, err)
		}
		if diff := cmp.Diff(test.beside, stamp.Beside); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if name == "cut" && !stamp.Holds {
			t.Errorf("%s: the words are told as changed", name)
		}
	}
}

// A statement whose line was changed is told, whatever of the line it was, and no other is.
func TestAltered(t *testing.T) {
	b, _ := sample(t)
	r := report.Record{Brief: &b}
	whole := r.Markdown()
	run, _ := sampleRun(t)
	ofRun := report.Record{Report: &run}
	for _, test := range []struct {
		name, old, new string
		of             report.Record
		want           []string
	}{
		{"nothing", "", "", r, nil},
		{"title", "# Research: ", "# Research: Why ", r, nil},
		{"figure", "330 m tall, counted from", "380 m tall, counted from", r, []string{"F1"}},
		{"mark", "mast.” [①", "mast.” [③", r, []string{"F1"}},
		{"remark", " (snippet-only)", "", r, []string{"F4"}},
		{"source", "https://courier.test/1989", "https://evil.test/1989", r, nil},
		{"added", "\n## Disagreements", "\n- “It is made of gold.” [①]\n\n## Disagreements", r, nil},
	} {
		file := strings.Replace(whole, test.old, test.new, 1)
		if test.old != "" && file == whole {
			t.Fatalf("%q is not in the file", test.old)
		}
		altered := test.of.Altered(file)
		if got := slices.Sorted(maps.Keys(altered)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v", test.name, altered)
		}
	}
	content := ofRun.Markdown()
	for i, p := range run.Places {
		if p.Finding < 0 {
			continue
		}
		said := run.Content[p.Start:p.End]
		rest := strings.TrimPrefix(said, "[2] ") // behind which the file has a sign
		file := strings.Replace(content, rest[:20], "Nobody says that "+rest[:20], 1)
		want := map[string]string{fmt.Sprintf("F%d", p.Finding+1): said}
		if diff := cmp.Diff(want, ofRun.Altered(file)); diff != "" || file == content {
			t.Errorf("place %d, %q (-want +got):\n%s", i, said, diff)
		}
	}
}

// A record that unpacks to more than any brief has is refused before it fills the memory.
func TestParseRefusesABomb(t *testing.T) {
	var packed bytes.Buffer
	deflate, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range 200 {
		deflate.Write(block)
	}
	deflate.Close()
	_, _, err = report.Parse("<!-- citewell:" + base64.StdEncoding.EncodeToString(packed.Bytes()) + " -->\n")
	if citewell.CodeOf(err) != citewell.CodeInvalidArgument {
		t.Error(err)
	}
}

// A record beyond the bounds of Parse is not written, packed or unpacked.
func TestRecordThatIsNotReadBack(t *testing.T) {
	noise := make([]byte, 7<<19)
	rand.NewChaCha8([32]byte{}).Read(noise)
	for name, title := range map[string]string{"packed": hex.EncodeToString(noise),
		"unpacked": strings.Repeat("x", 8<<20)} {
		r, _ := sampleRun(t)
		if !report.CarriesRecord(report.WithRecord(r)) {
			t.Fatal("the sample carries no record")
		}
		r.Sources[1].Title = title
		file := report.WithRecord(r)
		if stamp, back, err := report.Parse(file); report.CarriesRecord(file) || err != nil || !back.Empty() ||
			len(stamp.Beside) > 0 {
			t.Errorf("%s: %v, %v", name, stamp.Beside, err)
		}
	}
}
