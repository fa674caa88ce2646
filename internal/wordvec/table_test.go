package wordvec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// small returns a table of the given pieces, whose scales are all the given number.
func small(scale float32, pieces ...string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "wordvec 1 %d\n", len(pieces))
	for _, piece := range pieces {
		s.WriteString(piece + "\n")
	}
	for range pieces {
		s.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(scale)))
	}
	for i := range pieces {
		s.WriteString(strings.Repeat(string(rune('a'+i)), rowBytes))
	}
	return s.String()
}

func TestReadTable(t *testing.T) {
	read, err := readTable(small(0.5, "in", "inn", "##n"))
	if err != nil {
		t.Fatal(err)
	}
	cuts := fmt.Sprint(read.cut(nil, "innn"), read.cut([]uint16{7}, "innx"), read.cut(nil, ""))
	if cuts != "[1 2] [7] []" {
		t.Errorf("cuts are %s", cuts)
	}
	// "c" is 0x63: each even number is 3, each odd one is 6.
	if row := read.row(2); row.product(&row) != 128*((2*3-15)*(2*3-15)+(2*6-15)*(2*6-15)) {
		t.Errorf("the row of ##n is %x", row)
	}
	one, two := read.sum([]uint16{2}), read.sum([]uint16{2, 2})
	if math.Abs(one.Cosine(two)-1) > 1e-4 {
		t.Errorf("the double of a row is %.4f near to it", one.Cosine(two))
	}
}

func TestReadTableRefusesDamage(t *testing.T) {
	good := small(0.5, "in", "inn", "##n")
	if _, err := readTable(good); err != nil {
		t.Fatal(err)
	}
	for name, damaged := range map[string]string{
		"empty":          "",
		"another format": strings.Replace(good, "wordvec 1", "wordvec 2", 1),
		"no count":       strings.Replace(good, "1 3", "1 ", 1),
		"no pieces":      small(0.5),
		"too many":       strings.Replace(good, "1 3", "1 99999999999", 1),
		"one too many":   strings.Replace(good, "1 3", "1 4", 1),
		"one too few":    strings.Replace(good, "1 3", "1 2", 1),
		"cut off":        good[:len(good)-1],
		"one byte more":  good + "a",
		"a piece twice":  small(0.5, "in", "in"),
		"an empty piece": small(0.5, "in", "##"),
		"zero scale":     small(0, "in"),
		"no number":      small(float32(math.NaN()), "in"),
		"infinite":       small(float32(math.Inf(1)), "in"),
	} {
		if _, err := readTable(damaged); !errors.Is(err, errDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readTable(english); err != nil {
			b.Fatal(err)
		}
	}
}

// Six words of a question beside 5,000 distinct words, a fifth of them of several pieces.
func BenchmarkCompare(b *testing.B) {
	var words []string
	for piece := range loaded().begins {
		if len(words)%5 == 0 {
			piece += "ness"
		}
		if words = append(words, piece); len(words) == 5000 {
			break
		}
	}
	asked := []string{"which", "city", "became", "the", "capital", "afterwards"}
	b.ReportAllocs()
	for b.Loop() {
		var question []Vector
		for _, word := range asked {
			v, _ := Of(word)
			question = append(question, v)
		}
		nearest := 0.0
		for _, word := range words {
			v, ok := Of(word)
			for i := range question {
				if ok {
					nearest = max(nearest, question[i].Cosine(v))
				}
			}
		}
	}
}
