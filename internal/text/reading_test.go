package text

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var readTexts = []struct{ s, lang string }{
	{"The children's foreign keys are enforced. WHO says so?", ""},
	{"Die Häuser der Straßen waren größer.", "de"},
	{"Die Häuser der Straßen waren größer.", "de-AT"},
	{"東京の水は1.5リットルです。", ""},
	{"12 345", ""}, {"", ""}, {"x", "en"},
	{strings.Repeat("Ein langer Text über Brücken und Häfen. ", 200), ""},
}

// TestReading reads texts alone and together with others: a reading has what the functions make of its text.
func TestReading(t *testing.T) {
	for _, all := range []*Readings{nil, new(Readings)} {
		for range 2 {
			for _, test := range readTexts {
				r, lang := all.Read(test.s, test.lang), BaseLanguage(test.lang)
				if lang == "" {
					lang = Language(test.s)
				}
				likely := lang
				if likely == "" {
					likely = LikelyLanguage(test.s)
				}
				var terms []string
				for _, token := range TermTokens(test.s, likely) {
					terms = append(terms, token.Text)
				}
				switch {
				case r.Text() != test.s:
					t.Errorf("%.40q: text %.40q", test.s, r.Text())
				case r.Language() != lang || r.LikelyLanguage() != likely:
					t.Errorf("%.40q: languages %q and %q, want %q and %q", test.s, r.Language(), r.LikelyLanguage(),
						lang, likely)
				case !slices.Equal(r.Words(), Words(test.s)) || !slices.Equal(r.Sentences(), Sentences(test.s)):
					t.Errorf("%.40q: words or sentences differ", test.s)
				case !slices.Equal(r.TermTokens(), TermTokens(test.s, likely)) || !slices.Equal(r.Terms(), terms):
					t.Errorf("%.40q: terms %v, want %v", test.s, r.Terms(), terms)
				}
			}
		}
	}
}

// TestReadingsShare finds the reading of a text again: as a whole, as a part, beside another one.
func TestReadingsShare(t *testing.T) {
	all := new(Readings)
	whole := all.Read("A bridge stands. It is long.", "en-GB")
	second := whole.Part(17, 28)
	for name, again := range map[string]*Reading{
		"the same text":     all.Read("A bridge stands. It is long.", "en"),
		"all of it":         whole.Part(0, len(whole.Text())),
		"back from another": whole.In("de").In("en"),
	} {
		if again != whole {
			t.Errorf("%s is read again", name)
		}
	}
	if again := all.Read("It is long.", "en"); again != second || again != whole.Beside("It is long.") {
		t.Error("a part is read again")
	}
	if whole.In("de") == whole || whole.In("de").LikelyLanguage() != "de" {
		t.Error("another language has the same reading")
	}
	if &whole.Words()[0] != &whole.In("de").Words()[0] {
		t.Error("the words are read again for another language")
	}
	unknown := all.Read("Die Häuser der Straßen waren größer.", "")
	if part := unknown.Part(0, 11); part.Language() != "de" {
		t.Errorf("a part is read as %q, want the language of the whole", part.Language())
	}
	alone := Read("A bridge stands.", "en")
	if part := alone.Part(0, 8); alone.Part(0, 8) == part || alone.Beside("A bridge stands.") == alone {
		t.Error("a text that is read alone keeps its parts")
	}
}

// TestKeep keeps one value of each type, made once whoever asks.
func TestKeep(t *testing.T) {
	type first []string
	type second []string
	all := new(Readings)
	var made atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, test := range readTexts {
				r := all.Read(test.s, test.lang)
				a := Keep(r, func() first { made.Add(1); return append(first{"first"}, r.Terms()...) })
				b := Keep(r, func() second { made.Add(1); return second{r.Language(), r.LikelyLanguage()} })
				if a[0] != "first" || len(a) != 1+len(r.Terms()) || len(b) != 2 || len(r.Sentences()) > len(r.Text()) {
					t.Errorf("%.40q: %v %v", test.s, a, b)
				}
			}
		})
	}
	group.Wait()
	const readings = 7 // two of the texts are one text in one language
	if made.Load() != 2*readings {
		t.Errorf("%d values were made, want one of each type for each of %d readings", made.Load(), readings)
	}
}
