package text_test

import (
	"fmt"

	"github.com/citewell/citewell/internal/text"
)

func ExampleSentences() {
	const said = "It cost 3.5 million. Who paid? The harbour board."
	for _, s := range text.Sentences(said) {
		fmt.Printf("%d-%d %s\n", s.Start, s.End, said[s.Start:s.End])
	}
	// Output:
	// 0-20 It cost 3.5 million.
	// 21-30 Who paid?
	// 31-49 The harbour board.
}

func ExampleTerms() {
	fmt.Println(text.Terms("The lighthouses were painted in 1871", "en"))
	// Output: [lighthous paint 1871]
}

func ExampleLanguage() {
	fmt.Printf("%q %q\n", text.Language("Die Museen sind am Montag nicht geöffnet, aber am Dienstag."),
		text.Language("Hallvik"))
	// Output: "de" ""
}
