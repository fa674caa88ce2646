package extract

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func captionsOf(t *testing.T, body string) citewell.Document {
	t.Helper()
	const address = "https://talk.example/lines.vtt"
	d, err := New(Options{}).Extract(t.Context(), citewell.Page{
		URL: address, FinalURL: address, ContentType: citewell.MediaVTT, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A cue out of its order has its own time and moves no other's.
func TestCaptionsOutOfOrder(t *testing.T) {
	d := captionsOf(t, "WEBVTT\n\n200:00:00.000 --> 200:00:01.000\nThat was the last word of the evening.\n\n"+
		"00:12:05.000 --> 00:12:09.000\nThe yard had 1,400 workers in its best year.\n\n00:01:00.000 --> "+
		"00:01:04.000\nWelcome to the talk on the yard.\n")
	for words, time := range map[string]string{"1,400 workers": "12:05", "Welcome": "1:00", "last word": "200:00:00"} {
		before, _, has := strings.Cut(d.Markdown, words)
		if heading := before[strings.LastIndex(before, "#")+1:]; !has || !strings.HasPrefix(heading, " "+time+"\n") {
			t.Errorf("%q stands under %q, want %s, in %s", words, heading, time, d.Markdown)
		}
	}
}

// A cue of very many lines is read as far as a screen shows one: each line is added to those before
// it, and a million of them took minutes, past every deadline.
func TestCueOfManyLines(t *testing.T) {
	d := captionsOf(t, "WEBVTT\n\n00:01.000 --> 00:02.000\n"+strings.Repeat("ab\ncd\n", 800_000)+
		"\n00:10.000 --> 00:11.000\nThe end of the talk.\n")
	if n := strings.Count(d.Text, "ab"); n != 50 || !strings.Contains(d.Text, "The end of the talk.") {
		t.Errorf("%d of its lines are read, and %d bytes", 2*n, len(d.Text))
	}
}
