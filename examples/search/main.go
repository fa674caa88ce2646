// Command search asks the web through providers that have a key, reads the best pages,
// and writes a brief whose citations can be checked.
//
//	TAVILY_API_KEY=... go run ./search QUESTION
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/report"
	"github.com/citewell/citewell/search/provider"
	"github.com/citewell/citewell/store/sqlite"
)

func main() {
	extract.Main() // PDFs are read by a child process without files and network
	if len(os.Args) != 2 {
		log.Fatal("usage: search QUESTION")
	}
	settings := map[string]provider.Settings{
		"tavily": {APIKey: citewell.NewSecret(os.Getenv("TAVILY_API_KEY"))},
		"brave":  {APIKey: citewell.NewSecret(os.Getenv("BRAVE_API_KEY"))},
	}
	if err := ask(context.Background(), os.Stdout, egress.Default(), settings, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// ask writes what the configured providers and the pages that they name say. Each
// connection goes through guard, which judges the address as the socket connects: a page
// cannot lead into a private network.
func ask(ctx context.Context, out io.Writer, guard *egress.Guard, settings map[string]provider.Settings,
	question string) error {
	providers, err := provider.All(provider.Deps{Guard: guard, Settings: settings})
	if err != nil { // the others can still answer
		fmt.Fprintln(out, "left out:", err)
	}
	data, err := os.MkdirTemp("", "search-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data) // keep the folder, and `report.Parse` and `cite.Verify` check the brief years later
	db, err := sqlite.Open(ctx, data, sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	web := fetch.New(fetch.Options{Guard: guard})
	defer web.Close()

	writer := brief.New(brief.Options{Providers: providers, Fetcher: web,
		Extract: extract.New(extract.Options{}).Extract, Archive: db.Tenant("")})
	b, err := writer.Write(ctx, brief.Request{Query: citewell.Query{Text: question}, Depth: 3})
	if known, ok := errors.AsType[*citewell.Error](err); ok && known.Code == citewell.CodeAllProvidersFailed {
		fmt.Fprintln(out, "no provider answered; the coverage below says why")
	} else if err != nil {
		return err
	}
	_, err = io.WriteString(out, report.Markdown(b, report.Options{Verification: true}))
	return err
}
