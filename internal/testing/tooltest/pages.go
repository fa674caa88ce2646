package tooltest

import (
	"context"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
)

// A PageService is a service that reads pages: it knows some and keeps what it was asked.
type PageService struct {
	Texts map[string]string // by URL; others are not_found
	Err   error             // of every call, where there is one
	Asked [][]string
}

// Read is one call of the service.
func (s *PageService) Read(_ context.Context, urls []string) ([]services.PageText, error) {
	s.Asked = append(s.Asked, urls)
	if s.Err != nil {
		return nil, s.Err
	}
	var pages []services.PageText
	for _, u := range urls {
		p := services.PageText{URL: u, Text: s.Texts[u], ReadAt: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}
		if p.Text == "" {
			p.Err = &citewell.Error{Code: citewell.CodeNotFound, Message: "the service knows no such page"}
		}
		pages = append(pages, p)
	}
	return pages, nil
}
