package cite

import (
	"fmt"
)

// A Problem is one thing that does not hold. Code is one word for a program.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// The codes of problems: first those that Hold finds with a claim.
const (
	ProblemNumber       = "unknown_number" // the claim cites a number that no source has
	ProblemUncited      = "uncited"        // the claim has no citation
	ProblemFigure       = "figure"         // a figure or date of the claim is in none of its passages
	ProblemQuote        = "quote"          // the quoted words are not the source's
	ProblemContradicted = "contradicted"   // what it cites says otherwise
	ProblemUnsupported  = "unsupported"    // what it cites does not say it
	ProblemNoText       = "no_text"        // nothing of what it cites could be read

	// What Verify finds changed, beside these.

	ProblemSchema     = "schema"      // the brief is of another schema
	ProblemSource     = "source"      // the number names no source, or not the passage's
	ProblemSourceData = "source_data" // URL or time of the source is not what was recorded
	ProblemPassage    = "passage"     // nobody minted that passage id for this brief
	ProblemSpan       = "span"        // the span lies outside its passage or text
	ProblemHash       = "hash"        // a hash is not the one recorded, or the stored bytes do not have it
	ProblemSnapshot   = "snapshot"    // the stored page or text is gone
	ProblemStatement  = "statement"   // the statement is not the one that was written
	ProblemVerdict    = "verdict"     // the statement is not supported as the brief says
	ProblemChanged    = "changed"     // something else of the brief is not as it was written
)

// A wording is how a reader is told of a problem.
type wording struct{ code, format string }

func (w wording) of(args ...any) Problem { return Problem{w.code, fmt.Sprintf(w.format, args...)} }

// What may be wrong with a claim, and how it is said in a brief, a report and Verify.
var (
	sayNumber     = wording{ProblemNumber, "no source has the number %s; there are %d"}
	sayUncited    = wording{ProblemUncited, "it states a fact without a source's number [n] in the sentence"}
	sayBare       = wording{ProblemUncited, "the statement has no citation"}
	sayFigure     = wording{ProblemFigure, "%s stands in none of the cited sources"}
	sayQuote      = wording{ProblemQuote, "the cited source does not say “%s” in these words"}
	sayOtherwise  = wording{ProblemContradicted, "the cited source says otherwise: %s"}
	sayUnread     = wording{ProblemNoText, "the cited source could not be read, and there is no snippet of it"}
	sayPartUnread = wording{ProblemNoText, "one of the cited sources could not be read, and there is no snippet of it"}
	sayNothing    = wording{ProblemUnsupported, "the cited source does not say it: %s"}
)

// Why a citation has its verdict, where that is more than what its words are found to say.
const (
	reasonSnippet = "a provider's words, since the page could not be read"
)
