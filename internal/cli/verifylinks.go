package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/links"
)

// linksChecked is the JSON form of a check of links.
type linksChecked struct {
	ID        string               `json:"id"`
	OK        bool                 `json:"ok"` // every cited page was asked and has the text it had
	Counts    map[links.Status]int `json:"counts"`
	Elsewhere int                  `json:"not_on_the_web"` // cited sources that are files, or what tools answered
	Links     []links.Link         `json:"links"`
}

// verifyLinks asks for each page that a brief or a report cites.
func (e *env) verifyLinks(ctx context.Context, a *app.App, f verified) error {
	if err := f.complete(ctx, a); err != nil {
		return err
	}
	p := e.newProgress("asking for the cited pages")
	asked := 0
	told := func(link links.Link) {
		asked++
		p.say(fmt.Sprintf("asked %s: %s", link.URL, link.Status))
		p.set(fmt.Sprintf("%s asked", count(asked, "page")))
	}
	list, elsewhere, err := links.Check(ctx, f.brief, a.Links(told))
	p.end()
	if err != nil {
		return err
	}
	checked := linksChecked{ID: f.brief.ID, OK: true, Counts: map[links.Status]int{}, Elsewhere: elsewhere, Links: list}
	if checked.Links == nil {
		checked.Links = []links.Link{}
	}
	for _, link := range list {
		checked.Counts[link.Status]++
		checked.OK = checked.OK && link.Status == links.Unchanged
	}
	if err := e.show(checked, func() error { return e.writeLinks(checked) }); err != nil {
		return err
	}
	switch {
	case checked.Counts[links.Gone]+checked.Counts[links.Changed]+checked.Counts[links.Moved] > 0:
		return alreadyShown{&citewell.Error{Code: citewell.CodeCitationsFailed}}
	case !checked.OK:
		return alreadyShown{&citewell.Error{Code: citewell.CodeRunIncomplete}}
	}
	return nil
}

// writeLinks says of each page in two or three lines what has become of it.
func (e *env) writeLinks(c linksChecked) error {
	for _, link := range c.Links {
		fmt.Fprintf(e.stdout, "%-12s [%d] %s\n", strings.ReplaceAll(string(link.Status), "_", " "), link.N,
			clean(link.URL))
		if link.MovedTo != "" {
			fmt.Fprintf(e.stdout, "%13sto %s\n", "", clean(link.MovedTo))
		}
		if link.SameText != nil && (!*link.SameText || link.Status != links.Unchanged) {
			fmt.Fprintf(e.stdout, "%13s%s\n", "", textNow(link))
		}
		if !link.Archived.IsZero() {
			fmt.Fprintf(e.stdout, "%13swhat is cited is an archived copy of %s\n", "", link.Archived.Date())
		}
		if link.Detail != "" {
			fmt.Fprintf(e.stdout, "%13s%s\n", "", clean(link.Detail))
		}
		for _, quote := range link.Lost {
			fmt.Fprintf(e.stdout, "%13snot there any more: “%s”\n", "", clean(quote))
		}
		if link.Status == links.Gone {
			near := ""
			if !link.Read.IsZero() {
				near = " --near " + link.Read.UTC().Format(time.DateOnly)
			}
			fmt.Fprintf(e.stdout, "%13san archive may have a copy: citewell fetch --archived%s URL\n", "", near)
		}
	}
	if len(c.Links) == 0 {
		_, err := fmt.Fprintln(e.stdout, "No source is on the web, so there is no page to ask for.")
		return err
	}
	var counts []string
	for _, status := range links.Statuses {
		if n := c.Counts[status]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(status), "_", " ")))
		}
	}
	if c.Elsewhere > 0 {
		counts = append(counts, count(c.Elsewhere, "cited source")+" not on the web")
	}
	_, err := fmt.Fprintf(e.stdout, "%s cited on the web: %s.\n", count(len(c.Links), "page"),
		strings.Join(counts, ", "))
	return err
}

func textNow(link links.Link) string {
	switch {
	case *link.SameText:
		return "the text is the same"
	case len(link.Lost) == 0:
		return fmt.Sprintf("the text is another, with %s that the report has of it",
			map[bool]string{true: "the quote", false: "all quotes"}[link.Quotes == 1])
	}
	return fmt.Sprintf("the text is another, without %d of %s", len(link.Lost), count(link.Quotes, "quote"))
}
