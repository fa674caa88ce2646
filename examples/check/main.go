// Command check says whether a text bears a statement out, by words, figures, dates and
// negation: no model, the same answer every time.
//
//	go run ./check CLAIM < TEXT
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/citewell/citewell/cite"
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
	j := cite.Check(claim, evidence, "")
	fmt.Fprintf(out, "%s (%.2f): %s\n", j.Verdict, j.Score, j.Reason)
	for _, missing := range j.Missing {
		fmt.Fprintf(out, "the text does not state %s\n", missing)
	}
}
