package judge

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// How many canaries a call has, and what they are made of.
const (
	canaryOf    = 6 // statements for one canary
	canaryLeast = 2 // of a call: one false, one true
	leastWords  = 6 // of a sentence
	mostWords   = 45
	alike       = 8 // one content word in so many may be shared with a passage about something else
)

// A sentence stands in a passage of an inquiry.
type sentence struct {
	text  string
	about *cite.Inquiry
}

// canaries are statements of which code knows whether their passages say them: about one for six, at
// least one that is false and one that is true. Where the text of a call gives none of a kind, a
// pair of the examination takes its place.
func canaries(batch []item, chance *rand.Rand) []item {
	sentences := sentencesOf(batch)
	chance.Shuffle(len(sentences), func(a, b int) { sentences[a], sentences[b] = sentences[b], sentences[a] })
	want := max(canaryLeast, (len(batch)+canaryOf-1)/canaryOf)
	used := map[string]bool{}
	for _, it := range batch {
		used[text.Fold(it.about.Text)] = true
	}
	var made []item
	for truths, kinds := 0, chance.Perm(len(falsehoods)); len(made) < want; {
		truth := truths < want/2
		it, ok := item{}, false
		if truth {
			truths++
			it, ok = makeCanary(sentences, copied, nil, used, chance)
		}
		for k := 0; !truth && k < len(kinds) && !ok; k++ {
			it, ok = makeCanary(sentences, falsehoods[kinds[(k+len(made))%len(kinds)]], sentences, used, chance)
		}
		if !ok {
			it, ok = fromExamination(truth, batch, used, chance)
		}
		if !ok {
			break
		}
		it.truth = truth
		made = append(made, it)
	}
	return made
}

// A maker changes a sentence into a statement; false where it cannot.
type maker func(s sentence, others []sentence, chance *rand.Rand) (string, bool)

var falsehoods = []maker{otherFigure, otherName, denied, elsewhere}

func makeCanary(from []sentence, change maker, others []sentence, used map[string]bool,
	chance *rand.Rand) (item, bool) {
	for _, s := range from {
		if used[text.Fold(s.text)] {
			continue
		}
		if said, ok := change(s, others, chance); ok && !used[text.Fold(said)] {
			used[text.Fold(said)], used[text.Fold(s.text)] = true, true
			return item{inquiry: -1, about: inquire(said, s.about.Passages)}, true
		}
	}
	return item{}, false
}

// inquire makes the inquiry about a statement of these passages. Words note what differs as they do for
// every other statement, so that no note and no lack of one gives a canary away.
func inquire(statement string, passages []cite.Shown) *cite.Inquiry {
	claim := cite.Claim{Text: statement}
	for _, s := range passages {
		claim.Evidence = append(claim.Evidence, cite.Evidence{Passages: []citewell.Passage{s.Passage}, Title: s.Title})
	}
	about := &cite.Inquiry{Text: statement, Passages: passages}
	if held := cite.Hold(claim); held.Inquiry != nil {
		about.Look = held.Inquiry.Look
	}
	return about
}

// sentencesOf are the sentences that canaries can be made of: whole ones of prose.
func sentencesOf(batch []item) (all []sentence) {
	seen := map[string]bool{}
	for _, it := range batch {
		for _, p := range it.about.Passages {
			for _, span := range text.Sentences(p.Passage.Text) {
				said := text.OneLine(p.Passage.Text[span.Start:span.End])
				words := len(text.Words(said))
				first, _ := utf8.DecodeRuneInString(said)
				if seen[said] || words < leastWords || words > mostWords || !unicode.IsLetter(first) &&
					!unicode.IsDigit(first) || !strings.HasSuffix(strings.TrimRight(said, `"”»)`), ".") &&
					!strings.HasSuffix(said, "。") {
					continue
				}
				seen[said] = true
				all = append(all, sentence{said, it.about})
			}
		}
	}
	return all
}

// copied is the sentence as it stands, unless its passages deny it elsewhere.
func copied(s sentence, _ []sentence, _ *rand.Rand) (string, bool) {
	turned, ok := turn(s.text)
	return s.text, !ok || !strings.Contains(passagesOf(s.about), turned)
}

var wholeFigure = lazyregexp.New(`(?:^|[\s(])(\d{2,7})(?:[\s).,;%]|$)`)

// otherFigure puts another figure in the place of one that the passages have once.
func otherFigure(s sentence, _ []sentence, chance *rand.Rand) (string, bool) {
	at := wholeFigure.FindStringSubmatchIndex(s.text)
	if at == nil || strings.HasPrefix(s.text[at[3]:], ".") && at[3]+1 < len(s.text) && s.text[at[3]+1] != ' ' {
		return "", false
	}
	digits := s.text[at[2]:at[3]]
	n, err := strconv.Atoi(digits)
	if err != nil || digits[0] == '0' || strings.Count(passagesOf(s.about), digits) != 1 {
		return "", false
	}
	other := n + n*(3+chance.IntN(5))/10 + 1
	switch {
	case n >= 1000 && n <= 2100 && len(digits) == 4: // likely a year
		other = n - 3 - chance.IntN(9)
	case n%100 == 0:
		other = n + n/100*(3+chance.IntN(5))/10*100 + 100
	case n%10 == 0:
		other = n + n/10*(3+chance.IntN(5))/10*10 + 10
	}
	if strings.Contains(passagesOf(s.about), strconv.Itoa(other)) {
		return "", false
	}
	return s.text[:at[2]] + strconv.Itoa(other) + s.text[at[3]:], true
}

// otherName puts a name of another sentence, which the passages do not have, in the place of one.
func otherName(s sentence, others []sentence, _ *rand.Rand) (string, bool) {
	own := names(s.text)
	known := text.Fold(passagesOf(s.about))
	for _, o := range others {
		for _, theirs := range names(o.text) {
			for _, name := range own {
				if strings.Count(s.text, name) == 1 && !strings.Contains(known, text.Fold(theirs)) &&
					text.Fold(name) != text.Fold(theirs) {
					return strings.Replace(s.text, name, theirs, 1), true
				}
			}
		}
	}
	return "", false
}

// names finds the capitalised words within a sentence, without its first word, function words, code
// and addresses. A run of them is one name.
func names(s string) (all []string) {
	words, lang := text.Words(s), text.LikelyLanguage(s)
	named := func(i int) bool {
		word := s[words[i].Start:words[i].End]
		return isName(word) && !text.IsStop(lang, word)
	}
	for i := 1; i < len(words); i++ {
		from := i
		for i < len(words) && named(i) && (i == from || s[words[i-1].End:words[i].Start] == " ") {
			i++
		}
		if i > from && !strings.ContainsAny(s[max(0, words[from].Start-1):min(len(s), words[i-1].End+1)], "`_./:=-") {
			all = append(all, s[words[from].Start:words[i-1].End])
		}
	}
	return all
}

func isName(word string) bool {
	letters := []rune(word)
	return len(letters) >= 3 && unicode.IsUpper(letters[0]) && !slices.ContainsFunc(letters, unicode.IsDigit)
}

// Denials that a word turns, where the sentence has one verb that can bear it.
var (
	// \b knows Latin letters alone
	denial = lazyregexp.New(
		`(?i)\b(?:not|no|never|none|nor|neither|without|cannot|unless|only|any|nicht|kein\w*|nie|weder|ohne|ne|pas|geen|niet|non)\b|n['’]t\b| (?:не|ни|нет|никогда) `)
	auxiliary = lazyregexp.New(` (?:is|are|was|were|can|will|must|should|has been|have been) `)
	// removable are denials without which a sentence says the opposite.
	removable = lazyregexp.New(
		` (?:is|are|was|were|does|do|did|can|will|must|should) (not) \w| \p{L}+ (nicht) \p{L}+| \p{L}+ (niet) \p{L}+| (не) \p{L}+`)
)

// denied turns a denial, unless the passages have the sentence that comes of it.
func denied(s sentence, _ []sentence, _ *rand.Rand) (string, bool) {
	turned, ok := turn(s.text)
	return turned, ok && !strings.Contains(passagesOf(s.about), turned)
}

// turn takes the only denial out of a sentence, or puts one behind its only auxiliary.
func turn(s string) (string, bool) {
	denials := denial.FindAllStringIndex(s, -1)
	if len(denials) == 1 {
		at := removable.FindStringSubmatchIndex(s)
		for k := 2; at != nil && k < len(at); k += 2 {
			if at[k] >= denials[0][0] && at[k] < denials[0][1] {
				return s[:at[k]] + strings.TrimPrefix(s[at[k+1]:], " "), true
			}
		}
		return "", false
	}
	verbs := auxiliary.FindAllStringIndex(s, -1)
	if len(denials) > 0 || len(verbs) != 1 || text.LikelyLanguage(s) != "en" {
		return "", false
	}
	first, rest, _ := strings.Cut(s[verbs[0][0]+1:], " ")
	return s[:verbs[0][0]+1] + first + " not " + rest, true
}

// elsewhere puts a sentence on passages that are about something else.
func elsewhere(s sentence, others []sentence, _ *rand.Rand) (string, bool) {
	known := map[string]bool{}
	for _, term := range text.Terms(passagesOf(s.about), "") {
		known[term] = true
	}
	for _, o := range others {
		terms, shared := text.Terms(o.text, ""), 0
		for _, term := range terms {
			if known[term] {
				shared++
			}
		}
		if o.about != s.about && len(terms) >= leastWords && shared*alike <= len(terms) {
			return o.text, true
		}
	}
	return "", false
}

func passagesOf(about *cite.Inquiry) string {
	var all []string
	for _, p := range about.Passages {
		all = append(all, p.Title, p.Passage.Heading, p.Passage.Text)
	}
	return strings.Join(all, "\n")
}
