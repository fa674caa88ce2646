package works

import (
	"html"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/lazyregexp"
	"golang.org/x/text/unicode/norm"
)

var (
	titleMark = lazyregexp.New(
		`(?i)^[\s\[(*]*(?:retracted|withdrawn)(?:\s+(?:article|paper|chapter))?\s*[\])*:.–—-]+\s*`)
	titleTag     = lazyregexp.New(`</?[A-Za-z][^<>]*>`)
	titleVersion = lazyregexp.New(`(?i)\s*(?:\[version \d+[^\]]*\]|\(preprint\)|\(v\d+\))\s*$`)
	titleCommand = lazyregexp.New(`\\([A-Za-z]+)\s*`)
)

// TitleMark takes the word off a title that publishers put before a retracted or withdrawn work, but not before a
// notice ("Retraction: …"), and says what it means.
func TitleMark(title string) (string, citewell.Retraction) {
	if mark := titleMark.FindString(title); mark != "" {
		return strings.TrimPrefix(title, mark), citewell.WorkRetracted
	}
	return title, ""
}

// letterNames are what Greek letters are called, in TeX and in titles that are kept in ASCII.
var letterNames = map[rune]string{
	'α': "alpha", 'β': "beta", 'γ': "gamma", 'δ': "delta", 'ε': "epsilon", 'ζ': "zeta", 'η': "eta", 'θ': "theta",
	'ι': "iota", 'κ': "kappa", 'λ': "lambda", 'μ': "mu", 'ν': "nu", 'ξ': "xi", 'ο': "omicron", 'π': "pi",
	'ρ': "rho", 'σ': "sigma", 'ς': "sigma", 'τ': "tau", 'υ': "upsilon", 'φ': "phi", 'χ': "chi", 'ψ': "psi",
	'ω': "omega", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ı': "i", '&': " and ",
}

// texNames are the commands of TeX that are letters; others form what follows them.
var texNames = func() map[string]bool {
	names := map[string]bool{"ss": true, "ae": true, "oe": true, "o": true, "l": true, "i": true, "j": true}
	for _, name := range letterNames {
		names[name] = true
	}
	return names
}()

// maxMains bounds where a title may be parted from its subtitle.
const maxMains = 8

// A workTitle is a title in the form in which two are compared.
type workTitle struct {
	whole   string // lower-case letters and digits alone
	words   int    // of it
	version bool   // it says of which version it is
	// what stands before a colon, a dash, a bracket or a question mark: how many words follow; 0 where a number is
	// among them
	mains map[string]int
}

// foldTitle reads titles as registers spell them: with TeX, tags, entities, Greek letters, any case and publishers'
// additions.
func foldTitle(title string) workTitle {
	title, _ = TitleMark(html.UnescapeString(html.UnescapeString(strings.ToValidUTF8(title, ""))))
	title = titleTag.ReplaceAllString(title, "")
	version := titleVersion.MatchString(title)
	title = titleVersion.ReplaceAllString(title, "")
	title = titleCommand.ReplaceAllStringFunc(title, func(command string) string {
		if name := strings.TrimSpace(command[1:]); texNames[strings.ToLower(name)] {
			return name
		}
		return ""
	})
	whole, words := foldWords(title)
	t := workTitle{whole: whole, words: words, version: version, mains: map[string]int{}}
	for i, r := range title {
		if len(t.mains) == maxMains {
			break
		}
		before, after := title[:i], title[i+len(string(r)):]
		switch {
		case strings.ContainsRune(":?(–—", r), r == '.' && strings.HasPrefix(after, " "),
			r == '-' && strings.HasSuffix(before, " ") && strings.HasPrefix(after, " "):
			main, _ := foldWords(before)
			rest, n := foldWords(after)
			if strings.ContainsFunc(rest, unicode.IsDigit) {
				n = 0
			}
			t.mains[main] = n
		}
	}
	return t
}

// foldWords gives the letters and digits of words, without accents and their TeX, and how many words there are.
func foldWords(s string) (folded string, words int) {
	var b strings.Builder
	within := false
	for _, r := range norm.NFKD.String(strings.ToLower(norm.NFKC.String(strings.ToValidUTF8(s, "")))) {
		switch name, named := letterNames[r]; {
		case unicode.Is(unicode.Mn, r), strings.ContainsRune(`'’"{}$^_\`, r), r == '`':
			continue
		case named && r != '&':
			b.WriteString(name)
		case named:
			b.WriteString(strings.TrimSpace(name))
			words++
			within = false
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			within = false
			continue
		}
		if !within {
			words++
		}
		within = true
	}
	return b.String(), words
}
