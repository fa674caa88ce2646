package bench

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/weburl"
)

// A CitationCount is what checking all citations of an answer found. None of it leans on what the agent's own check
// said: passages are looked up in the store, statements are held against the stored text, and addresses and numbers are
// read from the text that came out.
type CitationCount struct {
	Total    int                      `json:"total"`
	Invented int                      `json:"invented"` // their passage, number or address is no source's
	Failing  int                      `json:"failing"`  // their quote, span, hash, figure or verdict does not hold
	Verdicts map[citewell.Verdict]int `json:"verdicts"` // of those that are not invented, by words
	What     []string                 `json:"what,omitempty"`
}

// maxWhat bounds how many of the invented are named.
const maxWhat = 20

func (c *CitationCount) invent(what string) {
	c.Total++
	c.Invented++
	if len(c.What) < maxWhat {
		c.What = append(c.What, what)
	}
}

func (c *CitationCount) add(d CitationCount) {
	c.Total, c.Invented, c.Failing = c.Total+d.Total, c.Invented+d.Invented, c.Failing+d.Failing
	for verdict, n := range d.Verdicts {
		c.Verdicts[verdict] += n
	}
}

var (
	addressForm = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>()\[\]{}"'“”„«»` + "`" + `]+`)
	numberForm  = regexp.MustCompile(`\[(\d{1,3})\]`)
)

// countCitations checks what an answer cites.
func countCitations(ctx context.Context, archive cite.Archive, question string, a Attempt) (CitationCount, error) {
	count := CitationCount{Verdicts: map[citewell.Verdict]int{}}
	if a.Brief != nil {
		if err := count.check(ctx, archive, *a.Brief); err != nil {
			return count, err
		}
	}
	for _, t := range a.Texts {
		for _, number := range numberForm.FindAllStringSubmatch(t.Text, -1) {
			n, _ := strconv.Atoi(number[1])
			if !slices.ContainsFunc(t.Sources, func(s citewell.Source) bool { return s.N == n }) {
				count.invent(fmt.Sprintf("[%d] is no source", n))
			}
		}
		for _, address := range addressForm.FindAllString(t.Text, -1) {
			address = strings.TrimRight(address, ".,;:!?*_")
			if !strings.Contains(question, address) && !isSource(address, t.Sources) {
				count.invent(address + " is no source")
			}
		}
	}
	return count, nil
}

// check holds every citation against the store.
func (c *CitationCount) check(ctx context.Context, archive cite.Archive, b citewell.Brief) error {
	v, err := cite.Verify(ctx, b, archive)
	if err != nil {
		return err
	}
	for _, checked := range v.Citations {
		if checked.Passage == "" && checked.N == 0 { // a statement that cites nothing
			c.Failing++
			continue
		}
		minted, err := archive.Passage(ctx, checked.Passage)
		if err != nil && citewell.CodeOf(err) != citewell.CodeNotFound {
			return err
		}
		noSource := !slices.ContainsFunc(b.Sources, func(s citewell.Source) bool { return s.N == checked.N })
		if err != nil || minted.Brief != b.ID || noSource {
			c.invent(fmt.Sprintf("passage %.40s of [%d] is not in the store", checked.Passage, checked.N))
			continue
		}
		c.Total++
		c.Verdicts[checked.Verdict]++
		if !checked.OK {
			c.Failing++
		}
	}
	return nil
}

func isSource(address string, sources []citewell.Source) bool {
	if !strings.Contains(address, "://") {
		address = "https://" + address
	}
	key := weburl.Canonical(address)
	return slices.ContainsFunc(sources, func(s citewell.Source) bool {
		return weburl.Canonical(s.URL) == key || s.FinalURL != "" && weburl.Canonical(s.FinalURL) == key
	})
}
