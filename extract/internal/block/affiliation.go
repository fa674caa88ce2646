package block

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// What a page calls itself (ownWords) counts wherever it stands. That something is not affiliated (relation) counts if
// the sentence speaks of itself; that something is not official (standing) only if it speaks of a site besides.
var (
	ownWords = lazyregexp.New(
		`(?i)\b(?:this|our) (?:is an? |\w+ (?:is|are) (?:an? )?)?(?:\w+ ){0,2}(?:unofficial|independent|fan[- ](?:made|run))\b` +
			`|\b(?:an?|the|this) (?:unofficial|independent)\b.{0,40}\b(?:guide|site|website|blog|wiki|page|resource|publication|mirror|documentation|community)\b` +
			`|^(?:the )?unofficial\b.{0,40}\b(?:guide|site|website|blog|wiki|page|resource|publication|mirror|documentation|docs|community|fan|app|client)\b`)
	relation = lazyregexp.New(`(?i)\bnot (?:officially |in any way |currently )?(?:affiliated|endorsed|sponsored)\b` +
		`|\b(?:no|without any) (?:official )?affiliation\b|\bunaffiliated\b` +
		`|\bin keiner (?:weise )?verbindung (?:zu|mit)\b|\binoffizielle[rsn]? (?:seite|website|webseite|fanseite|anleitung|wiki)\b` +
		`|\bnon[- ]affilié|\bno (?:está |estamos )?afiliad[oa]s?\b`)
	aboutSite = lazyregexp.New(
		`(?i)\b(?:site|website|web page|page|blog|wiki|guide|app|channel|server|community|fansite|seite|webseite|página|sito)\b`)
	standing = lazyregexp.New(
		`(?i)\bnot (?:an? |the )?(?:officially )?(?:official|associated with|connected (?:with|to)|operated by|owned by|run by|maintained by|authori[sz]ed by|approved by)\b` +
			`|\bunofficial\b|\binoffiziell|\b(?:nicht|keine?) offizielle?[rsn]?\b|\bnon[- ]officiel|\bno oficial|\bnon ufficiale\b|неофициальн`)
	speaksOfItself = lazyregexp.New(
		`(?i)\b(?:this|we|our|us|i am|i'm|diese?[rs]?|wir|unsere?|ce|cette|nous|notre|este|esta|nuestr[ao]|questo|questa)\b` +
			`|\b(?:site|website|blog|wiki|guide|app|project) (?:is|are|has|have)\b|^(?:not|no|unofficial|unaffiliated|in)\b|эт(?:о|а|от)|^неофициальн`)
	aboutAnother = lazyregexp.New(`(?i)\b(?:he|she|they|who)\b.{0,30}\bnot\b`)
)

// Affiliation returns the page's own words that it is unofficial or belongs to nobody it may be taken for, from the
// whole visible page: they stand in headers and footers.
func Affiliation(title string, blocks []Block) string {
	if ownWords.MatchString(title) {
		return text.Prefix(title, 300)
	}
	for _, b := range blocks {
		if b.Kind == Code || len(b.Text) > 20_000 || !mayDisclaim(b.Text) {
			continue
		}
		for _, s := range text.Sentences(b.Text) {
			sentence := strings.TrimLeft(b.Text[s.Start:s.End], "-*•0123456789. ")
			if len(sentence) <= 400 && disclaims(sentence) {
				return sentence
			}
		}
	}
	return ""
}

// signs are in nearly every text that the patterns find; a found sentence has one of them or of moreSigns.
var (
	signs = []string{"offici", "offizi", "oficial", "ufficial", "офици", "affiliat", "endorse", "sponsor",
		"independent",
		"associated", "connected", "operated", "authori", "verbindung", "not own", "not run", "not maintained", "fan"}
	moreSigns = []string{"affili", "afiliad", "owned by", "run by", "maintained by", "approved by"}
)

// mayDisclaim is a quick look that spares nearly every block the patterns.
func mayDisclaim(s string) bool { return hasAny(strings.ToLower(s), signs) }

func hasAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}

func disclaims(sentence string) bool {
	if lower := strings.ToLower(sentence); !hasAny(lower, signs) && !hasAny(lower, moreSigns) {
		return false
	}
	if ownWords.MatchString(sentence) {
		return true
	}
	if !speaksOfItself.MatchString(sentence) || aboutAnother.MatchString(sentence) {
		return false
	}
	return relation.MatchString(sentence) || standing.MatchString(sentence) &&
		(aboutSite.MatchString(sentence) || strings.Contains(sentence, "офици"))
}
