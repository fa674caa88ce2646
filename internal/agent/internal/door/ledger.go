package door

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// A Source is whose words come in.
type Source int

// The sources of foreign words.
const (
	Public  Source = iota // what anybody could have read
	Private               // the user's own texts, and what a server says that is not public
	Noted                 // of several sources, whose words were noted by Note
)

// Bounds of what is noted, in bytes and numbers. A private text beyond maxNoted is known by
// its beginning: the part that a model is shown is shorter.
const (
	maxNoted       = 1 << 20
	phrase         = 4   // content words in a row that no everyday query shares with a text by chance
	shortestName   = 3   // letters of a word that is taken for a name
	shortestInFile = 4   // characters of such a word of a file's name
	partOfID       = 4   // characters of an identifier that give it away
	piecesOfName   = 4   // words in a row that may be a name written apart
	hiddenIn       = 6   // characters of a name that is looked for within a longer word
	opaque         = 16  // characters from which on a word that is none may be anything, encoded
	fewThings      = 12  // counts up to this are in any text
	leastInWords   = 100 // of figures that are written in words
)

// A ledger knows the words of private texts, and those that are known to others anyway.
type ledger struct {
	known     map[string]bool // words and stems of the task, the user and public texts
	names     map[string]bool // of private texts: what is a name, a number or an identifier
	phrases   map[[phrase]string]bool
	common    map[[phrase]string]bool // phrases of public texts
	amounts   map[float64]bool        // of private texts
	figures   map[float64]bool        // of public ones
	languages map[string]bool
	unread    []noted         // texts whose words were not needed yet: mostly nothing private is ever read
	private   bool            // any private text was noted
	files     map[string]bool // words of the names of private files
	small     map[string]bool // words that private texts have without a capital
	told      map[string]bool // words that others were told since
}

type noted struct {
	from Source
	said string
}

func newLedger() ledger {
	return ledger{known: map[string]bool{}, names: map[string]bool{}, phrases: map[[phrase]string]bool{},
		common:  map[[phrase]string]bool{},
		amounts: map[float64]bool{}, figures: map[float64]bool{}, languages: map[string]bool{},
		files: map[string]bool{}, small: map[string]bool{}, told: map[string]bool{}}
}

// Note takes the words of a text into account that a model is shown in part or whole.
func (l *ledger) Note(from Source, said string) {
	if from == Noted {
		return
	}
	l.unread = append(l.unread, noted{from, text.Prefix(said, maxNoted)})
	l.private = l.private || from == Private
}

// NoteFile takes the words of a private file's name into account, without its ending. One
// that no text has as an everyday word is as telling as a name.
func (l *ledger) NoteFile(name string) {
	l.private = true
	name = strings.TrimSuffix(name, path.Ext(name))
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}) {
		if utf8.RuneCountInString(word) >= shortestInFile && (strings.IndexFunc(word, unicode.IsLetter) >= 0 ||
			len(word) >= hiddenIn) {
			l.files[word] = true
		}
	}
}

// readUnread reads what was noted since the last time.
func (l *ledger) readUnread() {
	for _, n := range l.unread {
		if n.from == Private {
			l.keep(n.said)
		} else {
			l.publish(n.said)
		}
	}
	l.unread = nil
}

// Today makes the years around a day known: the model was told the date.
func (l *ledger) Today(day time.Time) {
	for year := day.Year() - 1; year <= day.Year()+1; year++ {
		l.Note(Public, Number(year).part().told)
	}
}

func (l *ledger) publish(said string) {
	r := text.Read(said, "")
	r = r.In(r.LikelyLanguage())
	l.languages[r.Language()] = true
	for _, w := range r.Words() {
		l.known[w.Text] = true
		l.known[text.Stem(r.Language(), w.Text)] = true
	}
	for p := range phrasesOf(r) {
		l.common[p] = true
	}
	for _, f := range quantity.Figures(r) {
		l.figures[f.Value] = true
	}
}

func (l *ledger) keep(said string) {
	r := text.Read(said, "")
	r = r.In(r.LikelyLanguage())
	l.languages[r.Language()] = true
	words := r.Words()
	small := map[string]bool{} // words that the text also has without a capital
	for _, w := range words {
		if first, _ := utf8.DecodeRuneInString(said[w.Start:]); unicode.IsLower(first) {
			small[w.Text], l.small[w.Text] = true, true
		}
	}
	for _, w := range words {
		if telling(r, w, small) {
			l.names[w.Text] = true
		}
	}
	for p := range phrasesOf(r) {
		l.phrases[p] = true
	}
	for _, f := range quantity.Figures(r) {
		l.amounts[f.Value] = true
	}
}

// telling says whether a word of a text is a number, an identifier or a name. A name is
// written large where the sentence does not ask for it, and never small; German writes all
// nouns so: there it is a name that stands behind another noun, as in "Berater Klein".
func telling(r *text.Reading, w text.Token, small map[string]bool) bool {
	said, language := r.Text(), lang.Of(r.Language())
	word := said[w.Start:w.End]
	digits := strings.IndexFunc(word, unicode.IsDigit) >= 0
	first, size := utf8.DecodeRuneInString(word)
	switch {
	case digits:
		return utf8.RuneCountInString(w.Text) > 1
	case utf8.RuneCountInString(word) < shortestName, text.IsStop(language.Code, w.Text):
		return false
	case isPart(said, w):
		return true
	case strings.IndexFunc(word[size:], unicode.IsUpper) >= 0: // an abbreviation, or CamelCase
		return !afterDigit(said, w) && !shouts(line(said, w.Start)) // but no unit
	case !unicode.IsUpper(first), small[w.Text], isDay(w.Text):
		return false
	}
	if language.Is(lang.NounCapitals) {
		return followsNoun(said, language, w)
	}
	before := strings.TrimRight(said[:w.Start], " \t\"'“”‘’«»(*_")
	if before == "" || strings.ContainsAny(before[len(before)-1:], ".!?\n#-") || strings.HasSuffix(before, "•") {
		return isNamed(said, w)
	}
	return !isHeading(line(said, w.Start))
}

// followsNoun says whether the word before is written large too, and carries meaning.
func followsNoun(said string, in *lang.Language, w text.Token) bool {
	before := strings.TrimSuffix(said[:w.Start], " ")
	noun := lastField(before)
	first, _ := utf8.DecodeRuneInString(noun)
	return before != said[:w.Start] && unicode.IsUpper(first) && !text.IsStop(in.Code, noun)
}

// isPart says whether a word is part of an address or an identifier, as in
// "db.host.example" and "svc_name", other than the end of one.
func isPart(said string, w text.Token) bool {
	after, before := said[w.End:], said[:w.Start]
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, "._@"))
	if after != "" && strings.ContainsRune("._@", rune(after[0])) && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
		return true
	}
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	letters := len(before) > 1 && before[len(before)-2] > ' '
	return letters && (last == '_' || last == '@' || last == '.' &&
		!strings.Contains(strings.TrimRight(lastField(before), "."), "."))
}

// lastField is the end of a text without spaces.
func lastField(s string) string { return s[strings.LastIndexAny(s, " \t\n")+1:] }

// afterDigit says whether a number stands before a word.
func afterDigit(said string, w text.Token) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(said[:w.Start], " \u00a0"))
	return unicode.IsDigit(last)
}

// isNamed says whether a word at the beginning of a sentence is followed by another that is
// written large: "Kestrel Marine sells".
func isNamed(said string, w text.Token) bool {
	rest := strings.TrimPrefix(said[w.End:], " ")
	next, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsUpper(next) && rest != said[w.End:] && !isHeading(line(said, w.Start))
}

// line is the line of a text around a place.
func line(said string, at int) string {
	from, to := strings.LastIndexByte(said[:at], '\n')+1, strings.IndexByte(said[at:], '\n')
	if to < 0 {
		return said[from:]
	}
	return said[from : at+to]
}

// shouted is from how many words in capitals on a line says nothing of one of them.
const shouted = 3

// shouts says whether capitals on a line are those of a slogan or of a query language.
func shouts(line string) bool {
	n := 0
	for word := range strings.FieldsSeq(line) {
		if len(word) > 1 && strings.IndexFunc(word, unicode.IsLower) < 0 &&
			strings.IndexFunc(word, unicode.IsDigit) < 0 && strings.IndexFunc(word, unicode.IsUpper) >= 0 {
			n++
		}
	}
	return n >= shouted
}

// isHeading says whether most words of a line are written large for no other reason than
// that it is a heading: it has no mark of a sentence or a field.
func isHeading(line string) bool {
	if strings.ContainsAny(line, ".:|,;@\t") && !strings.HasPrefix(line, "#") {
		return false
	}
	large, all := 0, 0
	for word := range strings.FieldsSeq(line) {
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsLetter(first) && len(word) > 3 {
			all++
			if unicode.IsUpper(first) {
				large++
			}
		}
	}
	return all > 0 && large == all
}

// isDay says whether a word names a day of the week or a month.
func isDay(word string) bool {
	for n := range 12 {
		if strings.EqualFold(word, time.Month(n+1).String()) || strings.EqualFold(word, time.Weekday(n%7).String()) {
			return true
		}
	}
	return false
}

// phrasesOf gives the content words of a text in rows of phrase.
func phrasesOf(r *text.Reading) map[[phrase]string]bool {
	all := map[[phrase]string]bool{}
	var row []string
	for _, w := range r.Words() {
		if text.IsStop(r.Language(), w.Text) {
			continue
		}
		if row = append(row, text.Stem(r.Language(), w.Text)); len(row) >= phrase {
			all[[phrase]string(row[len(row)-phrase:])] = true
		}
	}
	return all
}

// HasPrivate says whether any private text was noted.
func (l *ledger) HasPrivate() bool { return l.private }

// Secrets are the words of these texts that only private texts have: names, numbers,
// identifiers, rows of words, and words that could hold any of them in another form. Each
// is as it stands there. It is empty as long as nothing private was read.
func (l *ledger) Secrets(said ...string) []string {
	if !l.private {
		return nil
	}
	l.readUnread()
	var found []string
	for _, s := range said {
		for _, form := range forms(s) {
			found = append(found, l.secretsIn(form)...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (l *ledger) secretsIn(said string) []string {
	r := text.Read(said, "")
	r = r.In(r.LikelyLanguage())
	words := r.Words()
	var found []string
	for _, w := range words {
		if !l.isKnown(w.Text) && (l.isTelling(w.Text) || l.holdsName(w.Text) || isOpaque(w.Text)) {
			found = append(found, said[w.Start:w.End])
		}
	}
	found = append(found, l.pieces(said, words)...)
	for i := range words { // a name that is written apart
		joined := words[i].Text
		for _, next := range words[i+1 : min(i+piecesOfName, len(words))] {
			joined += next.Text
			if len(joined) >= hiddenIn && l.names[joined] && !l.isKnown(joined) {
				found = append(found, said[words[i].Start:next.End])
			}
		}
	}
	if spelled := spelledOut(words); spelled != "" && !l.known[spelled] && (l.names[spelled] || l.holdsName(spelled)) {
		found = append(found, spelled)
	}
	for p := range phrasesOf(r) {
		if l.phrases[p] && !l.common[p] && !l.allKnown(p) {
			found = append(found, strings.Join(p[:], " "))
		}
	}
	for _, f := range quantity.Figures(r) {
		if l.amounts[f.Value] && !l.figures[f.Value] && isAmount(f) {
			found = append(found, f.Raw)
		}
	}
	return found
}

// isTelling says whether a word is a private name, or of a private file's name and in no
// text as an everyday word, and not known anyway.
func (l *ledger) isTelling(word string) bool {
	return (l.names[word] || l.files[word] && !l.small[word]) && !l.isKnown(word)
}

// isAmount says whether a figure is more than one that is in any text, such as "5 hours".
func isAmount(f quantity.Figure) bool {
	digits := 0
	for _, c := range f.Raw {
		if unicode.IsDigit(c) {
			digits++
		}
	}
	return digits > 1 && f.Value > fewThings || digits == 0 && f.Value >= leastInWords
}

func (l *ledger) isKnown(word string) bool {
	if l.known[word] {
		return true
	}
	for lang := range l.languages {
		if l.known[text.Stem(lang, word)] {
			return true
		}
	}
	return false
}

// allKnown says whether a row has no word of its own: the user's words in another order.
func (l *ledger) allKnown(row [phrase]string) bool {
	return !slices.ContainsFunc(row[:], func(word string) bool { return !l.known[word] })
}

// holdsName says whether a name lies within a word, or the word is part of an identifier.
func (l *ledger) holdsName(word string) bool {
	digits := strings.IndexFunc(word, unicode.IsDigit) >= 0
	for name := range l.names {
		within := len(name) >= hiddenIn && len(word) > len(name) && strings.Contains(word, name)
		part := digits && len(word) >= partOfID && len(word) < len(name) && strings.Contains(name, word)
		if (within || part) && !l.isKnown(name) {
			return true
		}
	}
	return false
}
