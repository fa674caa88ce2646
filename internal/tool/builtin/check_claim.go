package builtin

import (
	"context"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

func init() {
	definitions.Add("", "check_claim", func(p Parts) *tool.Tool { return newCheckClaim(p.Pages, p.Kept, p.Judge) })
}

type checkClaimInput struct {
	Claim    string `json:"claim" jsonschema:"one sentence" bounds:"1..4000"`
	Evidence string `json:"evidence,omitempty" jsonschema:"the text; or url, or run_id"`
	URL      string `json:"url,omitempty"`
	RunID    string `json:"run_id,omitempty" jsonschema:"of a run or brief" bounds:"0..200"`
	Title    string `json:"title,omitempty" jsonschema:"of the evidence; says who \"it\" is" bounds:"0..1000"`
}

type checkClaimOutput struct{ claim.Checked }

// Text is the verdict as a model reads it.
func (o checkClaimOutput) Text() string {
	said := fmt.Sprintf("%s: %s", o.Verdict, o.Reason)
	if o.Quote != "" && len(o.Sentences) == 0 {
		said += fmt.Sprintf("\nQuote: “%s”", text.OneLine(o.Quote))
	}
	if o.Source != nil {
		said += fmt.Sprintf("\nSource: %s %s", text.OneLine(o.Source.Title), o.Source.URL)
		if o.Source.Captions != "" {
			said += fmt.Sprintf("\nSaid in its recording, %s: %s", o.Where, o.Source.Captions)
		}
	}
	if len(o.Sentences) > 0 {
		said += "\nNobody has judged what these sentences mean for the claim. Judge yourself:"
		for i, s := range o.Sentences {
			said += fmt.Sprintf("\n%d. “%s”", i+1, text.OneLine(s.Text))
			if s.Columns != "" {
				said += fmt.Sprintf(" (a row of %s)", text.OneLine(s.Columns))
			}
			if s.URL != "" && (o.Source == nil || s.URL != o.Source.URL) {
				said += " " + s.URL
			}
		}
	}
	if o.Differs != "" {
		said += "\nDiffers in words: " + text.OneLine(o.Differs)
	}
	if o.Note != "" {
		said += "\nNote: " + text.OneLine(o.Note)
	}
	return said
}

// Links name the kept text behind the quote.
func (o checkClaimOutput) Links() []tool.Link {
	if o.Source == nil {
		return nil
	}
	return snapshotLinks([]citewell.Source{{Title: o.Source.Title, TextSHA256: o.Source.TextSHA256}})
}

func newCheckClaim(web Pages, kept claim.Kept, judge claim.Ask) *tool.Tool {
	return tool.New(tool.Spec{Name: "check_claim", Title: "Check a claim against a text", Unsourced: true,
		Description: tool.Description(descriptions, "check_claim"),
		Hints:       tool.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}},
		func(ctx context.Context, in checkClaimInput) (checkClaimOutput, error) {
			sources, err := web.sourcesOf(ctx, kept, in)
			if err != nil {
				return checkClaimOutput{}, err
			}
			checked, err := sources.Check(ctx, in.Claim, judge)
			return checkClaimOutput{checked}, err
		})
}

// sourcesOf gets what the claim is to be held against. A page that was read is kept.
func (web Pages) sourcesOf(ctx context.Context, kept claim.Kept, in checkClaimInput) (claim.Sources, error) {
	var named []string
	for _, argument := range [][2]string{{"evidence", in.Evidence}, {"url", in.URL}, {"run_id", in.RunID}} {
		if strings.TrimSpace(argument[1]) != "" {
			named = append(named, argument[0])
		}
	}
	switch {
	case len(named) != 1:
		message := "evidence is required, or url, or run_id"
		if len(named) > 1 {
			message = strings.Join(named, " and ") + " exclude each other"
		}
		return claim.Sources{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "check_claim", Message: message,
			Hint: "give the one text to check the claim against"}
	case named[0] == "evidence":
		return claim.OfEvidence(in.Evidence, in.Title), nil
	case named[0] == "run_id":
		if kept == nil {
			return claim.Sources{}, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "check_claim",
				Message: "there is no store that keeps runs", Hint: "give evidence or url"}
		}
		return claim.OfBrief(ctx, kept, strings.TrimSpace(in.RunID))
	}
	page, doc, err := web.readFor(ctx, strings.TrimSpace(in.URL), fetch.ArchiveWhenGone)
	if err != nil {
		return claim.Sources{}, err
	}
	return claim.OfPage(ctx, page, doc, func(ctx context.Context, address string) (citewell.Document, error) {
		_, said, err := web.readFor(ctx, address, fetch.ArchiveNever)
		return said, err
	}), nil
}

// readFor reads a page to hold a claim against, and keeps it.
func (web Pages) readFor(ctx context.Context, url string, archived fetch.ArchiveUse) (citewell.Page,
	citewell.Document, error) {
	page, err := web.Fetcher.Get(ctx, fetch.Request{URL: url, Timeout: claim.PageTimeout, Archived: archived})
	if err != nil {
		return page, citewell.Document{}, err
	}
	doc, err := web.Extract(ctx, page)
	if err == nil && web.Archive != nil {
		err = web.Archive.PutSnapshot(ctx, page, doc)
	}
	return page, doc, err
}
