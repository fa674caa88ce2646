package agent

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/rank"
	"github.com/citewell/citewell/tool"
)

// checkStatement binds a sentence to the passages that support it best, and says what
// is wrong with it. A sentence without marks leans on what its paragraph cites, where
// that supports it.
func (r *run) checkStatement(s statement, paragraph []int, lang string) (citations []citewell.Citation, problem, detail string) {
	if len(s.marks) == 0 {
		if !s.factual() {
			return nil, "", ""
		}
		if citations, problem, _ = r.bind(s, paragraph, lang); problem == "" && len(citations) > 0 && sound(citations) {
			return citations, "", ""
		}
		return nil, problemUncited, "it states a fact without a source's number [n] in the sentence"
	}
	var unknown []string
	for _, n := range s.marks {
		if r.sources.number(n) == nil {
			unknown = append(unknown, fmt.Sprintf("[%d]", n))
		}
	}
	citations, problem, detail = r.bind(s, s.marks, lang)
	if len(unknown) > 0 {
		problem, detail = problemNumber, fmt.Sprintf("no source has the number %s; there are %d", strings.Join(unknown, ", "), len(r.sources.list))
	}
	return citations, problem, detail
}

func sound(citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool {
		return c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictSnippetOnly
	})
}

// bind finds the passages of the numbered sources that say the sentence.
func (r *run) bind(s statement, numbers []int, lang string) (citations []citewell.Citation, problem, detail string) {
	var evidence []citewell.Passage // the passages that are cited
	var others []citewell.Passage   // further candidates, for figures
	var whole []string              // the texts of the sources, for quotations
	silent := false
	seen := map[int]bool{}
	for _, n := range numbers {
		src := r.sources.number(n)
		if src == nil || seen[n] {
			continue
		}
		seen[n] = true
		if !src.settled || len(src.passages) == 0 {
			silent = true
			continue
		}
		near := nearest(s.claim, lang, src, candidates)
		c, at := bestOf(s.claim, lang, near)
		citations = append(citations, c)
		evidence = append(evidence, near[at])
		further := slices.Delete(slices.Clone(near), at, at+1)
		others = append(others, further[:min(len(further), furtherPassages)]...)
		whole = append(whole, src.doc.Text)
	}
	if len(citations) == 0 {
		if silent {
			return nil, problemNoText, "the cited source could not be read, and there is no snippet of it"
		}
		return nil, problemUnsupported, "no cited source is there to support it"
	}
	joined := cite.Check(s.claim, textOf(evidence), lang)
	for _, p := range others { // a figure may stand elsewhere in the same source
		if len(joined.Missing) == 0 || len(citations) >= 6 {
			break
		}
		if more := cite.Check(s.claim, textOf(append(evidence[:len(evidence):len(evidence)], p)), lang); len(more.Missing) < len(joined.Missing) {
			joined, evidence = more, append(evidence, p)
			c, _ := bestOf(s.claim, lang, []citewell.Passage{p})
			citations = append(citations, c)
		}
	}
	contradicted := ""
	for i := range citations {
		c := &citations[i]
		switch {
		case c.Verdict == citewell.VerdictContradicted && len(citations) > 1 && len(joined.Missing) == 0 && joined.Verdict != citewell.VerdictContradicted,
			c.Verdict == citewell.VerdictUnsupported && len(citations) > 1 && len(joined.Missing) == 0 && bearsPart(s.claim, evidence[i], lang):
			c.Verdict, c.Reason = citewell.VerdictWeak, "it bears out part of the statement"
		case c.Verdict == citewell.VerdictContradicted:
			contradicted = c.Reason
		}
		if r.sources.number(c.N).Extractor == snippetExtractor && (c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictWeak) {
			c.Verdict = citewell.VerdictSnippetOnly
		}
	}
	supported := slices.ContainsFunc(citations, func(c citewell.Citation) bool {
		return c.Verdict == citewell.VerdictSupported || c.Verdict == citewell.VerdictWeak || c.Verdict == citewell.VerdictSnippetOnly
	})
	for _, quote := range s.quotations() {
		if !slices.ContainsFunc(whole, func(text string) bool { return quotes(quote, text) }) {
			return citations, problemQuote, fmt.Sprintf("the cited source does not say “%s” in these words", tool.Shorten(quote, 120))
		}
		if slices.ContainsFunc(whole, func(text string) bool { return turned(s.claim, quote, text, lang) }) {
			return citations, problemContradicted, fmt.Sprintf("the cited source denies “%s” in the sentence that has these words", tool.Shorten(quote, 120))
		}
	}
	switch {
	case contradicted != "" && !supported:
		return citations, problemContradicted, "the cited source says otherwise: " + contradicted
	case len(joined.Missing) > 0:
		return citations, problemFigure, fmt.Sprintf("%s is in none of the cited passages", strings.Join(joined.Missing, ", "))
	case silent:
		return citations, problemNoText, "one of the cited sources could not be read, and there is no snippet of it"
	case !supported:
		return citations, problemUnsupported, "the cited source does not say it: " + citations[0].Reason
	}
	return citations, "", ""
}

// ellipsis is where a quotation leaves words out.
var ellipsis = regexp.MustCompile(`\s*(?:\[(?:…|\.{3})\]|…|\.{3})\s*`)

// quotes says whether a text has the words of a quotation: its first letter may be a
// small or a capital one, as the sentence around it wants, and it may leave words out.
func quotes(quote, text string) bool {
	for _, part := range ellipsis.Split(quote, -1) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		first, size := utf8.DecodeRuneInString(part)
		found := false
		for _, letter := range []rune{first, unicode.ToUpper(first), unicode.ToLower(first)} {
			_, at, ok := cite.Locate(string(letter)+part[size:], text)
			if found = found || ok; ok {
				text = text[at:]
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// turned says whether a quotation was cut out of a sentence that denies it, and the claim
// that quotes it says what the sentence denies. Of several places any other will do.
func turned(claim, quote, text, lang string) bool {
	denied := false
	for {
		start, end, ok := cite.Locate(quote, text)
		if !ok {
			return denied
		}
		from, to := cite.Whole(text, start, end)
		sentence := text[from:to]
		for _, said := range []string{quote, claim} {
			if cite.Check(said, sentence, lang).Verdict != citewell.VerdictContradicted {
				return false
			}
		}
		denied, text = true, text[to:]
	}
}

// bearsPart says whether a passage has something to do with a claim of which it does
// not state every figure.
func bearsPart(claim string, p citewell.Passage, lang string) bool {
	return cite.Check(claim, p.Text, lang).Score >= 0.15
}

// nearest are the passages of a source that have most to do with a claim; the first
// ones where none shares a word with it, as in another language.
func nearest(claim, lang string, s *source, most int) []citewell.Passage {
	var near []citewell.Passage
	for _, scored := range rank.Passages(claim, s.passages, rank.Options{Language: lang, Languages: func(int) string { return s.doc.Language }, Titles: func(int) string { return s.Title }}) {
		if len(near) < most {
			near = append(near, s.passages[scored.Index])
		}
	}
	if len(near) == 0 {
		near = s.passages[:min(len(s.passages), most)]
	}
	return near
}

// bestOf binds a claim to the best of passages; where none supports it, to the one
// with most of its words, so that a reader sees what was looked at.
func bestOf(claim, lang string, near []citewell.Passage) (citewell.Citation, int) {
	for _, c := range cite.Bind(claim, lang, near) {
		if at := slices.IndexFunc(near, func(p citewell.Passage) bool { return p.ID == c.Passage }); at >= 0 {
			return c, at
		}
	}
	best, score := 0, -1.0
	var found cite.Judgement
	for i, p := range near {
		if j := cite.Check(claim, p.Text, lang); j.Score > score {
			best, score, found = i, j.Score, j
		}
	}
	p := near[best]
	return citewell.Citation{N: p.Source, Passage: p.ID, Quote: p.Text, Start: p.Start, End: p.End, Verdict: found.Verdict, Reason: found.Reason, Judge: found.By}, best
}

func textOf(passages []citewell.Passage) string {
	var all strings.Builder
	for _, p := range passages {
		all.WriteString(p.Heading + "\n" + p.Text + "\n\n")
	}
	return all.String()
}
