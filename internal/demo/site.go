package demo

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed web
var pageFiles embed.FS

// A site is one host with its pages, rendered.
type site struct {
	Host, Name, Tagline, Lang string
	URL                       string // without a slash at the end
	Nav                       []link
	Pages                     []*page // by path
	byPath                    map[string]*page
	redirects                 map[string]redirect
	listed                    []listing
	robots                    []byte // nil where the site has none
	charset                   string
	layout                    *template.Template
}

// A page is one source file. The exported fields and methods are what layouts use.
type page struct {
	Site                             *site
	Path, URL                        string
	Title, Description, Author, Lang string
	Date, Modified                   time.Time
	listedDate                       bool
	slow                             bool
	copyOf                           string // SITE/PATH
	source                           string
	plain                            string
	html                             []byte // the whole page as it is sent
}

type link struct{ URL, Label string }

type redirect struct {
	status int
	target string
}

// A listing is a search result without a page behind it.
type listing struct{ path, title, text string }

// Front says whether p is its site's front page.
func (p *page) Front() bool { return p.Path == "/" }

// Day formats the page's date, and gives nothing for a page without one.
func (p *page) Day(layout string) string { return day(p.Date, layout) }

// ModifiedDay formats the day of the last change.
func (p *page) ModifiedDay(layout string) string { return day(p.Modified, layout) }

func day(t time.Time, layout string) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}

// Recent lists the other pages of the site, newest first and undated ones last.
func (p *page) Recent() []*page {
	var others []*page
	for _, other := range p.Site.Pages {
		if other != p && !other.Front() {
			others = append(others, other)
		}
	}
	slices.SortStableFunc(others, func(a, b *page) int { return b.Date.Compare(a.Date) })
	return others
}

// siteURL is the address of the site of that name, without a slash at the end.
func siteURL(name, port string) string { return "http://" + name + hostSuffix + ":" + port }

// loadSites reads every folder of web/ and renders its pages for a port.
func loadSites(files fs.FS, port string) ([]*site, error) {
	folders, err := fs.ReadDir(files, "web")
	if err != nil {
		return nil, err
	}
	var sites []*site
	sources := map[string]string{} // bodies by SITE/PATH, for copies
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		s, err := loadSite(files, folder.Name(), port)
		if err != nil {
			return nil, fmt.Errorf("web/%s: %w", folder.Name(), err)
		}
		for _, p := range s.Pages {
			sources[folder.Name()+p.Path] = p.source
		}
		sites = append(sites, s)
	}
	for _, s := range sites {
		for _, p := range s.Pages {
			if p.copyOf != "" {
				p.source += "\n" + sources[p.copyOf]
			}
			if err := p.render(port); err != nil {
				return nil, fmt.Errorf("%s: %w", p.URL, err)
			}
		}
	}
	return sites, nil
}

func loadSite(files fs.FS, name, port string) (*site, error) {
	folder := path.Join("web", name)
	conf, err := fs.ReadFile(files, path.Join(folder, "site.conf"))
	if err != nil {
		return nil, err
	}
	f, _, err := parseFields(strings.TrimSpace(string(conf)), "name", "tagline", "lang", "charset", "nav",
		"redirect", "listed")
	if err != nil {
		return nil, fmt.Errorf("site.conf: %w", err)
	}
	s := &site{
		Host: name + hostSuffix, Name: f.get("name"), Tagline: f.get("tagline"),
		Lang: cmp.Or(f.get("lang"), "en"), charset: cmp.Or(f.get("charset"), "utf-8"),
		URL: siteURL(name, port), byPath: map[string]*page{}, redirects: map[string]redirect{},
	}
	if err := s.configure(f, port); err != nil {
		return nil, fmt.Errorf("site.conf: %w", err)
	}
	if s.layout, err = template.ParseFS(files, "web/shared.html", path.Join(folder, "layout.html")); err != nil {
		return nil, err
	}
	if s.robots, err = fs.ReadFile(files, path.Join(folder, "robots.txt")); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	err = fs.WalkDir(files, folder, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".md") {
			return err
		}
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		p, err := parsePage(s, strings.TrimSuffix(strings.TrimPrefix(file, folder), ".md"), string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		s.Pages, s.byPath[p.Path] = append(s.Pages, p), p
		return nil
	})
	slices.SortFunc(s.Pages, func(a, b *page) int { return cmp.Compare(a.Path, b.Path) })
	return s, err
}

// configure reads the keys of site.conf that come many times.
func (s *site) configure(f fields, port string) error {
	for _, line := range f["nav"] {
		at, label, ok := strings.Cut(line, " ")
		if !ok {
			return fmt.Errorf("nav %q wants PATH LABEL", line)
		}
		s.Nav = append(s.Nav, link{s.link(at, port), label})
	}
	for _, line := range f["redirect"] {
		parts := strings.Fields(line)
		if len(parts) != 3 {
			return fmt.Errorf("redirect %q wants STATUS PATH TARGET", line)
		}
		status, err := strconv.Atoi(parts[0])
		if err != nil {
			return fmt.Errorf("redirect %q: %w", line, err)
		}
		s.redirects[parts[1]] = redirect{status, s.link(parts[2], port)}
	}
	for _, line := range f["listed"] {
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			return fmt.Errorf("listed %q wants PATH | TITLE | TEXT", line)
		}
		s.listed = append(s.listed, listing{parts[0], parts[1], parts[2]})
	}
	return nil
}

// link makes a URL of a page source absolute where it leads to another site.
func (s *site) link(target, port string) string {
	rest, ok := strings.CutPrefix(target, "site:")
	if !ok {
		return target
	}
	host, at, _ := strings.Cut(rest, "/")
	return siteURL(host, port) + "/" + at
}

func parsePage(s *site, at, text string) (*page, error) {
	f, source, err := parseFields(text, "title", "description", "author", "lang", "date", "modified", "listed-date",
		"slow", "copy")
	if err != nil {
		return nil, err
	}
	if at == "/index" {
		at = "/"
	}
	p := &page{
		Site: s, Path: at, URL: s.URL + at, Title: f.get("title"), Description: f.get("description"),
		Author: f.get("author"), Lang: cmp.Or(f.get("lang"), s.Lang), source: source,
		listedDate: f.get("listed-date") != "no", slow: f.get("slow") == "yes", copyOf: f.get("copy"),
	}
	if p.Title == "" || p.Description == "" {
		return nil, errors.New("a page needs a title and a description")
	}
	for key, into := range map[string]*time.Time{"date": &p.Date, "modified": &p.Modified} {
		if v := f.get(key); v != "" {
			if *into, err = time.Parse(time.DateOnly, v); err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	return p, nil
}
