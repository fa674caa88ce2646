package demo

import (
	"bytes"
	"fmt"
	"html/template"
)

// A view is what a layout is given.
type view struct {
	*page
	Body    template.HTML
	Missing bool // the page that was asked for is not there
}

// render makes the page's HTML and plain text; every page has its own.
func (p *page) render(port string) error {
	b, err := render(p.source, func(target string) string { return p.Site.link(target, port) })
	if err != nil {
		return err
	}
	p.plain = b.plain
	p.html, err = p.Site.execute(view{page: p, Body: template.HTML(b.html)})
	return err
}

// notFound is the site's page for a path it does not have.
func (s *site) notFound(path string) []byte {
	text := "There is nothing at this address. It may have been moved or deleted."
	if s.Lang == "de" {
		text = "Unter dieser Adresse gibt es nichts. Die Seite wurde verschoben oder gelöscht."
	}
	p := &page{Site: s, Path: path, URL: s.URL + path, Title: "404", Description: text, Lang: s.Lang}
	out, err := s.execute(view{page: p, Body: template.HTML("<p>" + text + "</p>"), Missing: true})
	if err != nil { // the layout has rendered every page of the site before
		return []byte(text)
	}
	return out
}

func (s *site) execute(v view) ([]byte, error) {
	var out bytes.Buffer
	if err := s.layout.ExecuteTemplate(&out, "layout.html", v); err != nil {
		return nil, err
	}
	if s.charset == "iso-8859-1" {
		return latin1(out.String()), nil
	}
	return out.Bytes(), nil
}

// latin1 encodes HTML as ISO 8859-1; what that lacks becomes a character reference.
func latin1(s string) []byte {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r < 0x80 || r >= 0xa0 && r <= 0xff {
			out = append(out, byte(r))
		} else {
			out = fmt.Appendf(out, "&#%d;", r)
		}
	}
	return out
}
