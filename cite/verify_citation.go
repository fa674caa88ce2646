package cite

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/verbatim"
)

// exactly names the figure, date or quotation of a statement that the passages of its
// citations do not have, but for what the finding lists as unstated: a judge may have said that it
// follows, and words never do. Evidence has no passage where
// it was not found. Quotations are looked for where the whole text of each source is at hand.
func exactly(f citewell.Finding, evidence []Evidence, quotations bool) Problem {
	h := beginHolding(Claim{Text: f.Text, Evidence: evidence})
	for i, e := range evidence {
		if len(e.Passages) > 0 {
			p := e.Passages[0]
			s := span{of: i, passage: p, end: len(p.Text), words: h.read(rowsOf(p, h.said))}
			h.spans = append(h.spans, s)
		}
		quotations = quotations && e.Text != ""
	}
	if len(h.spans) == 0 {
		return Problem{}
	}
	h.missing = h.unstated()
	verbatim := func(s span) bool { return nearcopy.Verbatim(h.said, h.read(s.passage.Text)) }
	if !slices.ContainsFunc(f.Citations, supportedByWords) || slices.ContainsFunc(h.spans, verbatim) {
		h.missing = slices.DeleteFunc(h.missing, func(figure string) bool {
			return slices.Contains(f.Unstated, figure)
		})
	}
	if quote := h.misquoted(); quotations && quote != "" {
		return sayQuote.of(text.Shorten(quote, maxQuoteShown))
	} else if len(h.missing) > 0 {
		return sayFigure.of(strings.Join(h.missing, ", "))
	}
	return Problem{}
}

func supportedByWords(c citewell.Citation) bool {
	return c.Verdict == citewell.VerdictSupported && cmp.Or(c.By, ByWords) == ByWords
}

// restated is a finding as Hold takes it; nothing where none of its citations has its words.
func (r *verifier) restated(label string, f citewell.Finding, evidence []Evidence) []Restated {
	claim := Claim{Text: f.Text, Sources: len(r.brief.Sources)}
	for i, e := range evidence {
		c := f.Citations[i]
		if len(e.Passages) == 0 || c.Start < e.Passages[0].Start || c.End > e.Passages[0].End || c.Start >= c.End {
			continue
		}
		cited := e.Passages[0]
		e.Start, e.End, e.Snippet = c.Start-cited.Start, c.End-cited.Start, c.Verdict == citewell.VerdictSnippetOnly
		if source := r.source(c.N); source != nil {
			e.Title = source.Title
		}
		for _, p := range r.brief.Passages {
			if p.Source == c.N && p.ID != cited.ID {
				e.Passages = append(e.Passages, p)
			}
		}
		claim.Evidence = append(claim.Evidence, e)
	}
	if len(claim.Evidence) == 0 {
		return nil
	}
	return []Restated{{label, claim, f.Citations[Deciding(f.Citations)]}}
}

// verdicts are those that a citation may have.
var verdicts = []citewell.Verdict{citewell.VerdictSupported, citewell.VerdictPartly, citewell.VerdictContradicted,
	citewell.VerdictUnsupported, citewell.VerdictUndecided, citewell.VerdictSnippetOnly, citewell.VerdictNoSource}

const maxTold = 40 // bytes of a verdict that is none

// given copies the recorded verdict, its author and its time; made is the time of the brief. Anyone can write a
// judge's name into a file: only a store that keeps the citation confirms it.
func (c *Checked) given(cited citewell.Citation, kept *citewell.Citation, made time.Time) {
	if c.Basis == BasisNothing {
		return
	}
	c.Verdict, c.Reason, c.By, c.GivenAt = cited.Verdict, cited.Reason, cmp.Or(cited.By, ByWords), cited.JudgedAt
	switch {
	case !slices.Contains(verdicts, c.Verdict):
		c.add(ProblemVerdict, "%q is no verdict: the file was changed, or another build wrote it",
			text.Shorten(text.OneLine(string(c.Verdict)), maxTold))
		c.Verdict = ""
	case c.By == ByWords && c.Verdict == citewell.VerdictPartly:
		c.add(ProblemVerdict, "words never say that a source bears out a part")
	}
	if c.By == ByWords {
		c.GivenAt = made
	}
	if kept == nil && c.By != ByWords {
		c.Reason = strings.TrimPrefix(c.Reason+"; no store here confirms that "+c.By+" gave it", "; ")
	}
}

func (c *Checked) add(code, format string, args ...any) {
	c.Problems = append(c.Problems, Problem{code, fmt.Sprintf(format, args...)})
}

// citation checks one citation and returns its passage as evidence, where it has one.
func (r *verifier) citation(ctx context.Context, label string, cited citewell.Citation) (Checked, Evidence, error) {
	c := Checked{Statement: label, N: cited.N, Passage: cited.Passage, Start: cited.Start, End: cited.End,
		Quote: cited.Quote, Basis: BasisNothing,
		Verdict: citewell.VerdictNoSource, Reason: "there are no words to compare"}
	source := r.source(cited.N)
	if source == nil {
		c.add(ProblemSource, "no source has number %d", cited.N)
	} else {
		c.URL = cmp.Or(source.FinalURL, source.URL)
	}
	if r.archive == nil {
		evidence := r.inFile(&c)
		c.columns(cited.Columns, evidence)
		return c, evidence, nil
	}
	evidence, err := r.inArchive(ctx, &c, source)
	c.columns(cited.Columns, evidence)
	return c, evidence, err
}

// columns checks that what is shown as the names of a row's columns stands in the source,
// where that is kept, and is what the passage was cut with.
func (c *Checked) columns(shown string, e Evidence) {
	if shown == "" || len(e.Passages) == 0 {
		return
	}
	p := e.Passages[0]
	if shown != p.Columns || e.Text != "" && !strings.Contains(e.Text[:p.End], shown) {
		c.add(ProblemQuote, "the columns of that table are %.300q", p.Columns)
	}
}

// inFile checks c against the passages that the brief carries itself.
func (r *verifier) inFile(c *Checked) Evidence {
	for _, p := range r.brief.Passages {
		if p.ID != c.Passage || p.ID == "" {
			continue
		}
		c.Basis = BasisFile
		if p.Source != c.N {
			c.add(ProblemSource, "the passage belongs to source %d, not %d", p.Source, c.N)
		}
		if p.Start < 0 || p.End < p.Start || p.End-p.Start != len(p.Text) {
			c.add(ProblemSpan, "the passage has %d bytes and the span %d to %d", len(p.Text), p.Start, p.End)
			return Evidence{}
		}
		c.span(p, p.Text, p.Start)
		return Evidence{Passages: []citewell.Passage{p}}
	}
	c.add(ProblemPassage, "the file has no passage with that id, and no store that knows this brief is at hand")
	return Evidence{}
}

// inArchive checks c against what the ledger minted and the snapshot says.
func (r *verifier) inArchive(ctx context.Context, c *Checked, source *citewell.Source) (Evidence, error) {
	record, err := r.archive.Passage(ctx, c.Passage)
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		c.add(ProblemPassage, "nobody minted a passage with that id")
		return Evidence{}, nil
	} else if err != nil {
		return Evidence{}, fmt.Errorf("cite.verify passage: %w", err)
	}
	if record.Brief != r.brief.ID {
		c.add(ProblemPassage, "the passage was minted for another brief")
		return Evidence{}, nil
	}
	if record.Source.N != c.N {
		c.add(ProblemSource, "the passage belongs to source %d, not %d", record.Source.N, c.N)
	} else if source != nil {
		c.sameSource(*source, record.Source)
	}
	c.URL = cmp.Or(record.Source.FinalURL, record.Source.URL)
	for _, p := range r.brief.Passages {
		if p.ID == record.Passage.ID && (p.Text != record.Passage.Text || p.Start != record.Passage.Start ||
			p.End != record.Passage.End || p.Source != record.Passage.Source) {
			c.add(ProblemPassage, "the file's copy of the passage is not the one that was stored")
		}
	}
	stored, err := r.blob(ctx, record.Source.TextSHA256)
	if err != nil {
		return Evidence{}, err
	}
	if stored.problem != nil {
		c.Problems = append(c.Problems, *stored.problem)
		return Evidence{}, nil
	}
	c.Basis = BasisSnapshot
	p := record.Passage
	if p.Start < 0 || p.End > len(stored.text) || p.Start >= p.End || stored.text[p.Start:p.End] != p.Text {
		c.add(ProblemSpan, "the stored passage is not a span of the stored text")
		return Evidence{}, nil
	}
	c.span(p, stored.text, 0)
	if page := record.Source.PageSHA256; page != "" {
		raw, err := r.blob(ctx, page)
		if err != nil {
			return Evidence{}, err
		}
		if raw.problem != nil {
			c.Problems = append(c.Problems, *raw.problem)
		}
	}
	return Evidence{Passages: []citewell.Passage{p}, Text: stored.text}, nil
}

// span checks that the citation lies in passage p and that its quote is exactly
// those bytes of body, whose first byte has offset base in the source's text.
func (c *Checked) span(p citewell.Passage, body string, base int) {
	switch {
	case c.Start < p.Start || c.End > p.End || c.Start >= c.End:
		c.add(ProblemSpan, "the span %d to %d lies outside its passage, %d to %d", c.Start, c.End, p.Start, p.End)
	case body[c.Start-base:c.End-base] == c.Quote:
	case !sameWords(body[c.Start-base:c.End-base], c.Quote):
		c.add(ProblemQuote, "the source says %.300q there", body[c.Start-base:c.End-base])
	}
}

// sameSource compares what the file says of a source with what was recorded. What
// the file leaves out, as Markdown does with hashes, is not compared.
func (c *Checked) sameSource(file, recorded citewell.Source) {
	for _, field := range []struct{ name, code, file, recorded string }{
		{"page_sha256", ProblemHash, file.PageSHA256, recorded.PageSHA256},
		{"text_sha256", ProblemHash, file.TextSHA256, recorded.TextSHA256},
		{"url", ProblemSourceData, file.URL, recorded.URL},
		{"final_url", ProblemSourceData, file.FinalURL, recorded.FinalURL},
		{"archived", ProblemSourceData, file.Archived.Warning(""), recorded.Archived.Warning("")},
	} {
		markdown := field.code == ProblemSourceData && (field.file == recorded.URL || field.file == recorded.FinalURL)
		if field.file != "" && field.file != field.recorded && !markdown {
			c.add(field.code, "%s of source %d is %.300s in the file and %.300s in the store", field.name, file.N,
				field.file, cmp.Or(field.recorded, "nothing"))
		}
	}
	if !file.FetchedAt.IsZero() && !file.FetchedAt.Equal(recorded.FetchedAt) {
		c.add(ProblemSourceData, "source %d was fetched at %s, not %s", file.N,
			recorded.FetchedAt.UTC().Format("2006-01-02 15:04:05"), file.FetchedAt.UTC().Format("2006-01-02 15:04:05"))
	}
}

// blob returns stored bytes, read once. Damage and loss are problems of the
// citation; anything else that keeps the store from answering is an error.
func (r *verifier) blob(ctx context.Context, hash string) (storedText, error) {
	if kept, ok := r.texts[hash]; ok {
		return kept, nil
	}
	var kept storedText
	body, err := r.archive.Blob(ctx, hash)
	switch {
	case err == nil && citewell.SHA256(body) != hash, citewell.CodeOf(err) == citewell.CodeStoreFailed:
		kept.problem = &Problem{ProblemHash, "the stored bytes cannot be read, or no longer have their hash"}
	case citewell.CodeOf(err) == citewell.CodeNotFound:
		kept.problem = &Problem{ProblemSnapshot, "the snapshot is not in the store"}
	case err != nil:
		return kept, fmt.Errorf("cite.verify snapshot: %w", err)
	default:
		kept.text = string(body)
	}
	r.texts[hash] = kept
	return kept, nil
}

// quotesItself says whether the statement is one of its own quotes, or lies in one.
func quotesItself(said string, citations []citewell.Citation) bool {
	return slices.ContainsFunc(citations, func(c citewell.Citation) bool {
		_, _, ok := verbatim.Locate(said, c.Quote)
		return ok
	})
}

func sameWords(a, b string) bool {
	return strings.TrimSpace(text.Normalize(a)) == strings.TrimSpace(text.Normalize(b))
}
