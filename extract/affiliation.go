package extract

import (
	"regexp"
	"strings"

	"github.com/citewell/citewell/text"
)

// What a page calls itself (ownWords) counts wherever it stands. That something is
// not affiliated (relation) counts where the sentence speaks of itself, and that
// something is not official (standing) only where it speaks of a site besides:
// documentation says of many things that they are not the official ones.
var (
	ownWords = regexp.MustCompile(`(?i)\b(?:this|our) (?:is an? |\w+ (?:is|are) (?:an? )?)?(?:\w+ ){0,2}(?:unofficial|independent|fan[- ](?:made|run))\b` +
		`|\b(?:an?|the|this) (?:unofficial|independent)\b.{0,40}\b(?:guide|site|website|blog|wiki|page|resource|publication|mirror|documentation|community)\b` +
		`|^(?:the )?unofficial\b.{0,40}\b(?:guide|site|website|blog|wiki|page|resource|publication|mirror|documentation|docs|community|fan|app|client)\b`)
	relation = regexp.MustCompile(`(?i)\bnot (?:officially |in any way |currently )?(?:affiliated|endorsed|sponsored)\b` +
		`|\b(?:no|without any) (?:official )?affiliation\b|\bunaffiliated\b` +
		`|\bin keiner (?:weise )?verbindung (?:zu|mit)\b|\binoffizielle[rsn]? (?:seite|website|webseite|fanseite|anleitung|wiki)\b` +
		`|\bnon[- ]affilié|\bno (?:está |estamos )?afiliad[oa]s?\b`)
	aboutSite = regexp.MustCompile(`(?i)\b(?:site|website|web page|page|blog|wiki|guide|app|channel|server|community|fansite|seite|webseite|página|sito)\b`)
	standing  = regexp.MustCompile(`(?i)\bnot (?:an? |the )?(?:officially )?(?:official|associated with|connected (?:with|to)|operated by|owned by|run by|maintained by|authori[sz]ed by|approved by)\b` +
		`|\bunofficial\b|\binoffiziell|\b(?:nicht|keine?) offizielle?[rsn]?\b|\bnon[- ]officiel|\bno oficial|\bnon ufficiale\b|неофициальн`)
	speaksOfItself = regexp.MustCompile(`(?i)\b(?:this|we|our|us|i am|i'm|diese?[rs]?|wir|unsere?|ce|cette|nous|notre|este|esta|nuestr[ao]|questo|questa)\b` +
		`|\b(?:site|website|blog|wiki|guide|app|project) (?:is|are|has|have)\b|^(?:not|no|unofficial|unaffiliated|in)\b|эт(?:о|а|от)|^неофициальн`)
	aboutAnother = regexp.MustCompile(`(?i)\b(?:he|she|they|who)\b.{0,30}\bnot\b`)
)

// affiliation returns the page's own words that it is unofficial or belongs to
// nobody it may be taken for. The whole visible page is looked at, because such
// words stand in headers and footers.
func affiliation(title string, blocks []block) string {
	if ownWords.MatchString(title) {
		return clip(title, 300)
	}
	for _, b := range blocks {
		if b.kind == code || len(b.text) > 20_000 || !mayDisclaim(b.text) {
			continue
		}
		for _, s := range text.Sentences(b.text) {
			sentence := strings.TrimLeft(b.text[s.Start:s.End], "-*•0123456789. ")
			if len(sentence) <= 400 && disclaims(sentence) {
				return sentence
			}
		}
	}
	return ""
}

// mayDisclaim is a quick look that spares nearly every block the patterns.
func mayDisclaim(s string) bool {
	s = strings.ToLower(s)
	for _, part := range []string{"offici", "offizi", "oficial", "ufficial", "офици", "affiliat", "endorse", "sponsor", "independent",
		"associated", "connected", "operated", "authori", "verbindung", "not own", "not run", "not maintained", "fan"} {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

func disclaims(sentence string) bool {
	if ownWords.MatchString(sentence) {
		return true
	}
	if !speaksOfItself.MatchString(sentence) || aboutAnother.MatchString(sentence) {
		return false
	}
	return relation.MatchString(sentence) || standing.MatchString(sentence) && (aboutSite.MatchString(sentence) || strings.Contains(sentence, "офици"))
}
