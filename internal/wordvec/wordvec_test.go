package wordvec

import (
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode"
)

// vectorOf returns the vector of a word that must have one.
func vectorOf(t testing.TB, word string) Vector {
	t.Helper()
	v, ok := Of(word)
	if !ok {
		t.Fatalf("%q has no vector", word)
	}
	return v
}

func TestNearWords(t *testing.T) {
	for _, test := range []struct{ word, near, far string }{
		{"car", "automobile", "banana"},
		{"capital", "city", "sandwich"},
		{"large", "size", "purple"},
		{"delete", "remove", "celebrate"},
		{"begin", "start", "kitchen"},
		{"holidays", "vacation", "granite"},
		{"doctor", "physician", "bridge"},
		{"buy", "purchase", "whisper"},
		{"speed", "fast", "blue"},
		{"folder", "directory", "mountain"},
		{"payment", "money", "giraffe"},
		{"unsubscribing", "unsubscribe", "thunderstorm"},
	} {
		word := vectorOf(t, test.word)
		near, far := word.Cosine(vectorOf(t, test.near)), word.Cosine(vectorOf(t, test.far))
		if near < far+0.15 {
			t.Errorf("%s is %.2f near to %s and %.2f to %s", test.word, near, test.near, far, test.far)
		}
	}
}

func TestCosine(t *testing.T) {
	for _, pair := range [][2]string{{"car", "automobile"}, {"tokenizers", "subsystem"}} {
		v, o := vectorOf(t, pair[0]), vectorOf(t, pair[1])
		if self := v.Cosine(v); math.Abs(self-1) > 1e-6 {
			t.Errorf("%s is %v near to itself", pair[0], self)
		}
		if v.Cosine(o) != o.Cosine(v) {
			t.Errorf("%v is nearer one way than the other", pair)
		}
	}
	if near := (Vector{}).Cosine(vectorOf(t, "car")); near != 0 {
		t.Errorf("nothing is %v near to a car", near)
	}
}

func TestSameWord(t *testing.T) {
	for _, pair := range [][2]string{
		{"Café", "cafe"}, {"CAFÉ", "cafe\u0301"}, {"work_mem", "work mem"}, {"don’t", "don't"}, {"Größe", "große"},
	} {
		if vectorOf(t, pair[0]) != vectorOf(t, pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
}

func TestWordsWithoutVector(t *testing.T) {
	for _, word := range []string{
		"", " ", "…", "--", "2018", "2019", "٢٠١٨", "x²", "sha256", "utf8", "3rd", "столица", "首都", "\xff", "a\xffb",
		strings.Repeat("a", MaxBytes+1),
	} {
		if v, ok := Of(word); ok || v != (Vector{}) {
			t.Errorf("%q has a vector", word)
		}
	}
	if _, ok := Of(strings.Repeat("a", MaxBytes)); !ok {
		t.Errorf("a word of %d letters has no vector", MaxBytes)
	}
}

func TestIdentifiers(t *testing.T) {
	v, far := vectorOf(t, "work_mem"), vectorOf(t, "banana")
	for _, word := range []string{"work", "workmem", "mem"} {
		if near := v.Cosine(vectorOf(t, word)); near < v.Cosine(far)+0.2 {
			t.Errorf("work_mem is %.2f near to %s", near, word)
		}
	}
}

// testdata/cuts.txt is how the model's own tokenizer cuts words. Pieces without letters are not ours.
func TestCutsAsTokenizer(t *testing.T) {
	golden, err := os.ReadFile("testdata/cuts.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(golden)), "\n")
	if len(lines) != 500 {
		t.Errorf("%d words", len(lines))
	}
	spellings := spellingsOf(loaded())
	for _, line := range lines {
		word, want, _ := strings.Cut(line, "\t")
		var pieces []string
		for _, number := range loaded().pieces(nil, word) {
			pieces = append(pieces, spellings[number])
		}
		var letters []string
		for piece := range strings.FieldsSeq(want) {
			if strings.ContainsFunc(piece, unicode.IsLetter) {
				letters = append(letters, piece)
			}
		}
		if got, want := strings.Join(pieces, " "), strings.Join(letters, " "); got != want {
			t.Errorf("%s is cut into %s, want %s", word, got, want)
		}
	}
}

func spellingsOf(t *table) map[uint16]string {
	spellings := map[uint16]string{}
	for piece, number := range t.begins {
		spellings[number] = piece
	}
	for piece, number := range t.continues {
		spellings[number] = "##" + piece
	}
	return spellings
}

func TestManyGoroutines(t *testing.T) {
	var group sync.WaitGroup
	want := vectorOf(t, "capital").Cosine(vectorOf(t, "cities"))
	for range 8 {
		group.Go(func() {
			for range 100 {
				capital, _ := Of("capital")
				cities, _ := Of("cities")
				if got := capital.Cosine(cities); got != want {
					t.Errorf("%v, want %v", got, want)
				}
			}
		})
	}
	group.Wait()
}

func TestFewAllocations(t *testing.T) {
	loaded()
	if n := testing.AllocsPerRun(100, func() { Of("unsubscribing") }); n > 1 {
		t.Errorf("%v allocations for a word", n)
	}
}

func FuzzOf(f *testing.F) {
	for _, word := range []string{"capital", "Größe", "work_mem", "2018", "don’t", "\xff", "首都", "ſ", "İ", "ﬁle"} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		v, ok := Of(word)
		if again, _ := Of(word); again != v {
			t.Error("a second call differs")
		}
		if !ok {
			if v != (Vector{}) {
				t.Error("a vector, and false")
			}
			return
		}
		if self := v.Cosine(v); math.Abs(self-1) > 1e-6 {
			t.Errorf("%v near to itself", self)
		}
		if !strings.ContainsFunc(word, unicode.IsLetter) || strings.ContainsFunc(word, unicode.IsDigit) ||
			len(word) > MaxBytes {
			t.Error("no such word has a vector")
		}
	})
}
