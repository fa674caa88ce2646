package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// A usage tells that bytes were read with the right character set: the letters that its languages use most, and the
// least share of letters outside of ASCII that they have. In guess_test.go, right readings have 1.1 to 2.6 times that
// share and wrong ones at most 0.8.
type usage struct {
	charsets []string // the first wins where they read the same
	common   map[rune]bool
	least    float64
	// its words hold no ASCII letters, and one letter alone is no sign of them: Latin charsets have l'été and à
	apart bool
}

var usages = []usage{
	{[]string{"windows-1251", "koi8-r", "koi8-u"}, runes("оеаинтсрвлі"), 0.5, true},
	{[]string{"shift_jis", "euc-jp"}, runes("のにはをたがでてとしれさいるかなもあこらうりすくっまよだきんけーンスルトラリアクイドシレ"), 0.25, false},
	{[]string{"gb18030", "big5"}, runes("的一是不了在人有我他这這中大来來上国國个個到说說们們为為子和你地出道也时時年得就那要下以生会會自着著去之过過家学學" +
		"对對可里裡后後小么麼心多天而能好都然没沒日于於起还還发發成事作当當想看文无無开開手十用主行方如前所本见見经經头頭面公同三已老从從" +
		"动動两兩长長月市新高工业業政府化与與及水分部法等民全进進海"), 0.25, false},
	{[]string{"euc-kr"}, runes("이다는에의가을지고하로기은서도사한를자리어대해과인나시으그수아정부있제일들만전라게보원장주것상적여했습니"), 0.3, false},
}

func runes(s string) map[rune]bool {
	set := map[rune]bool{}
	for _, r := range s {
		set[r] = true
	}
	return set
}

// fewLetters is the number of letters outside of ASCII below which a text is too short to tell its character set.
const fewLetters = 12

// guessCharset names the character set of bytes that declare none and are not all UTF-8: the one with at most one
// broken character in a hundred and letters most like a language's. What is too short or like none is windows-1252.
func guessCharset(body []byte) string {
	sample := body[bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf }):]
	sample = sample[:min(len(sample), prescanBytes)]
	if valid, broken := countUTF8(sample); valid >= fewLetters && broken*100 <= valid {
		return "utf-8"
	}
	name, best := "windows-1252", 1.0
	for _, u := range usages {
		for _, candidate := range u.charsets {
			e, _ := charset.Lookup(candidate)
			text, err := e.NewDecoder().Bytes(sample)
			if err != nil {
				continue
			}
			if likeness := u.share(string(text)) / u.least; likeness > best {
				name, best = candidate, likeness
			}
		}
	}
	return name
}

// share is the part that the common letters have in the letters of text outside of ASCII; 0 where they are few or too
// much is broken. Words apart, letters alone or beside one of ASCII do not count.
func (u usage) share(text string) float64 {
	letters, common, broken := 0, 0, 0
	before := ' '
	for at, r := range text {
		switch {
		case r == utf8.RuneError:
			broken++
		case foreign(r):
			letters++
			after, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
			within := (foreign(before) || foreign(after)) && !asciiLetter(before) && !asciiLetter(after)
			if u.common[r] && (within || !u.apart) {
				common++
			}
		}
		before = r
	}
	if letters < fewLetters || broken > 1+letters/100 { // the sample may end within a character
		return 0
	}
	return float64(common) / float64(letters)
}

func asciiLetter(r rune) bool { return r < utf8.RuneSelf && IsLetter(byte(r)) }

// foreign tells letters outside of ASCII.
func foreign(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) }

// prologCharset is what an XML document's first line declares, <?xml version="1.0" encoding="…"?>.
func prologCharset(body []byte) string {
	prolog, _, closed := strings.Cut(string(body[:min(len(body), 200)]), "?>")
	_, value, declared := strings.Cut(prolog, "encoding")
	value, assigned := strings.CutPrefix(strings.TrimLeft(value, " \t\r\n"), "=")
	value = strings.TrimLeft(value, " \t\r\n")
	if !closed || !declared || !assigned || !strings.HasPrefix(prolog, "<?xml") || value == "" {
		return ""
	}
	label, _, _ := strings.Cut(value[1:], value[:1])
	_, name := charset.Lookup(label)
	if !usable(name) || strings.HasPrefix(name, "utf-") {
		return "" // the bytes are none of these
	}
	return name
}
