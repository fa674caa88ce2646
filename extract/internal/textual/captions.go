package textual

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/deadline"
	"github.com/citewell/citewell/extract/internal/imprint"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// Captions reads what is said in a recording, as WebVTT (W3C) and SubRip have it.
var Captions = media.Reader{Name: citewell.MediaVTT, Called: "captions", Read: readCaptions,
	Files: map[string]string{".vtt": citewell.MediaVTT, ".srt": citewell.MediaSRT},
	Claims: func(page media.Page) string {
		switch {
		case page.Declared == citewell.MediaVTT, page.MayBe(".vtt"), (page.Vague || page.Declared == "text/plain") &&
			isVTT(page.Body):
			return citewell.MediaVTT
		case page.Declared == citewell.MediaSRT, page.Declared == "text/srt", page.MayBe(".srt"):
			return citewell.MediaSRT
		}
		return ""
	}}

func isVTT(body []byte) bool {
	body, signed := bytes.CutPrefix(bytes.TrimPrefix(body, []byte("\ufeff")), []byte("WEBVTT"))
	return signed && (len(body) == 0 || strings.IndexByte(" \t\r\n", body[0]) >= 0)
}

// A section of a transcript has its time as heading. It ends with a sentence once it is long enough, at a longer
// silence, or when it is too long.
const (
	enoughSaid = 300     // bytes
	mostSaid   = 1200    // bytes
	silence    = 8       // seconds
	lastSecond = 1000000 // some eleven days
	maxCues    = 100_000
	maxLines   = 100 // of a cue; no screen shows more, and what is added to a section is copied each time
)

var (
	cueTimes = lazyregexp.New(
		`^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}[ \t]*-->[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,]\d{1,3}(?:[ \t]|$)`)
	cueVoice  = lazyregexp.New(`^\s*<v(?:\.[^\s>]*)?[ \t]+([^>]{1,100})>`)
	cueDash   = lazyregexp.New(`^(?:>>+|[-–—])\s+`) // somebody else speaks
	cueTag    = lazyregexp.New(`</?[^<>]{0,200}>|\{\\[^{}]{0,100}\}`)
	vttNote   = lazyregexp.New(`^(?:NOTE|STYLE|REGION)(?:[ \t]|$)`)
	vttHeader = lazyregexp.New(`^(?i:language):[ \t]*(\S+)`)
	saidWhole = lazyregexp.New(`[.!?…。！？]["'”’»)\]]*$`)
)

// A cue is the lines that are shown from one second until another.
type cue struct {
	from, until int
	said        []string
}

// readCaptions reads the cues of a recording in the order of their times as the text of who speaks, each repeated line
// once. Its pages are seconds. Text without any cue is read as text.
func readCaptions(ctx context.Context, in media.Input) (media.Reading, error) {
	r := media.Reading{Kind: media.KindTranscript, Unit: citewell.UnitSecond}
	var cues []cue
	lines := strings.Split(plain.LineEnds.Replace(strings.TrimPrefix(in.Text, "\ufeff")), "\n")
	at := 0
	if strings.HasPrefix(lines[0], "WEBVTT") {
		r.Title = text.Prefix(strings.TrimLeft(plain.CleanLine(strings.TrimPrefix(lines[0], "WEBVTT")), "-–— "), 300)
		for at = 1; at < len(lines) && lines[at] != "" && cueTimes.FindString(lines[at]) == ""; at++ {
			if m := vttHeader.FindStringSubmatch(lines[at]); m != nil {
				r.Language = imprint.Language(m[1])
			}
		}
	}
	for ; at < len(lines); at++ {
		if at%1024 == 0 && ctx.Err() != nil {
			return r, deadline.ErrCut
		}
		if vttNote.MatchString(lines[at]) {
			for at < len(lines) && lines[at] != "" {
				at++
			}
			continue
		}
		times := cueTimes.FindStringSubmatch(lines[at])
		if times == nil {
			continue
		}
		if len(cues) == maxCues {
			r.Cut = fmt.Sprintf("the first %d cues of the captions were read, as many as are kept", maxCues)
			break
		}
		first := at + 1
		for at+1 < len(lines) && strings.TrimSpace(lines[at+1]) != "" && !strings.Contains(lines[at+1], "-->") {
			at++
		}
		said := lines[first : at+1]
		if n := len(said) - 1; n >= 0 && at+1 < len(lines) && lines[at+1] != "" &&
			plain.IsDigits(strings.TrimSpace(said[n])) {
			said = said[:n] // the number of the next, which no blank line parts
		}
		cues = append(cues, cue{secondOf(times[1:4]), secondOf(times[4:7]), said[:min(maxLines, len(said))]})
	}
	slices.SortStableFunc(cues, func(a, b cue) int { return cmp.Compare(a.from, b.from) })
	t := transcript{}
	for i, c := range cues {
		if i%64 == 0 && ctx.Err() != nil {
			return r, deadline.ErrCut
		}
		if t.size > 2*in.MaxText {
			r.Cut = fmt.Sprintf("the captions were read to %s, as much as is kept", citewell.ClockTime(t.until))
			break
		}
		t.add(c)
	}
	if t.close(); len(t.blocks) == 0 {
		in.Media = "text/plain"
		return readText(ctx, in)
	}
	r.Blocks = t.blocks
	r.Markdown = block.Markdown(r.Blocks)
	return r, nil
}

// secondOf is the second of a time in hours, minutes and seconds, as far as there are such.
func secondOf(parts []string) int {
	second := 0
	for _, part := range parts {
		n, _ := strconv.Atoi(cmp.Or(part, "0")) // three digits at the most
		second = 60*second + n
	}
	return min(second, lastSecond)
}

// A transcript is what was said until now.
type transcript struct {
	blocks  []block.Block
	size    int // bytes of them
	open    []block.Block
	said    int // bytes of the open section
	from    int // the second at which it begins
	until   int // the second at which the last cue ends
	voice   string
	last    string // the line that was said last
	section int    // the page of the last section
}

// add adds what is said from one second until another.
func (t *transcript) add(c cue) {
	if len(t.open) > 0 {
		last := t.open[len(t.open)-1].Text
		if t.said >= mostSaid || t.said >= enoughSaid && saidWhole.MatchString(last) || c.from > t.until+silence {
			t.close()
		}
	}
	for _, line := range c.said {
		voice := t.voice
		if m := cueVoice.FindStringSubmatch(line); m != nil {
			voice = plain.CleanLine(html.UnescapeString(m[1]))
		}
		words := cueDash.ReplaceAllString(plain.CleanLine(html.UnescapeString(cueTag.ReplaceAllString(line, ""))), "")
		if words == "" || words == t.last {
			continue
		}
		t.last = words
		if len(t.open) == 0 {
			t.from = c.from
		}
		if n := len(t.open); n > 0 && voice == t.voice {
			t.open[n-1].Text += " " + words
			t.said += len(words) + 1
			continue
		}
		if t.voice = voice; voice != "" {
			words = voice + ": " + words
		}
		t.open = append(t.open, block.Block{Text: words})
		t.said += len(words)
	}
	t.until = max(c.until, c.from)
}

// close ends the open section. One that begins in the second of the section before goes on with that.
func (t *transcript) close() {
	if len(t.open) == 0 {
		return
	}
	if page := t.from + 1; page > t.section {
		t.section = page
		t.blocks = append(t.blocks, block.Block{Kind: block.Heading, Level: 2, Text: citewell.ClockTime(t.from),
			Page: page})
	}
	for _, b := range t.open {
		b.Page = t.section
		t.blocks = append(t.blocks, b)
	}
	t.size += t.said
	t.open, t.said, t.voice = nil, 0, ""
}
