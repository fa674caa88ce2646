package main

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	said := []string{"a", "b", "c", "d", "e"}
	mark := "\x1b[2m⋮\x1b[0m"
	for _, test := range []struct {
		step step
		want []string
	}{
		{step{"", 2, 1}, []string{"a", "b", mark, "e"}},
		{step{"", 4, 1}, said},
		{step{"", 0, 1}, []string{mark, "e"}},
		{step{"", 0, 0}, nil},
	} {
		if got := shown(said, test.step); !slices.Equal(got, test.want) {
			t.Errorf("%d first, %d last: %q", test.step.first, test.step.last, got)
		}
	}
}

func TestWrap(t *testing.T) {
	long := strings.Repeat("é", columns)
	if got := wrap("\x1b[1m" + long + "\x1b[0m"); len(got) != 1 {
		t.Errorf("a line as wide as the terminal becomes %q", got)
	}
	if got := wrap(long + "x"); len(got) != 2 || got[1] != "x" {
		t.Errorf("a line of one more becomes %q", got)
	}
}

// What a terminal was sent stays text: the picture is one XML document with its words.
func TestSVG(t *testing.T) {
	var words strings.Builder
	for decoder := xml.NewDecoder(strings.NewReader(string(
		svg([]string{"\x1b[1mbold\x1b[0m <script> & \x1b[2mdim"})))); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			words.Write(token)
		case xml.StartElement:
			if token.Name.Local == "script" {
				t.Error("a word became an element")
			}
		}
	}
	if !strings.Contains(words.String(), "bold <script> & dim") {
		t.Errorf("the words are %q", words.String())
	}
}
