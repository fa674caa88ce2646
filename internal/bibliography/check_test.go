package bibliography

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/links"
	"github.com/citewell/citewell/search"
)

// A register has works by identifiers, and gives all of them to any words.
type register struct {
	name   string
	knows  search.Profile
	works  map[string]citewell.Result // by identifier
	fails  error
	onWord error // of searches by words alone
	onID   error // of look-ups

	mu    sync.Mutex
	asked []string
}

func (r *register) Name() string            { return r.name }
func (r *register) Profile() search.Profile { return r.knows }

func (r *register) Search(_ context.Context, q citewell.Query) ([]citewell.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, q.Text)
	if r.fails != nil {
		return nil, r.fails
	}
	if q.Identifier.Scheme != "" && r.onID != nil {
		return nil, r.onID
	}
	if q.Identifier.Scheme != "" {
		if work, ok := r.works[q.Identifier.String()]; ok {
			return []citewell.Result{work}, nil
		}
		return nil, nil
	}
	var all []citewell.Result
	for work := range maps.Values(r.works) {
		all = append(all, work)
	}
	return all, r.onWord
}

func work(title, author string, w citewell.Work) citewell.Result {
	w.Authors = []string{author}
	return citewell.Result{Title: title, URL: "https://doi.org/" + w.DOI, Provider: "papers", Work: &w}
}

func registers() (papers, books *register) {
	papers = &register{name: "papers", knows: search.Profile{
		Kinds: []search.Kind{search.KindScholarly}, Lookups: []string{
			citewell.SchemeDOI, citewell.SchemeArXiv, citewell.SchemePMID}, Place: 1},
		works: map[string]citewell.Result{
			"doi:10.5555/a": work("Tidal gates and the sediment of a northern sound", "Ada Crane",
				citewell.Work{DOI: "10.5555/a", Year: 2015, Kind: citewell.WorkArticle,
					Venue: "Journal of Marine Engineering"}),
			"doi:10.5555/b": work("Doubtful measurements of the depth of a well", "Ben Finch",
				citewell.Work{DOI: "10.5555/b", Year: 2016, Kind: citewell.WorkArticle,
					Retracted: citewell.WorkDoubted}),
			"arxiv:2401.00001": work("A preprint of lamps in coastal fog and what they tell", "Cora Heron",
				citewell.Work{ArXiv: "2401.00001", Year: 2024, Kind: citewell.WorkPreprint}),
		}}
	books = &register{name: "books", knows: search.Profile{
		Kinds: []search.Kind{search.KindBooks}, Lookups: []string{citewell.SchemeISBN}, Place: 1},
		works: map[string]citewell.Result{"isbn:9780306406157": work("A history of northern lights and of those who "+
			"kept them", "Dora Wren", citewell.Work{ISBN: "9780306406157", Year: 2001, Kind: citewell.WorkBook})}}
	return papers, books
}

// A web answers addresses by what is below them.
type web map[string]string // address → body; what is not there is gone

func (w web) Get(_ context.Context, r fetch.Request) (citewell.Page, error) {
	if body, ok := w[r.URL]; ok {
		return citewell.Page{Body: []byte(body)}, nil
	}
	return citewell.Page{}, w.failure()
}

func (w web) failure() error {
	if w["fails"] != "" {
		return &citewell.Error{Code: citewell.CodeTimeout, Message: "too slow"}
	}
	return &citewell.Error{Code: citewell.CodeDNSFailed, Message: "there is no such host"}
}

const tidal = "author = {Crane, Ada}, title = {Tidal gates and the sediment of a northern sound}, year = 2015"

func TestVerdicts(t *testing.T) {
	blocked := &citewell.Error{Code: citewell.CodeBlockedByProvider, Message: "no"}
	limited := &citewell.Error{Code: citewell.CodeRateLimited, Message: "slower"}
	resolver := func(code string) web {
		return web{resolver + "10.5555/zz": `{"responseCode":` + code + `}`, "fails": "yes"}
	}
	for name, test := range map[string]struct {
		entry   string
		papers  func(*register)
		web     web
		verdict Verdict
		says    string // in the reason or a note
	}{
		"as it is": {"@article{x, doi = {10.5555/a}, journal = {J. Mar. Eng.}, " + tidal + "}",
			nil, nil, Matches, "as papers has it"},
		"another journal": {"@article{x, doi = {10.5555/a}, journal = {Poultry Weekly}, " + tidal + "}",
			nil, nil, Different, "venue: “Poultry Weekly”"},
		"a DOI alone": {"@article{x, doi = {10.5555/a}}", nil, nil, Matches, ""},
		"a slip in the title": {"@article{x, doi = {10.5555/a}, author = {A. Crane}, title = {Tidal gates " +
			"and the sedment of a northern sound}}", nil, nil, Different, "title: "},
		"a slip without a DOI": {"@article{x, author = {A. Crane}, title = {Tidal gates and the sedment of " +
			"a northern sound}, year = 2015}", nil, nil, Different, "title: "},
		"an author too many": {"@article{x, doi = {10.5555/a}, author = {Crane, Ada and Bittern, Zoe}, " +
			"title = {Tidal gates and the sediment of a northern sound}}", nil, nil, Different,
			"authors: “Bittern, Zoe”"},
		"a year beside": {"@article{x, doi = {10.5555/a}, author = {Crane, Ada}, title = {Tidal " +
			"gates and the sediment of a northern sound}, year = 2016}", nil, nil, Matches, "may be of two years"},
		"the family name first": {"@article{x, doi = {10.5555/a}, author = {Crane Ada}, title = {Tidal gates " +
			"and the sediment of a northern sound}}", nil, nil, Matches, ""},
		"a concern": {"@article{x, doi = {10.5555/b}, title = {Doubtful measurements of the " +
			"depth of a well}}", nil, nil, Doubted, "expression of concern"},
		"a preprint": {"@misc{x, eprint = {2401.00001}, archiveprefix = {arXiv}, author = {Heron, " +
			"C.}, title = {A preprint of lamps in coastal fog and what they tell}, year = 2024}", nil, nil,
			Matches, ""},
		"an arXiv id of another": {"@misc{x, eprint = {2401.00001}, archiveprefix = {arXiv}, author = {Heron, " +
			"C.}, title = {Of eels}}", nil, nil, AnotherWork, "the arXiv id is that of “A preprint"},
		"a book": {"@book{x, isbn = {978-0-306-40615-7}, title = {A history of northern " +
			"lights and of those who kept them}, author = {Wren, D.}, year = 2001}", nil, nil, Matches, ""},
		"a chapter has its volume's": {"@incollection{x, isbn = {978-0-306-40615-7}, " + tidal + "}", nil, nil,
			Matches, ""},
		"no DOI": {"@article{x, doi = {forthcoming}, " + tidal + "}", nil, nil, Different,
			"doi: “forthcoming”"},
		"a DOI of nobody": {"@article{x, doi = {10.5555/zz}, title = {Of eels and nothing else at all}}",
			nil, resolver("100"), NotFound, "there is no DOI 10.5555/zz"},
		"of nobody, titles limited": {"@article{x, doi = {10.5555/zz}, title = {Of eels and nothing else at all}}",
			func(r *register) { r.onWord = limited }, resolver("100"), NotFound, "there is no DOI 10.5555/zz"},
		"a DOI of another agency": {"@article{x, doi = {10.5555/zz}, title = {Of eels and nothing else at all}}",
			nil, resolver("1"), Unchecked, "no register that was asked says what it is"},
		"of another agency, known": {"@article{x, doi = {10.5555/zz}, " + tidal + "}", nil, resolver("1"),
			Matches, "no register that was asked says what it is"},
		"of nobody, look-ups limited": {"@article{x, doi = {10.5555/zz}, " + tidal + "}", func(r *register) {
			r.onID = limited
		}, resolver("100"), Different, "doi: “10.5555/zz”, the register has “10.5555/a”"},
		"look-ups limited": {"@article{x, doi = {10.5555/zz}, " + tidal + "}", func(r *register) {
			r.onID = limited
		}, nil, Unchecked, "whether its DOI is 10.5555/zz could not be asked"},
		"an answer to another question": {"@article{x, doi = {10.5555/zz}, " + tidal + "}", func(r *register) {
			r.works["doi:10.5555/zz"] = r.works["doi:10.5555/b"]
		}, nil, Different, "doi: “10.5555/zz”"},
		"a resolver that is away": {"@article{x, doi = {10.5555/zz}, " + tidal + "}", nil, web{"fails": "yes"},
			Different, "doi: “10.5555/zz”, the register has “10.5555/a”"},
		"blocked": {"@article{x, doi = {10.5555/a}, " + tidal + "}", func(r *register) {
			r.fails = blocked
		}, nil, Unchecked, "could not be asked: papers blocked"},
		"blocked, without a DOI": {"@article{x, title = {Of eels and nothing else at all}}", func(r *register) {
			r.fails = blocked
		}, nil, Unchecked, "papers blocked"},
		"titles limited": {"@article{x, title = {Of eels and nothing else at all}}", func(r *register) {
			r.onWord = limited
		}, nil, Unchecked, "papers rate limited"},
		"nowhere": {"@article{x, title = {Of eels and nothing else at all}}", nil, nil, NotFound,
			"is known to books, papers"},
		"a thesis that is nowhere": {"@phdthesis{x, title = {Of eels and nothing else at all}}", nil, nil,
			NotFound, "registers have few works of its kind"},
		"the same title of others": {"@article{x, author = {Zoe Bittern}, title = {Tidal gates and the sediment " +
			"of a northern sound}, year = 1971}", nil, nil, NotFound, "nearest title: “Tidal gates"},
		"a page": {"@online{x, title = {P}, url = {https://a.example/p}}", nil,
			web{"https://a.example/p": "P"}, Unchecked, "a page of the web"},
		"a page that is gone": {"@online{x, title = {P}, url = {https://a.example/p}}", nil, web{}, NotFound,
			"the page is gone"},
		"a link that is gone": {"@article{x, url = {https://a.example/p}, doi = {10.5555/a}, " + tidal + "}",
			nil, web{}, Different, "url: “https://a.example/p”, the register has “nothing: there is no such host”"},
		"a link that could not be asked": {"@article{x, url = {https://a.example/p}, doi = {10.5555/a}, " + tidal + "}",
			nil, web{"fails": "yes"}, Matches, ""},
		"nothing": {"@article{x, year = 2001}", nil, nil, Unchecked,
			"neither a title nor an identifier"},
	} {
		t.Run(name, func(t *testing.T) {
			papers, books := registers()
			if test.papers != nil {
				test.papers(papers)
			}
			o := Options{Providers: []search.Provider{books, papers}}
			if test.web != nil {
				o.Fetcher, o.Resolver = test.web, true
			}
			entries, err := Parse(BibTeX, []byte(test.entry))
			if err != nil {
				t.Fatal(err)
			}
			r, err := Check(t.Context(), entries, o)
			if err != nil {
				t.Fatal(err)
			}
			c := r.References[0]
			if c.Verdict != test.verdict || !strings.Contains(c.Reason+" | "+strings.Join(c.Notes, " | "), test.says) {
				t.Errorf("it is %s: %s (%q, %+v)", c.Verdict, c.Reason, c.Notes, c.Differences)
			}
			if c.Reason == "" {
				t.Error("it has no reason")
			}
			wantCode := map[Verdict]citewell.Code{Matches: "", Unchecked: citewell.CodeRunIncomplete}
			want, known := wantCode[test.verdict]
			if !known {
				want = citewell.CodeCitationsFailed
			}
			if failure := r.Failure(); (failure == nil) != (want == "") || failure != nil &&
				citewell.CodeOf(failure) != want {
				t.Errorf("the check ends with %v", failure)
			}
			if c.Link != nil && c.Verdict == Matches && c.Link.Status != links.Failed {
				t.Errorf("the link is %+v", c.Link)
			}
		})
	}
}

// What is in words is seen with the eyes of the register, whose title a guess may have missed.
func TestWords(t *testing.T) {
	for words, want := range map[string]Verdict{
		"Crane A. Tidal gates and the sediment of a northern sound. J Mar Eng " +
			"2015;4:1-9.": Matches,
		"A. Crane, Tidal gates and the sediment of a northern sound, J. Mar. Eng. 4 " +
			"(2015).": Matches,
		"A. Crane, Tidal gates and the sedmient of a northern sound, J. Mar. Eng. 4 (2015). " +
			"10.5555/a": Different,
		"Crane, A. (2003). Tidal gates and the sediment of a northern sound. " +
			"doi:10.5555/a": Different,
		"Bittern, Z. (2015). Tidal gates and the sediment of a northern sound. " +
			"https://doi.org/10.5555/a": Different,
		"Crane A; Tidal gates and the sedment of a northern sound; Journal of Marine Engineering; 2015; " +
			"10.5555/a": Different,
		"Bittern, Z. (2015). Of eels. https://doi.org/10.5555/a": AnotherWork,
		"Bittern, Z. (2015). Of eels and of nothing else in all of the sea. " +
			"Piers, 3.": NotFound,
	} {
		papers, _ := registers()
		entries, err := OfText("# References\n\n" + words)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), entries, Options{Providers: []search.Provider{papers}})
		if err != nil || r.References[0].Verdict != want {
			t.Errorf("%s\nis %+v, want %s; %v", words, r.References[0], want, err)
		}
	}
}

type memory map[string][]byte

func (m memory) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	value, ok := m[key]
	return value, time.Time{}, ok, nil
}

func (m memory) CachePut(_ context.Context, key string, value []byte, ttl time.Duration) error {
	m[key] = value
	return nil
}

// A check that was cut off goes on where it was; what could not be asked is asked again.
func TestGoesOn(t *testing.T) {
	papers, _ := registers()
	entries, err := Parse(BibTeX, []byte("@article{a, doi = {10.5555/a}}\n@article{b, doi = {10.5555/b}}\n@misc{c, "+
		"eprint = {2401.00001}, eprinttype = {arxiv}}"))
	if err != nil {
		t.Fatal(err)
	}
	kept := memory{}
	gated := func() Options { // as each process has it
		return Options{Providers: []search.Provider{search.NewGate(papers.Name(),
			search.Limits{Fresh: time.Nanosecond, Tries: 1}).GuardKept(papers, kept)}}
	}
	o := gated()
	ctx, cancel := context.WithCancel(t.Context())
	o.Told = func(c Checked) {
		if c.N == 2 {
			cancel()
		}
	}
	if r, err := Check(ctx, entries, o); !errors.Is(err, context.Canceled) || len(r.References) != 2 {
		t.Errorf("%d references were checked: %v", len(r.References), err)
	}
	papers.asked, o = nil, gated()
	papers.fails = &citewell.Error{Code: citewell.CodeRateLimited, Message: "slower"}
	o.Told = nil
	r, err := Check(t.Context(), entries, o)
	if err != nil || r.Counts[Matches] != 1 || r.Counts[Doubted] != 1 || r.Counts[Unchecked] != 1 ||
		strings.Join(papers.asked, " ") != "arxiv:2401.00001" {
		t.Errorf("%v, asked for %q: %v", r.Counts, papers.asked, err)
	}
	papers.fails = nil
	if r, err := Check(t.Context(), entries, o); err != nil || r.Counts[Matches] != 2 {
		t.Errorf("afterwards %v: %v", r.Counts, err)
	}
}

// What registers have of a work is the gravest word of all; who could not be asked is named unless
// another knows that it does not stand.
func TestStanding(t *testing.T) {
	blocked := &citewell.Error{Code: citewell.CodeBlockedByProvider, Message: "no"}
	shut := &register{name: "shut", knows: search.Profile{Kinds: []search.Kind{search.KindScholarly},
		Lookups: []string{citewell.SchemeDOI}}, fails: blocked}
	for name, test := range map[string]struct {
		asked     citewell.Work
		beside    []search.Provider
		year      int
		retracted citewell.Retraction
		unchecked string
	}{
		"nobody speaks of it": {citewell.Work{DOI: "10.5555/a"}, nil, 2015, "", ""},
		"one is shut":         {citewell.Work{DOI: "10.5555/a"}, []search.Provider{shut}, 2015, "", "shut blocked"},
		"doubted, and one shut": {citewell.Work{DOI: "10.5555/b"}, []search.Provider{shut}, 2016,
			citewell.WorkDoubted, ""},
		"unknown": {citewell.Work{DOI: "10.5555/zz"}, nil, 0, "", ""},
		"known by another number": {citewell.Work{DOI: "10.5555/zz", ArXiv: "2401.00001"}, []search.Provider{shut},
			2024, "", "shut blocked"},
		"a DOI of arXiv's": {citewell.Work{DOI: "10.48550/arxiv.2401.00001", ArXiv: "2401.00001"},
			[]search.Provider{shut}, 2024, "", ""},
	} {
		papers, books := registers()
		o := Options{Providers: append(test.beside, books, papers)}
		w, err := o.Standing(t.Context(), test.asked)
		if err != nil || w.Year != test.year || w.Retracted != test.retracted || w.Unchecked != test.unchecked {
			t.Errorf("%s: %v, %+v", name, err, w)
		}
		if len(books.asked) > 0 {
			t.Errorf("%s: who has books alone was asked for %q", name, books.asked)
		}
	}
}
