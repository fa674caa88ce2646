// Command answer answers a question from the files of a folder: no network, no key, no
// model. Every finding is quoted from a file, with the place that it stands at.
//
//	go run ./answer FOLDER QUESTION
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/library"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/search"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store/sqlite"
)

func main() {
	extract.Main() // PDFs are read by a child process without files and network
	if len(os.Args) != 3 {
		log.Fatal("usage: answer FOLDER QUESTION")
	}
	if err := answer(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func answer(ctx context.Context, out io.Writer, folder, question string) error {
	data, err := os.MkdirTemp("", "answer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data) // keep the folder, and the next run reads only what has changed
	db, err := sqlite.Open(ctx, data, sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	kept := db.Tenant("")
	web := fetch.New(fetch.Options{})
	defer web.Close()
	reader := extract.New(extract.Options{})

	index := library.New(library.Options{Fetcher: web, Extract: reader.Extract, Reader: extract.Version, Store: kept})
	summary, err := index.Index(ctx, []string{folder}, func(e library.Event) {
		if e.Err != nil {
			fmt.Fprintf(out, "passed over: %s: %v\n", e.URL, e.Err)
		}
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d documents are indexed\n\n", summary.Indexed)

	local, err := provider.New("local", provider.Deps{Texts: kept})
	if err != nil {
		return err
	}
	writer := brief.New(brief.Options{Providers: []search.Provider{local}, Fetcher: web, Extract: reader.Extract,
		Archive: kept})
	b, err := writer.Write(ctx, brief.Request{Query: citewell.Query{Text: question}})
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, report.Markdown(b, report.Options{Compact: true}))
	return err
}
