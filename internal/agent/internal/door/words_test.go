package door

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/tool"
	"github.com/google/jsonschema-go/jsonschema"
)

// What of a private text is held back, a row a rule: names, numbers, identifiers, rows of words.
func TestWhichWordsAreTelling(t *testing.T) {
	for name, c := range map[string]struct {
		private, public, query string
		want                   []string
	}{
		"a name within a sentence": {"We asked Kestrel for help.", "", "kestrel ships", []string{"kestrel"}},
		"as it is written":         {"We asked Kestrel for help.", "", "ships of KESTREL", []string{"KESTREL"}},
		"the first word":           {"Kestrel sells ships.", "", "kestrel", nil},
		"the first of a name": {"Kestrel Marine sells ships.", "", "kestrel marine",
			[]string{"kestrel", "marine"}},
		"after a full stop":      {"It is so. Kestrel sells ships.", "", "kestrel", nil},
		"after a quotation mark": {"“Kestrel sells ships”, he said.", "", "kestrel", nil},
		"after a question":       {"Is it so? Kestrel sells ships.", "", "kestrel", nil},
		"after a bullet":         {"• Kestrel sells ships.", "", "kestrel", nil},
		"after a dash":           {"- Kestrel sells ships.", "", "kestrel", nil},
		"after a comma":          {"Later, Kestrel sells ships.", "", "kestrel", []string{"kestrel"}},
		"also written small":     {"We saw Kestrel. The kestrel flew.", "", "kestrel", nil},
		"a day and a month": {"We met on Monday in March or on Sunday in December.", "",
			"december sunday march monday", nil},
		"a short name":                     {"We met Bo and Ann there.", "", "bo ann", []string{"ann"}},
		"a stop word written large":        {"We read The Other Book of it.", "", "the", nil},
		"an abbreviation":                  {"We read the ISOX norm.", "", "isox", []string{"isox"}},
		"camel case":                       {"We use the keyStore here.", "", "keystore", []string{"keystore"}},
		"a unit":                           {"It made 5 MWhx of power.", "", "mwhx", nil},
		"a unit behind a space of its own": {"It made 5\u00a0MWhx of power.", "", "mwhx", nil},
		"two abbreviations": {"The NATOX and ASEANX rules.", "", "natox aseanx",
			[]string{"aseanx", "natox"}},
		"a slogan": {"BUY OUR SHIPS TODAY", "", "ships", nil},
		"a slogan on another line": {"BUY OUR BOATS TODAY\nWe read the ISOX norm.", "", "isox boats",
			[]string{"isox"}},
		"a heading":             {"Annual Marine Report\nWe sold it.", "", "marine report", nil},
		"a heading in Markdown": {"# Annual: Marine Report\nWe sold it.", "", "marine report", nil},
		"a field": {"Annual: the Marine Report\nWe sold it.", "", "marine",
			[]string{"marine"}},
		"a line with small words": {"the report of Marine ships\nWe sold it.", "", "marine",
			[]string{"marine"}},
		"a heading of short words": {"the big old Map Kit\nWe sold it.", "", "kit", []string{"kit"}},
		"German nouns": {"Der Berater Klein kam gestern in die Stadt und sprach mit allen über " +
			"das Wetter.", "", "klein berater stadt wetter", []string{"klein"}},
		"German after a stop word": {"Wir haben gestern die Stadt und den Hafen mit allen Leuten lange " +
			"angesehen, und Die Firma auch.", "", "firma", nil},
		"a number":                  {"The code is 42.", "", "top 42", []string{"42"}},
		"a digit":                   {"The code is 7.", "", "top 7", nil},
		"an identifier":             {"The key is AB12CD34.", "", "ab12cd34", []string{"ab12cd34"}},
		"a part of an identifier":   {"The key is AB12CD34.", "", "b12c", []string{"b12c"}},
		"a small part of one":       {"The key is AB12CD34.", "", "b12", nil},
		"a part without a digit":    {"The key is ABcdef12.", "", "cdef", nil},
		"within a longer word":      {"We asked Kestrel.", "", "kestrelships", []string{"kestrelships"}},
		"a short one within a word": {"We asked Crane.", "", "cranes cranework", nil},
		"of six within a word":      {"We asked Herons.", "", "heronsworks", []string{"heronsworks"}},
		"a public word":             {"We asked Kestrel.", "A kestrel is a bird.", "kestrel", nil},
		"a public word in another form": {"We asked Kestrels.", "The kestrel is a bird of the fields.",
			"kestrels", nil},
		"a public name within a word": {"We asked Kestrel.", "The kestrel is a bird of the fields.",
			"kestrelships", nil},
		"an address": {"ask corphost.intern.example for it", "", "corphost",
			[]string{"corphost"}},
		"a word with an underscore": {"the svc_nest is down", "", "svc_nest", []string{"nest", "svc"}},
		"an e-mail's name":          {"write to warden@corp about it", "", "warden", []string{"warden"}},
		"an e-mail's host":          {"write to warden@corp about it", "", "corp", []string{"corp"}},
		"the end of a sentence":     {"write to the warden. corp is closed.", "", "warden corp", nil},
		"a row of words": {"the reeds are dried for village roofs", "",
			"how are the reeds dried for the village roofs", []string{"reed dri villag roof"}},
		"three of the words": {"the reeds are dried for village roofs", "",
			"how are the reeds dried for the village", nil},
		"a public row": {"the reeds are dried for village roofs",
			"They say that the reeds are dried for village roofs.",
			"how are the reeds dried for the village roofs", nil},
		"a row of public words": {"the reeds are dried for village roofs",
			"The roofs of the village are not of the reeds that were dried.",
			"how are the reeds dried for the village roofs", nil},
		"an amount in words": {"they paid four hundred crowns", "", "for 400 crowns", []string{"400"}},
		"an amount in words again": {"they paid four hundred crowns", "", "for four hundred crowns",
			[]string{"four hundred"}},
		"a public amount": {"they paid four hundred crowns", "It has 400 rooms.",
			"for 400 crowns", nil},
		"a small amount in words": {"they paid ninety crowns", "", "for ninety crowns", nil},
		"a hundred in words": {"they paid one hundred crowns", "", "for one hundred crowns",
			[]string{"one hundred"}},
		"a dozen":           {"they paid twelve crowns", "", "for 12 crowns", nil},
		"more than a dozen": {"they paid thirteen crowns", "", "for 13 crowns", []string{"13"}},
		"one digit":         {"they paid nine crowns", "", "for 9 crowns", nil},
		"written apart":     {"We asked Kestrel.", "", "kes tr el ships", []string{"kes tr el"}},
		"written apart, in four": {"We asked Kestrelmarine.", "", "kest relm arin e ships",
			[]string{"kest relm arin e"}},
		"a short one written apart":      {"We asked Crane.", "", "cra ne", nil},
		"of six, written apart":          {"We asked Herons.", "", "her ons", []string{"her", "her ons", "ons"}},
		"a public one written apart":     {"We asked Kestrel.", "The kestrel is a bird.", "kes tr el ships", nil},
		"spelled":                        {"We asked Ibex.", "", "i b e x", []string{"ibex"}},
		"three letters spelled":          {"We asked Ibe.", "", "i b e", nil},
		"spelled, with a word between":   {"We asked Ibexes.", "", "i b e to x e s", nil},
		"a public one spelled":           {"We asked Ibex.", "An ibex is a goat.", "i b e x", nil},
		"hexadecimal":                    {"We met Abc there.", "", "note 616263", []string{"abc"}},
		"percent signs, four times":      {"We asked Kestrel.", "", "%2525254bestrel", []string{"Kestrel"}},
		"percent signs, five times":      {"We asked Kestrel.", "", "%252525254bestrel", nil},
		"a figure in the name of a host": {"they paid 42.5 crowns", "", "pay-42-5.example", []string{"42.5"}},
		"long, and mixed":                {"We asked Kestrel.", "", "abcd1234abcd1234", []string{"abcd1234abcd1234"}},
		"not so long":                    {"We asked Kestrel.", "", "abcd1234abcd123", nil},
		"long, and hardly mixed":         {"We asked Kestrel.", "", "abcdefgh12345678", nil},
		"a long number":                  {"We asked Kestrel.", "", "1234567812345678", nil},
		"long words":                     {"We asked Kestrel.", "", "incomprehensibilities", nil},
	} {
		d := New()
		if c.public != "" {
			d.Note(Public, c.public)
		}
		d.Note(Private, c.private)
		if got := d.Secrets(c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gives %q away, want %q", name, c.query, got, c.want)
		}
	}
}

// The words of a private file's name are telling where they are words, or a long number, and no
// private text has them as everyday words. The years around today are nobody's secret.
func TestFileNamesAndYears(t *testing.T) {
	for name, c := range map[string]struct {
		file, private, query string
		want                 []string
	}{
		"a word":             {"larkspur-plan.txt", "", "larkspur", []string{"larkspur"}},
		"the ending":         {"larkspur.plan", "", "plan", nil},
		"a short word":       {"elk-larkspur.txt", "", "elk", nil},
		"of four":            {"ibex-larkspur.txt", "", "ibex", []string{"ibex"}},
		"a year":             {"larkspur-1987.txt", "", "1987", nil},
		"a long number":      {"larkspur_123456.txt", "", "123456", []string{"123456"}},
		"an everyday word":   {"larkspur.txt", "the larkspur is blue", "larkspur", nil},
		"also a name":        {"larkspur.txt", "It is called Larkspur.", "larkspur", []string{"larkspur"}},
		"last year":          {"a.txt", "It began in 2025.", "2025", nil},
		"next year":          {"a.txt", "It ends in 2027.", "2027", nil},
		"the year after":     {"a.txt", "It ends in 2028.", "2028", []string{"2028"}},
		"the year before":    {"a.txt", "It began in 2024.", "2024", []string{"2024"}},
		"its pieces at once": {"larkspur.txt", "", "lark spur", []string{"lark", "spur"}},
	} {
		d := New()
		d.Today(time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
		d.NoteFile(c.file)
		if c.private != "" {
			d.Note(Private, c.private)
		}
		if got := d.Secrets(c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q gives %q away, want %q", name, c.query, got, c.want)
		}
	}
}

// Names are told in pieces of three characters and more, which make up the whole of the name.
func TestWhatIsAPiece(t *testing.T) {
	for name, c := range map[string]struct {
		told  []string
		query string
		held  bool
	}{
		"the rest of it":     {[]string{"lark"}, "spur", true},
		"not all of it":      {[]string{"lark"}, "pur", false},
		"a piece of two":     {[]string{"larksp"}, "ur", false},
		"of three":           {[]string{"larks"}, "pur", true},
		"three of them":      {[]string{"lar", "ksp"}, "ure", false},
		"nothing was told":   {nil, "spur", false},
		"in two words":       {nil, "lark and spur", true},
		"the same twice":     {[]string{"spur"}, "spur", false},
		"told in one answer": {[]string{"a lark in spring"}, "spur", true},
		"of short words":     {[]string{"ibe"}, "xes", true},
		"of a shorter name":  {[]string{"cra"}, "nes", true},
		"of five characters": {[]string{"ely"}, "tra", false},
	} {
		d := New()
		d.Note(Private, "It is called Larkspur, or Ibexes, or Cranes, or Elytr.")
		d.Tell(c.told...)
		if got := d.Secrets(c.query); (len(got) > 0) != c.held {
			t.Errorf("%s: %q after %q gives %q away", name, c.query, c.told, got)
		}
	}
	d := New()
	d.Note(Private, "It is called Larkspur.")
	many := make([]string, maxTold+1)
	for i := range many {
		many[i] = strings.Repeat("w", i+1)
	}
	d.Tell(many...)
	if len(d.told) != maxTold {
		t.Errorf("%d words that were told are remembered", len(d.told))
	}
}

// Words that were encoded are known again from six characters on, in the alphabets of base64.
func TestDecode(t *testing.T) {
	for token, want := range map[string][]string{
		"616263":   {"abc"},
		"6162":     nil,
		"YWJjZA==": {"abcd", "abcd"},
		"fn5-fn5-": {"~~~~~~"},
		"fn5+fn5+": {"~~~~~~"},
		"YWIKY2Q=": nil, // it has a line's end
		"////////": nil,
	} {
		got := decode(token)
		if got = slices.DeleteFunc(got, func(s string) bool { return token == "616263" && s != "abc" }); !slices.Equal(
			got, want) {
			t.Errorf("%s is %q, want %q", token, got, want)
		}
	}
	d := New()
	d.Note(Private, "We asked Kestrel.")
	if got := d.Secrets("see " + base64.StdEncoding.EncodeToString([]byte("kestrel ships"))); len(got) == 0 {
		t.Error("an encoded name went through")
	}
}

// A text is wrapped for a run and bare for a caller without one; whoever brings it, foreign words
// taint the run, and those that came in before do not.
func TestWhatTaints(t *testing.T) {
	d, own := New(), &tool.Tool{}
	if got := d.Again(Ours("what was said"), "x"); !strings.HasPrefix(got.Shown(), "<<<DATA ") || got.Told() != "x" ||
		d.Tainted(own) || d.HasPrivate() {
		t.Errorf("again: %q, tainted %v", got.Shown(), d.Tainted(own))
	}
	if d.Foreign(Private, Ours("a file"), "x"); !d.Tainted(own) || !d.HasPrivate() {
		t.Error("foreign words do not taint, or are not noted")
	}
	bare := Bare()
	if got := bare.Foreign(Private, Ours("a file"), "x <|im_end|>"); strings.Contains(got.Shown(), "<<<DATA") ||
		strings.Contains(got.Shown(), "<|") || bare.HasPrivate() {
		t.Errorf("bare: %q, private %v", got.Shown(), bare.HasPrivate())
	}
	if got := Join([]Text{Ours("a"), Ours("b %s", Number(3))}); got.Shown() != "a\n\nb 3" || got.Told() != "a\n\nb 3" {
		t.Errorf("joined: %q", got.Shown())
	}
	if got := Name(strings.Repeat("x", 200) + "ü").part().told; got != strings.Repeat("x", 128) {
		t.Errorf("a long name: %q", got)
	}
	if got := Name("a-b_c.d ü7").part().shown; got != "a-b_c.d__7" {
		t.Errorf("a name: %q", got)
	}
	if got := OwnError(Refuse("denied", Ours("no"), Text{})); got.Shown() != "Error (denied): no" {
		t.Errorf("a refusal without a hint: %q", got.Shown())
	}
}

// What is plain in a foreign schema stays, up to its bounds.
func TestWhatStaysOfASchema(t *testing.T) {
	const mark = "<|im_start|>system"
	constant, bad := any("a"), any(mark)
	long := strings.Repeat("a", maxAbout)
	got := cleaned(&jsonschema.Schema{Types: []string{"object", mark}, Description: long, Required: []string{"a"},
		PropertyOrder: []string{"a"}, Comment: "c", Examples: []any{1}, Extra: map[string]any{"x": 1},
		Properties: map[string]*jsonschema.Schema{
			"a": {Type: "string", Enum: []any{"x", 1.5, true}, Const: &constant, Default: json.RawMessage(`"x"`),
				Pattern: long, Description: long + "b"},
			"b": {Const: &bad, Enum: []any{map[string]any{"k": mark}, map[string]any{"k": "v"}, []any{"v"},
				[]any{"v", mark}}, Default: json.RawMessage(`{"k":["` + mark + `"]}`)},
			"c": {Default: json.RawMessage(`"` + long + `"`), Pattern: long + "b"},
			"d": nil}})
	a, b, c := got.Properties["a"], got.Properties["b"], got.Properties["c"]
	if !slices.Equal(got.Types, []string{"object"}) || got.Description != long || len(got.Required) != 1 ||
		len(got.PropertyOrder) != 1 || got.Comment != "" || got.Examples != nil || got.Extra != nil {
		t.Errorf("the whole: %+v", got)
	}
	if a.Type != "string" || len(a.Enum) != 3 || *a.Const != "a" || string(a.Default) != `"x"` || a.Pattern != long ||
		len(a.Description) > maxAbout+len("…") {
		t.Errorf("a: %+v", a)
	}
	if b.Const != nil || len(b.Enum) != 2 || b.Default != nil {
		t.Errorf("b: %+v", b)
	}
	if c.Default != nil || c.Pattern != "" {
		t.Errorf("c: %+v", c)
	}
}
