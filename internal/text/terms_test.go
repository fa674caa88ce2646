package text

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/text/lang"
)

func TestTerms(t *testing.T) {
	tests := []struct{ name, lang, in, want string }{
		{"english", "en", "The children's foreign keys are enforced", "child foreign key enforc"},
		{"forms that no ending tells", "en", "Profit fell when two women wrote analyses, and LED lamps were sold",
			"profit fall two woman write analysi led lamp sell"},
		{"of one language", "de", "Sie fell und found", "fell found"},
		{"a_tag_is_read_by_its_language", "en-US", "enforced keys", "enforc key"},
		{"short_query_is_read_as_english", "", "foreign keys default", "foreign key default"},
		{"german", "de", "Die Häuser der Straßen waren größer", "haus strass gross"},
		{"french_elision", "fr", "L'eau de l’océan aujourd'hui", "eau ocean"},
		{"italian_elision", "it", "dell'acqua un'isola", "acqua isol"},
		{"spanish", "es", "las canciones más bonitas", "cancion bonit"},
		{"russian_yo", "ru", "Ещё жёлтые дома", "желт дом"},
		{"russian_by_script", "", "жёлтые дома", "желт дом"},
		{"unknown_language_keeps_words", "xx", "the foreign keys", "the foreign keys"},
		{"japanese_pairs", "ja", "東京の水", "東京 京の の水"},
		{"name_in_capitals", "en", "WHO says IT is not for US", "who say it us"},
		{"shouting", "en", "THE END IS NEAR", "end near"},
		{"words_with_digits_are_not_stemmed", "en", "fts5s utf8s H2O", "fts5s utf8s h2o"},
		{"accents_go", "en", "naïve café Zoë", "naiv cafe zoe"},
		{"vowel_signs_of_other_scripts_stay", "hi", "हिन्दी", "हिन्दी"},
		{"arabic_article_vowels_stretching_and_alef", "ar", "الكتاب والكتاب بالكتاب كِتَابٌ كتـــاب إسلام أسلام اسلام",
			"كتاب كتاب كتاب كتاب كتاب اسلام اسلام اسلام"},
		{"arabic_and_is_written_together", "ar", "والمدينة وكيف فالمدرسة ووالدين", "مدين مدرس والد"},
		{"arabic_digits", "ar", "عام ٢٠٢٤ ١٬٢٣٤", "عام 2024 1234"},
		{"persian_letters_are_those_of_arabic", "fa", "کتاب كتاب", "كتاب كتاب"},
		{"turkish_names_take_endings_by_apostrophe", "tr", "İstanbul'da İstanbul ISPARTA", "istanbul istanbul ispar"},
		{"letters_that_others_write_apart", "fr", "œuvre oeuvre", "oeuvr oeuvr"},
		{"half_width_kana_with_voice_marks", "ja", "ﾃﾞｰﾀ", "デー ータ"},
		{"korean_pairs", "ko", "서울에서", "서울 울에 에서"},
		{"ukrainian_function_words", "uk", "книга та книги в місті", "книга книги місті"},
		{"dutch", "nl", "de boeken en het boek", "boek boek"},
		{"only_function_words", "en", "to be or not to be", ""},
		{"empty", "", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := strings.Join(Terms(test.in, test.lang), " "); got != test.want {
				t.Errorf("Terms(%q, %q)\n got %s\nwant %s", test.in, test.lang, got, test.want)
			}
		})
	}
}

func TestTermTokensPointIntoTheOriginal(t *testing.T) {
	s := "Les “Häuser” von ＢＥＲＬＩＮ’s Straßen 東京都"
	var got []string
	for _, token := range TermTokens(s, "de") {
		got = append(got, token.Text+"="+s[token.Start:token.End])
	}
	want := "les=Les haus=Häuser berlin's=ＢＥＲＬＩＮ’s strass=Straßen 東京=東京 京都=京都"
	if joined := strings.Join(got, " "); joined != want {
		t.Errorf("got %s\nwant %s", joined, want)
	}
}

func TestStem(t *testing.T) {
	tests := []struct{ lang, word, want string }{
		{"en", "relational", "relat"}, {"en", "generously", "generous"}, {"de", "häuser", "haus"},
		{"de", "aufeinanderfolge", "aufeinanderfolg"},
		{"fr", "continuellement", "continuel"}, {"es", "chicas", "chic"}, {"it", "pronunciamento", "pronunc"},
		{"pt", "boatos", "boat"}, {"nl", "lichamelijkheden", "licham"}, {"sv", "jaktkarlarna", "jaktkarl"},
		{"nb", "havnedistriktene", "havnedistrikt"}, {"da", "undersøgelser", "undersøg"},
		{"fi", "edeltäjistään", "edeltäj"},
		{"hu", "házakat", "ház"}, {"ro", "copiilor", "cop"}, {"ru", "вавилонские", "вавилонск"},
		{"tr", "kitaplar", "kitap"},
		{"pl", "książki", "książki"}, {"", "keys", "keys"}, {"en", "", ""}, {"en", "as", "as"},
		{"en", "utf8s", "utf8s"},
	}
	for _, test := range tests {
		if got := Stem(test.lang, test.word); got != test.want {
			t.Errorf("Stem(%q, %q) = %q, want %q", test.lang, test.word, got, test.want)
		}
	}
}

func TestIsStop(t *testing.T) {
	tests := []struct {
		lang, word string
		want       bool
	}{
		{"en", "the", true}, {"en", "The", true}, {"en", "Don’t", true}, {"en", "house", false}, {"de", "daß", true},
		{"de", "dass", true},
		{"de-AT", "für", true}, {"nn", "ikkje", true}, {"xx", "the", false}, {"", "the", false}, {"en", "", false},
	}
	for _, test := range tests {
		if got := IsStop(test.lang, test.word); got != test.want {
			t.Errorf("IsStop(%q, %q) = %v", test.lang, test.word, got)
		}
	}
}

func TestFunctionWordListsAreWellFormed(t *testing.T) {
	for _, l := range lang.All() {
		words := l.Words(lang.FunctionWords)
		if len(l.Code) != 2 || words != nil && len(words) < 50 {
			t.Errorf("%s: %d words; a list has at least 50 and is named by its code", l.Code, len(words))
		}
		for word := range words {
			if len(Words(word)) == 0 {
				t.Errorf("%s: %q is no word", l.Code, word)
			}
		}
		if l.Stemmer != "" && stemmers[l.Stemmer] == nil {
			t.Errorf("%s: there is no stemmer %q", l.Code, l.Stemmer)
		}
	}
}

// A word that is not written as words are folded is never met.
func TestWordsOfLanguagesAreFolded(t *testing.T) {
	for _, l := range lang.All() {
		for _, s := range lang.FoldedSections() {
			for _, row := range l.Rows(s) {
				for _, word := range slices.Concat(row.Sides...) {
					if folded := Fold(word); folded != word {
						t.Errorf("%s.txt [%s]: write %q as it is read, %q", l.Code, s, word, folded)
					}
				}
			}
		}
	}
}

func FuzzStem(f *testing.F) {
	for _, word := range []string{"", "running", "häuser", "ß", "ааа", "ייי", "\xff\xfe\xfd", "yyyyyy", "'''", "ée"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		for _, l := range lang.All() {
			if got := Stem(l.Code, word); got == "" && word != "" {
				t.Fatalf("Stem(%q, %q) is empty", l.Code, word)
			}
		}
	})
}

var benchmarkText = strings.Repeat("Foreign key constraints are checked when the transaction commits; the server's "+
	"default (since version 3.6.19) leaves enforcement off, which surprises many developers. ", 60)

func BenchmarkTerms(b *testing.B) {
	b.SetBytes(int64(len(benchmarkText)))
	for b.Loop() {
		Terms(benchmarkText, "en")
	}
}

func BenchmarkTermsDetecting(b *testing.B) {
	b.SetBytes(int64(len(benchmarkText)))
	for b.Loop() {
		Terms(benchmarkText, "")
	}
}

func BenchmarkTermsJapanese(b *testing.B) {
	s := strings.Repeat("外部キー制約はトランザクションの確定時に検査されます。", 200)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Terms(s, "ja")
	}
}

func BenchmarkSentences(b *testing.B) {
	b.SetBytes(int64(len(benchmarkText)))
	for b.Loop() {
		Sentences(benchmarkText)
	}
}

func BenchmarkNormalizeWithMap(b *testing.B) {
	b.SetBytes(int64(len(benchmarkText)))
	for b.Loop() {
		NormalizeWithMap(benchmarkText)
	}
}
