package rank

import (
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func passage(heading, body string) citewell.Passage {
	return citewell.Passage{Heading: heading, Text: body}
}

func TestPassages(t *testing.T) {
	tests := []struct {
		name, query string
		passages    []citewell.Passage
		titles      []string
		want        []int
	}{
		{"stems_meet", "enforced foreign key", []citewell.Passage{
			passage("", "Birds fly over the sea in large flocks."),
			passage("", "The server enforces foreign keys for every row."),
		}, nil, []int{1}},
		{"words_together_beat_words_apart", "foreign key", []citewell.Passage{
			passage("", "A key opens the door to a country that was always foreign to her."),
			passage("", "A foreign key opens the door to a country that was always new to her."),
		}, nil, []int{1, 0}},
		{"the_querys_order_beats_the_reverse", "cable length", []citewell.Passage{
			passage("", "The length cable is not what was asked for in this text."),
			passage("", "The cable length is just what was asked for in this text."),
		}, nil, []int{1, 0}},
		{"heading_counts", "isolation default", []citewell.Passage{
			passage("History", "The default changed in version nine of the program."),
			passage("Isolation", "The default changed in version nine of the program."),
		}, nil, []int{1, 0}},
		{"title_counts", "sqlite default", []citewell.Passage{
			passage("", "The default changed in version nine of the program."),
			passage("", "The default changed in version nine of the program."),
		}, []string{"PostgreSQL", "SQLite"}, []int{1, 0}},
		{"languages_mix", "Wie hoch sind die Häuser?", []citewell.Passage{
			passage("", "The weather is fine today and it will be fine tomorrow."),
			passage("", "Das Haus ist nicht hoch, aber es ist sehr schön."),
			passage("", "La maison n'est pas dans la rue mais elle est belle."),
		}, nil, []int{1}},
		{"japanese", "富士山の高さ", []citewell.Passage{
			passage("", "東京は日本の首都です。"),
			passage("", "富士山の高さは三千七百七十六メートルです。"),
		}, nil, []int{1}},
		{"function_words_only", "To be or not to be", []citewell.Passage{
			passage("", "Nothing at all."),
			passage("", "To be, or not to be, that is the question."),
		}, nil, []int{1}},
		{"name_in_capitals", "What does WHO say?", []citewell.Passage{
			passage("", "The people who came are here, and they say so."),
			passage("", "The WHO guidelines say so, and they are new."),
		}, nil, []int{1, 0}},
		{"equals_keep_their_order", "bird", []citewell.Passage{
			passage("", "a bird"), passage("", "a bird"), passage("", "a bird")}, nil, []int{0, 1, 2}},
		{"nothing_shared", "submarine", []citewell.Passage{passage("", "a bird")}, nil, nil},
		{"no_query", " ?! ", []citewell.Passage{passage("", "a bird")}, nil, nil},
		{"no_passages", "bird", nil, nil, nil},
		{"empty_passages", "bird", []citewell.Passage{{}, {}}, nil, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var o Options
			if test.titles != nil {
				o.Titles = func(i int) string { return test.titles[i] }
			}
			ranking := Passages(test.query, test.passages, o)
			var got []int
			for _, one := range ranking {
				got = append(got, one.Index)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v (%v)", got, test.want, ranking)
			}
		})
	}
}

func TestPassagesTakesTheLanguagesThatAreGiven(t *testing.T) {
	passages := []citewell.Passage{passage("", "Häuser"), passage("", "Birds")}
	o := Options{Language: "de", Languages: func(int) string { return "de" }}
	ranking := Passages("Haus", passages, o)
	if len(ranking) != 1 || ranking[0].Index != 0 {
		t.Errorf("got %v, want the first alone", ranking)
	}
}

func BenchmarkPassages(b *testing.B) {
	body := strings.Repeat("Foreign keys are enforced by the server when a transaction commits, unless deferred. ", 6)
	passages := slices.Repeat([]citewell.Passage{passage("Constraints", body)}, 200)
	o := Options{Languages: func(int) string { return "en" }}
	for b.Loop() {
		Passages("when are foreign key constraints enforced", passages, o)
	}
}

func BenchmarkRanker(b *testing.B) {
	body := strings.Repeat("Foreign keys are enforced by the server when a transaction commits, unless deferred. ", 6)
	r := NewRanker(slices.Repeat([]citewell.Passage{passage("Constraints", body)}, 200),
		Options{Languages: func(int) string { return "en" }})
	for b.Loop() {
		r.Rank("when are foreign key constraints enforced", "en")
	}
}
