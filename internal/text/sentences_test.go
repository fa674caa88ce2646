package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// In each case a bar stands where a sentence ends.
func TestSentences(t *testing.T) {
	tests := []struct{ name, in string }{
		{"one", "One sentence."},
		{"plain", "It began. |Then it ended! |Did it? |Yes."},
		{"no_final_stop", "It began. |Then it"},
		{"titles", "Dr. Smith met Mrs. Jones and Prof. Lee. |They spoke."},
		{"initials", "J. K. Rowling and George W. Bush met. |J. R. R. Tolkien did not."},
		{"initial_then_function_word", "Take vitamin C. |The rest is rest."},
		{"for_example", "Use a lock, e.g. a mutex, i.e. one at a time. |Then go."},
		{"may_be_last", "He works for Acme Inc. in Texas. |She left Acme Inc. |The firm fell."},
		{"us_government", "The U.S. Government said so. |It is in the U.S. |They left."},
		{"etc_inside", "Bring food, drinks, etc. to the party. |Bring games, etc. |Have fun."},
		{"figures_and_versions", "It rose 3.5 percent to 1.26.8 in v2.0. |Then 7.5 more."},
		{"clock", "It opens at 9 a.m. on Monday. |It closes at 5 p.m. |The shop is small."},
		{"figure_references", "See Fig. 3 and No. 7 on p. 12. |The answer was no. |Nobody spoke."},
		{"year_ends", "It was built in 1998. |Nobody lives there."},
		{"number_ends", "The answer is 42. |The question is lost."},
		{"domain_and_file", "Open example.com or main.go in Node.js. |Then run it."},
		{"address", "See https://example.com/a.b?c=d. |It is there."},
		{"quotes", "“Go.” |He left. |\"Really?\" she asked. |(It was so.) |Fine."},
		{"mark_inside_a_name", "Yahoo! is a company. |It is old."},
		{"ellipsis", "Well... maybe so. |And then... |Nothing came."},
		{"several_marks", "What?! |No!!! |Yes."},
		{"reference_marks", "It was first.[1][2] |It was last.¹ |It was ok. ① |Then."},
		{"small_initial_after_long_word", "Run the formatter. |gofmt changes nothing else."},
		{"small_initial_after_short_word", "It is abbr. of something."},
		{"list_numbers", "1. Install it. |\n2. Run it. |\n(a) Stop it."},
		{"blank_line_ends", "A heading\n\n|Some text that goes on.\n \n|More"},
		{"bullets", "- first entry\n|- second entry\n|• third"},
		{"short_lines", "Name: Ann\n|Age: 7\n|City: Oslo"},
		{"wrapped_paragraph", "The quick brown fox jumps over the lazy dog and\nthen it goes on running through the " +
			"fields until\nEvening comes. |Then it sleeps in the den that it has\ndug itself."},
		{"wrapped_by_a_small_letter", "This line is broken for no good reason at all,\nand goes on here. |End."},
		{"paragraph_wrapped_by_hand", "It handles about four hundred thousand to five\nHTTP requests a day, some of " +
			"which are\ndynamic pages that touch the\ndatabase. |Dynamic content is slow."},
		{"lines_of_a_poem_or_list_stay", "Roses are mostly red in the gardens here and now\n|Violets are " +
			"blue\n|Sugar " +
			"is sweet in the cup of tea that I had today"},
		{"windows_line_ends", "One.\r\n\r\n|Two."},
		{"german_ordinals", "Am 3. Oktober 1990 begann das 20. Jahrhundert nicht. |Es war der 2. Weltkrieg. |Gut."},
		{"german_abbreviations", "Viele Tiere, z.B. Hunde, d.h. alle, kosten ca. 5 Mio. Euro. |Das ist viel."},
		{"french", "M. Dupont habite av. Foch. |Il y vit depuis janv. 2020. |Voilà."},
		{"spanish", "¿Qué pasa? |¡Nada! |La Sra. García llegó."},
		{"russian", "Он родился в 1990 г. в Москве, т.е. давно. |Потом уехал."},
		{"chinese", "今天下雨。|我们不去了！|为什么？|因为冷。"},
		{"japanese_quote_goes_on", "「行く。」と彼は言った。|次の日、雨が降った。"},
		{"hindi", "यह एक वाक्य है। |यह दूसरा है।"},
		{"arabic", "هل أنت هنا؟ |نعم. |شكرا"},
		{"arabic_initials_figures_and_quotes", "ذهب د. أحمد إلى المدرسة. |بلغ السعر 3.5 دولار. |قال: «لن أذهب.» |هل " +
			"عاد؟ |انتهى"},
		{"urdu", "یہ ایک جملہ ہے۔ |یہ دوسرا ہے۔"},
		{"hindi_title", "ऊँचाई 3.5 मीटर है। |डॉ. राम आए।"},
		{"german_quotes", "„Gut“, sagte er. |„Wirklich?“ |Ja. |»Komm!« |Er kam am 3. März um 14.30 Uhr."},
		{"french_quotes_and_titles", "« Bonjour ! » dit-il. |« Où\u202f? » |Mme Curie et Mgr. Dupanloup sont là. " +
			"|Cela coûte 3,5 M€. |Fin."},
		{"spanish_abbreviations", "El Sr. García llegó a las 3 p. m. a EE. UU. |¿Cómo está? |Cuesta 3.500,50 " +
			"euros. |Bien."},
		{"russian_initials", "Проф. Иванов А. Б. сказал: «Да». |Потом ушёл на ул. Ленина, д. 5. |Это 1,5 млн. " +
			"человек."},
		{"italian_and_portuguese", "Il sig. Rossi è arrivato. |Vedi pag. 3. |O Sr. Silva chegou. |Custa R$ " +
			"3,50. |Fim."},
		{"chinese_with_ascii_marks", "真的吗?|是的!|GDP增长3.5%。|你好……|再见"},
		{"chinese_quotes", "他問：「你好嗎？」|我說：「很好。」|走了。"},
		{"japanese_quote_with_ascii_marks", "「本当ですか?」と彼は聞いた。|「はい。」|価格は3.5ドルです。"},
		{"korean", "서울은 크다. |\"안녕?\" |그가 말했다."},
		{"footnote_year", "Released in May 2024. |In June 2024, it grew."},
		{"et_al", "Smith et al. (2020) found it. |Jones et al. showed more."},
		{"only_marks", "..."},
		{"no_break_space", "It ends.\u00a0|It begins."},
		{"decimal_without_zero", "It fell by .5 points. |It rose."},
		{"unit_ends", "It took 24 h. |Serum was added for 8 min. |Cells grew to 5 m. |All died."},
		{"journal", "It is in Proc. Natl. Acad. Sci. 99, 57. |Read it."},
		{"species", "Both C. elegans and S. aureus grew, vs. none. |They died."},
		{"section_number", "3.2.1. Overview of it. |It is short."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var want []string
			for part := range strings.SplitSeq(test.in, "|") {
				want = append(want, strings.TrimSpace(part))
			}
			in := strings.ReplaceAll(test.in, "|", "")
			var got []string
			for _, span := range Sentences(in) {
				got = append(got, in[span.Start:span.End])
			}
			if strings.Join(got, "|") != strings.Join(want, "|") {
				t.Errorf("\n got %q\nwant %q", got, want)
			}
		})
	}
}

func TestSentencesOfATable(t *testing.T) {
	in := "| name | height |\n| Zugspitze, in the south | 2,962 m. |\n| Brocken | 1,141 m. |"
	var got []string
	for _, span := range Sentences(in) {
		got = append(got, in[span.Start:span.End])
	}
	if joined := strings.Join(got, "\n"); joined != in || len(got) != 3 {
		t.Errorf("got %q, want the three rows", got)
	}
}

func FuzzSentences(f *testing.F) {
	for _, seed := range []string{
		"", " ", ".", "a.\n\nb", "A. B. c", "\xff. \xfe", "。」と", "1. a\n2. b", "\n\n\n", "a\r\nb", "[1].[2]",
		"...\u00a0A", "( . )", "。\u3000。",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, span := range append(Sentences(s), Span{len(s), len(s)}) {
			if span.Start < end || span.End < span.Start || span.End > len(s) {
				t.Fatalf("span %v after %d in %q", span, end, s)
			}
			if between := s[end:span.Start]; strings.TrimFunc(between, unicode.IsSpace) != "" {
				t.Fatalf("%q of %q is in no sentence", between, s)
			}
			if sentence := s[span.Start:span.End]; sentence != strings.TrimSpace(sentence) ||
				utf8.ValidString(s) && !utf8.ValidString(sentence) {
				t.Fatalf("sentence %q of %q", sentence, s)
			}
			end = span.End
		}
	})
}

// Rows of a table are no wrapped paragraph, however even their lines are.
func TestSentencesEndWithTheRow(t *testing.T) {
	rows := []string{"Bolt 56 | steel of the second quality | 560 Nm", "bolt 57 | steel of the second quality | 570 Nm",
		"bolt 58 | steel of the second quality | 580 Nm", "and so on for all of the bolts of the catalogue"}
	in := strings.Join(rows, "\n")
	var got []string
	for _, s := range Sentences(in) {
		got = append(got, in[s.Start:s.End])
	}
	if !slices.Equal(got, rows) {
		t.Errorf("got %q", got)
	}
}
