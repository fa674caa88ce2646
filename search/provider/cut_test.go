package provider

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/searchcall"
)

func TestQueryLimit(t *testing.T) {
	tests := []struct {
		name      string
		limit     queryLimit
		in, want  string
		saysNotes bool
	}{
		{"fits", queryLimit{chars: 11}, "tidal power", "tidal power", false},
		{"fits_with_space", queryLimit{chars: 13}, " tidal power ", " tidal power ", false},
		{"space_alone_is_too_much", queryLimit{chars: 11}, "tidal power   ", "tidal power", true},
		{"between_words", queryLimit{chars: 12}, "tidal power plants", "tidal power", true},
		{"at_the_end_of_a_word", queryLimit{chars: 11}, "tidal power plants", "tidal power", true},
		{"not_within_a_word", queryLimit{chars: 10}, "tidal power plants", "tidal", true},
		{"words", queryLimit{words: 2}, "tidal\tpower\n plants", "tidal\tpower", true},
		{"words_and_chars", queryLimit{words: 9, chars: 6}, "tidal power plants", "tidal", true},
		{"characters_not_bytes", queryLimit{chars: 5}, "Größe", "Größe", false},
		{"chinese_between_words", queryLimit{chars: 3}, "潮力発電", "潮力発", true},
		{"katakana_is_one_word", queryLimit{chars: 4}, "潮エネルギー", "潮", true},
		{"one_endless_word", queryLimit{chars: 4}, "abcdefgh", "abcd", true},
		{"long_word_after_a_short_one", queryLimit{chars: 10}, "a bcdefghijklmnop", "a", true},
		{"escaped", queryLimit{escaped: 8}, "a é b", "a é", true},
		{"escaped_reserved", queryLimit{escaped: 6}, "a&b c", "a&b", true},
		{"phrase_that_lost_its_end", queryLimit{words: 3}, `tidal "power plants" rance`, `tidal "power plants"`, true},
		{"phrase_cut", queryLimit{words: 2}, `tidal "power plants" rance`, `tidal power`, true},
		{"empty", queryLimit{chars: 1}, "", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var notes []string
			ctx := searchcall.WithNotes(t.Context(), func(note string) { notes = append(notes, note) })
			if got := test.limit.cut(ctx, "someone", test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if len(notes) > 0 != test.saysNotes {
				t.Errorf("says %q", notes)
			}
		})
	}
}

func TestQueryLimitSaysWhatIsTaken(t *testing.T) {
	var notes []string
	ctx := searchcall.WithNotes(t.Context(), func(note string) { notes = append(notes, note) })
	queryLimit{chars: 6, words: 3}.cut(ctx, "brave", "tidal power plants")
	if want := "the query was cut to 5 of its 18 characters: brave takes 6 characters and 3 words"; len(notes) != 1 ||
		notes[0] != want {
		t.Errorf("says %q, want %q", notes, want)
	}
}

func FuzzQueryLimit(f *testing.F) {
	f.Add("tidal \"power\" plants", 7, 2, 20)
	f.Add("潮力\u0301 \u200d\xff\xfe", 3, 1, 9)
	f.Fuzz(func(t *testing.T, query string, chars, words, escaped int) {
		l := queryLimit{chars: max(chars, 0) % 500, words: max(words, 0) % 60, escaped: max(escaped, 0) % 2000}
		short := l.shorten(query)
		if l.end(short) != len(short) {
			t.Errorf("%q within %+v is %q", query, l, short)
		}
		if utf8.ValidString(query) && !utf8.ValidString(short) {
			t.Errorf("%q is cut within a rune: %q", query, short)
		}
		if !strings.Contains(query, `"`) && !strings.Contains(query, short) {
			t.Errorf("%q is no part of %q", short, query)
		}
	})
}
