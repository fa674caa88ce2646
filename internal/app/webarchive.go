package app

import (
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/config"
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
