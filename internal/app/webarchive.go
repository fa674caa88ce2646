package app

import (
	"context"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/doctor"
)

// Values of fetch.archive.use; the fourth, fetch, is what is left.
const (
	archiveOff    = "off"
	archiveAsked  = "asked"
	archiveSearch = "search"
)

// webArchive is where copies of pages that are gone are looked for; nil where nobody may.
func webArchive(c config.Archive) (*fetch.Archive, error) {
	if c.Use == archiveOff {
		return nil, nil
	}
	return fetch.NewArchive(fetch.ArchiveOptions{BaseURL: c.BaseURL, Rate: c.Rate, OnlyAsked: c.Use == archiveAsked})
}

// readsCopies says whether they are looked for where a search's results are read.
func (a *App) readsCopies() bool { return a.Config.Fetch.Archive.Use == archiveSearch }

// archiveProbe looks up a page that every archive of the web has.
func (a *App) archiveProbe() doctor.Probe {
	const address = "https://example.com/"
	p := doctor.Probe{Part: "archive", Name: "wayback"}
	if a.Config.Fetch.Archive.Use == archiveOff {
		p.Off = "fetch.archive.use is off; a page that is gone is not looked for elsewhere"
		return p
	}
	p.Try = func(ctx context.Context) (doctor.Answer, error) {
		found, err := a.Fetch.LookUp(ctx, address, time.Time{})
		if err != nil { // pages that are there are read without
			return doctor.Answer{Doubt: citewell.View(err).Message + ", so pages that are gone stay gone", Hint: "fetch.archive.base_url is where it is; fetch.archive.use: off asks nobody"}, nil
		}
		return doctor.Answer{Detail: "the newest copy of " + address + " is of " + found.Date()}, nil
	}
	return p
}
