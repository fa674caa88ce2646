// Command check says what words, figures, dates and denials tell of a statement beside a text:
// no model, the same answer every time. What they cannot tell is undecided.
//
//	go run ./check CLAIM < TEXT
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/extract"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: check CLAIM < TEXT")
	}
	evidence, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	check(os.Stdout, os.Args[1], string(evidence))
}

func check(out io.Writer, claim, evidence string) {
	source := citewell.Document{Text: evidence}
	held := cite.Hold(cite.Claim{Text: claim, Sources: 1, Evidence: []cite.Evidence{
		{Text: evidence, Passages: extract.Passages(source)},
	}})
	for _, c := range held.Citations {
		fmt.Fprintf(out, "%s: %s\n", c.Verdict, c.Reason)
	}
	for _, missing := range held.Missing {
		fmt.Fprintf(out, "the text does not state %s\n", missing)
	}
}
