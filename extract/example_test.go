package extract_test

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
)

func ExampleExtractor_Extract() {
	page := citewell.Page{FinalURL: "https://hallvik.example/tower", ContentType: "text/html; charset=utf-8",
		Body: []byte("<title>The tower</title><nav>Home</nav><article><h1>The tower</h1><p>It was built in 1871 by " +
			"the harbour board, and is 48 metres high.</p></article>")}
	doc, err := extract.New(extract.Options{}).Extract(context.Background(), page)
	if err != nil {
		panic(err)
	}
	fmt.Println(doc.Title)
	fmt.Println(doc.Text)
	// Output:
	// The tower
	// The tower
	//
	// It was built in 1871 by the harbour board, and is 48 metres high.
}
