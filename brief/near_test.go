package brief

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// A term is quoted with the first sentence of its explanation, and never alone.
func TestTermsAreQuotedWithTheirExplanation(t *testing.T) {
	const longer = "Ordinary words stand before the list of the options.\n\n"
	for _, test := range []struct {
		name, passage string
		want          []string
	}{
		{"term", longer + "-S, --size\nSort by the size of files. The largest is first.\n\nMore words stand below it.",
			[]string{"Ordinary words stand before the list of the options.", "-S, --size\nSort by the size of files.",
				"The largest is first.", "More words stand below it."}},
		{"a signature that could be quoted", "func Sort(files []File, by Key)\nSort puts the largest files first.",
			[]string{"func Sort(files []File, by Key)\nSort puts the largest files first."}},
		{"two terms", "-S\n--size\nSort by the size of files.", []string{"-S\n--size\nSort by the size of files."}},
		{"an explanation that goes on", "-S, --size\nSort by the size of files. This puts the largest first.",
			[]string{"-S, --size\nSort by the size of files.",
				"-S, --size\nSort by the size of files. This puts the largest first."}},
		{"items", "- sort by the size of files\n- sort by the name of files",
			[]string{"sort by the size of files", "sort by the name of files"}},
		{"sentences", "The wheel of the mill turns.\nThe stones turn with it.",
			[]string{"The wheel of the mill turns.", "The stones turn with it."}},
	} {
		var got []string
		p := citewell.Passage{ID: "p", Text: test.passage, End: len(test.passage)}
		for _, s := range sentencesOf(p, new(text.Readings)) {
			got = append(got, s.Text())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// A sentence may have other words for those of the question in a language with a table of vectors, and
// words of the same beginning in any other.
func TestNearWords(t *testing.T) {
	for _, test := range []struct {
		question, lang, near, far string
	}{
		{"How large is the automobile?", "en", "The size of the car is given.", "The taste of the banana is given."},
		{"Comment convertir une image ?", "fr", "La conversion de la photo.", "La couleur de la photo."},
	} {
		e := &evidence{readings: new(text.Readings)}
		e.asked = e.readings.Read(test.question, test.lang)
		v := e.viewOf(newAspect(e.asked), test.lang)
		like := func(s string) float64 {
			r := e.readings.Read(s, test.lang)
			return v.share(v.like(r, r.Terms()), nil)
		}
		if near, far := like(test.near), like(test.far); near < far+0.15 {
			t.Errorf("%s: %.2f near, %.2f far", test.question, near, far)
		}
	}
}

// The chance of a finding is its share in the odds of everything that was read and of no answer: two sources that say
// the same share it, and a rival takes from it.
func TestChanceIsAShare(t *testing.T) {
	const tall = "The Marl Tower is 84 metres tall."
	chance := func(pages ...string) float64 {
		b := answer(t, "How tall is the Marl Tower?", pages...)
		i := slices.IndexFunc(b.Findings, func(f citewell.Finding) bool { return f.Text == tall })
		if i < 0 {
			t.Fatalf("%+v", b.Findings)
		}
		return b.Findings[i].Why.Chance
	}
	one := chance("a.example", tall+" Tickets are sold at its gate.")
	same := chance("a.example", tall+" Tickets are sold at its gate.", "b.example", tall)
	rival := chance("a.example", tall+" Tickets are sold at its gate.", "b.example",
		"The Marl Tower is 91 metres tall.")
	if same < one-0.05 || rival > one-0.15 || one > 1 || same > 1 {
		t.Errorf("alone %.3f, said twice %.3f, beside a rival %.3f", one, same, rival)
	}
	all := []sentence{{score: 0.5}, {score: 0.75}, {score: 0.9, aspect: 1}}
	if got := chanceOf(all, 0, func(s sentence) bool { return s.score > 0.6 }); math.Abs(got-3.0/5) > 1e-9 {
		t.Errorf("%v, want 3 of 1 + 1 + 3", got)
	}
}

// Many documents of the user's own are read where nobody gives a depth, and three where the web is asked too.
func TestUsualDepth(t *testing.T) {
	own, web := finds(searchcall.LocalProvider, 0), finds("p", 0)
	for _, test := range []struct {
		asked []search.Provider
		want  int
	}{
		{[]search.Provider{own}, DefaultOwnDepth}, {[]search.Provider{web}, DefaultDepth},
		{[]search.Provider{own, web}, DefaultDepth},
	} {
		if got := usualDepth(test.asked); got != test.want {
			t.Errorf("%d providers: %d, want %d", len(test.asked), got, test.want)
		}
	}
}

// A question without a depth is answered from the cache the second time.
func TestUsualDepthIsRemembered(t *testing.T) {
	web := &fakeWeb{pages: map[string]fakePage{"http://a.example/": {text: tower}}}
	w, _, _ := writer(Options{Fetcher: web, Cache: newMemory()}, finds("p", 0, "http://a.example/"))
	for _, again := range []bool{false, true} {
		b, err := w.Write(t.Context(), Request{Query: citewell.Query{Text: "How tall is the Marl Tower?"}})
		if err != nil || b.Coverage.Cache != again {
			t.Errorf("from the cache %v, want %v: %v", b.Coverage.Cache, again, err)
		}
	}
}

// What is left of a pair whose first sentence is quoted is no finding where it has no word that is asked for.
func TestRestOfAPair(t *testing.T) {
	b := answer(t, "How much electricity does the Marl plant generate a year?", "a.example",
		"The Marl plant generates 640 GWh of electricity a year. It has no fuel, no chimney and no weather to mind.")
	for _, f := range b.Findings {
		if strings.HasPrefix(f.Text, "It has no fuel") {
			t.Errorf("%+v", f)
		}
	}
	if len(b.Findings) == 0 {
		t.Error("no finding")
	}
}
