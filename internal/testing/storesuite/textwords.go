package storesuite

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/store"
)

// Samples are texts of many scripts and languages whose words hold what divides words
// elsewhere: apostrophes of every form, hyphens, dots, vowel signs, joiners, soft hyphens.
var Samples = []struct{ Language, Text string }{
	{"en", "Sinead O'Brien chaired; O’Neill's reply from Hawai‘i and Hawaiʻi came at five o'clock, ma'am. " +
		"Rock'n'roll, Qur'an, Xi'an, user's, '90s, dogs' and the WHO."},
	{"en", "State-of-the-art C++ and C# on x86_64: e.g. 3.14, 1,234.5, 10⁶, ½, a@b.example, " +
		"https://a.example/b?c=d&e, foo_bar::baz, naïve co\u00adoperation, AT&T, R&D."},
	{"fr", "Aujourd'hui l'eau d'Ormesson coule jusqu’à la presqu'île; la Côte d'Ivoire n'est pas loin du cœur, " +
		"quelqu’un l’a dit."},
	{"de", "Der Fluß ist größer geworden, Hans' Haus und Andreas’ Straße stehen am Ku'damm; ’s ist schön."},
	{"it", "L'acqua dell’isola sant'Elena è un po' più dell'anno quarant’otto."},
	{"tr", "Işıklar İstanbul'un ve Ankara’dan TBMM'nin limanında yanıyordu."},
	{"uk", "Об'єднані порти під’їзду, м'яч і п’ять."},
	{"ru", "Ёлки стояли в портах, кое-где ещё выше, Жанна д’Арк."},
	{"el", "Τα λιμάνια της Αθήνας, απ' όπου έφυγε ο Οδυσσέας."},
	{"ga", "Tá an t-uisce ag Dún na nGall, b'fhéidir; d'ól sé é."},
	{"vi", "Nước biển dâng cao ở cảng Hải Phòng."},
	{"ar", "ارتفع الماء ٣٣٠ مترا في الميناء والكتاب، كِتَابٌ."},
	{"fa", "کتاب\u200cهای بندر ۱۲۳ است و می\u200cرود."},
	{"he", "צה״ל וג'ירפה בנמל חיפה, ד״ר כהן."},
	{"hi", "बंदरगाह में १२३ नावें थीं, क्षेत्र और क्\u200dष।"},
	{"th", "ท่าเรือมีเรือหลายลำและน้ำขึ้นสูง"},
	{"ko", "항구에는 배가 있었다. O'Neill 은 서울에 있다."},
	{"ja", "ﾄｳｷｮｳﾀﾜｰは港にある。東京タワーとO’Reillyの本、コーヒー。"},
	{"zh", "港口裡有三艘船，O'Neill說：「潮汐」。"},
	{"", "Kvs'p ort'q zbr’n lmt-x io."},
	{"", "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ 12."},
}

// textEveryWordIsFound has each of the samples found by each of its own words as it
// stands there, function words aside.
func textEveryWordIsFound(t *testing.T, b Backend) {
	s := b.Tenant("a")
	for i, sample := range Samples {
		index := fmt.Sprintf("sample %d", i)
		put(t, s, index, store.TextDocument{ID: "it", Language: sample.Language, Text: sample.Text})
		wantOwnWords(t, s, index, sample.Text)
	}
}

// wantOwnWords asks an index for each word of one of its texts.
func wantOwnWords(t *testing.T, s Store, index, original string) {
	t.Helper()
	doc, err := s.TextDocument(t.Context(), index, "it")
	must(t, err)
	for _, term := range text.TermTokens(original, cmp.Or(doc.Language, "zxx")) {
		word := original[term.Start:term.End]
		n, err := s.CountText(t.Context(), store.TextQuery{Index: index, Text: word})
		must(t, err)
		if n != 1 {
			t.Errorf("%q (term %q, %s) finds %d texts, want the one that it is from: %.80q", word, term.Text,
				doc.Language, n, original)
		}
	}
}

// textMarksWithinWords has every printable mark of ASCII and of some other blocks
// within a word.
func textMarksWithinWords(t *testing.T, b Backend) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := b.Tenant("a")
	var marks []rune
	for _, block := range [][2]rune{{0x21, 0x7e}, {0xa1, 0xbf}, {0x2b0, 0x2ff}, {0x300, 0x315}, {0x5f3, 0x5f4},
		{0x2010, 0x205e}, {0x3001, 0x3003}, {0xff01, 0xff0f}} {
		for r := block[0]; r <= block[1]; r++ {
			marks = append(marks, r)
		}
	}
	for _, language := range []string{"en", "fr"} {
		for i, mark := range marks {
			index := fmt.Sprintf("%s %d", language, i)
			original := fmt.Sprintf("Here stands zor%cbrel, and barn%c.", mark, mark)
			put(t, s, index, store.TextDocument{ID: "it", Language: language, Text: original})
			wantOwnWords(t, s, index, original)
			whole := fmt.Sprintf("zor%cbrel", mark)
			if n, err := s.CountText(t.Context(), store.TextQuery{Index: index, Text: whole}); n != 1 || err != nil {
				t.Errorf("%q finds %d texts (%v), want the one that has it", whole, n, err)
			}
		}
	}
}

// textApostrophesAreOne finds a name whichever apostrophe it is written with.
func textApostrophesAreOne(t *testing.T, b Backend) {
	s := b.Tenant("a")
	forms := []string{"'", "’", "‘", "ʼ", "ʻ", "＇"}
	for _, name := range []string{"O'Sullivan", "Hawai'i", "rock'n'roll", "Sana'a"} {
		for i, kept := range forms {
			index := name + fmt.Sprint(i)
			put(t, s, index, store.TextDocument{ID: "it", Language: "en",
				Text: "The keeper was " + strings.ReplaceAll(name, "'", kept) + ", who left in 1931."})
			for _, asked := range forms {
				for _, query := range []string{strings.ReplaceAll(name, "'", asked),
					`"keeper was ` + strings.ReplaceAll(name, "'", asked) + `"`} {
					wantSet(t, s, store.TextQuery{Index: index, Text: query}, "it")
				}
			}
		}
	}
}

// textUnknownLanguageStays reads a text that does not show its language in the one that
// most texts in its script are in, whatever the index holds before it or after.
func textUnknownLanguageStays(t *testing.T, b Backend) {
	s, ctx := b.Tenant("a"), t.Context()
	shown := []store.TextDocument{
		{ID: "a", Language: "de", Text: "Die Häuser am Hafen wurden im Jahr 1911 gebaut."},
		{ID: "b", Language: "de", Text: "Der Leuchtturm steht im Hafen."}}
	latin := store.TextDocument{ID: "latin", Text: "Hafenlotsen, Häfen: harbours"}
	cyrillic := store.TextDocument{ID: "cyrillic", Text: "плотина турбина канал"}
	put(t, s, "before", latin, cyrillic)
	put(t, s, "before", shown...)
	put(t, s, "after", shown...)
	put(t, s, "after", latin, cyrillic)
	for _, index := range []string{"before", "after"} {
		for id, want := range map[string]string{"latin": "en", "cyrillic": "ru"} {
			doc, err := s.TextDocument(ctx, index, id)
			must(t, err)
			if doc.Language != want {
				t.Errorf("%s the others, the text %s is read in %q, want %q", index, id, doc.Language, want)
			}
		}
		wantSet(t, s, store.TextQuery{Index: index, Text: "Hafenlotsen"}, "latin")
		wantSet(t, s, store.TextQuery{Index: index, Text: "harbour"}, "latin")
		wantSet(t, s, store.TextQuery{Index: index, Text: "плотины"}, "cyrillic")
	}
}
