package citewell

import (
	"fmt"
	"strings"
)

// A JudgeReport says how far the judge of a brief or a report is believed: code plants statements
// whose truth it knows among those that the judge is asked about, and counts over the last forty of
// each kind.
type JudgeReport struct {
	Name       string `json:"name" jsonschema:"judge NAME, as in by"`
	Falsehoods int    `json:"falsehoods" jsonschema:"planted statements that are false"`
	Passed     int    `json:"passed" jsonschema:"of them those that the judge called supported"`
	Truths     int    `json:"truths" jsonschema:"planted statements that are true"`
	Refused    int    `json:"refused" jsonschema:"of them those that the judge did not call supported"`
	Believed   bool   `json:"believed" jsonschema:"false where the judge failed too many, so that words decide"`
	Detail     string `json:"detail,omitempty" jsonschema:"why statements that the judge was asked about have the verdict of words"`
}

// Score says in words how the judge did.
func (j JudgeReport) Score() string {
	if j.Falsehoods+j.Truths == 0 {
		return "was not examined yet"
	}
	return fmt.Sprintf("let %d of %d planted falsehoods pass and refused %d of %d planted truths",
		j.Passed, j.Falsehoods, j.Refused, j.Truths)
}

// Line is the report in one line, to stand behind "Judge:": the judge's bare name, its score with what
// that counts, and whether it is believed.
func (j JudgeReport) Line() string {
	line := strings.TrimPrefix(j.Name, "judge ") + " " + j.Score()
	if j.Falsehoods+j.Truths > 0 {
		line += " (statements whose truth is known, over the judge's last calls, not this text's alone)"
	}
	switch {
	case !j.Believed:
		return line + "; it is not believed, and words decide"
	case j.Detail != "":
		return line + "; not all was judged: " + j.Detail
	}
	return line
}
