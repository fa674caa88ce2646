//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/bibliography"
)

// A registerWork is a work as the registers of a test have it.
type registerWork struct {
	doi, title, venue, given, family, second string
	year                                     int
	retracted                                bool
}

// registerWorks are of our own making.
var registerWorks = []registerWork{
	{"10.5555/harbour.1", "Tidal barrages and the sediment of the Skarrow Sound", "Journal of Marine Engineering",
		"Ada", "Crane", "Finch", 2015, false},
	{"10.5555/harbour.2", "A census of grey seals on tidal flats of the north", "Northern Zoology", "Ben", "Finch", "",
		2016, false},
	{"10.5555/harbour.3", "Corrosion of turbine blades in brackish water", "Materials at Sea", "Cora", "Heron", "Crane",
		2017, false},
	{"10.5555/harbour.4", "Über die Gezeiten im Hafen von Nether Hale", "Zeitschrift für Wasserbau", "Jörg", "Müller",
		"", 2011, false},
	{"10.5555/harbour.5", "On the α-decay of light signals in coastal fog", "Optics Letters of the Coast", "Dora",
		"Wren", "", 2019, false},
	{"10.5555/harbour.6", "Sluice gates: a comparison of forty designs for small rivers",
		"Journal of Marine Engineering", "Eli", "Stork", "Wren", 2018, false},
	{"10.5555/harbour.7", "Eel migration through fish passes of low head", "Freshwater Notes", "Fay", "Teal", "",
		2020, false},
	{"10.5555/harbour.8", "Forecasting surge levels with sparse gauges", "Coastal Forecasts", "Gus", "Ibis", "Teal",
		2021, false},
	{"10.5555/harbour.9", "The economics of harbour dredging in shallow estuaries", "Ports and Trade", "Hal", "Swift",
		"", 2014, false},
	{"10.5555/harbour.10", "Concrete caissons under cyclic wave loading", "Structures Offshore", "Ida", "Rook", "Swift",
		2013, false},
	{"10.5555/harbour.11", "Mapping eelgrass beds from low cost drones", "Remote Shores", "Jon", "Dove", "",
		2022, false},
	{"10.5555/harbour.12", "Lamp oil and light keepers before the electric age", "History of Navigation", "Kim", "Gull",
		"", 2009, false},
	{"10.5555/harbour.13", "Plankton blooms behind barrages in warm summers", "Northern Zoology", "Lea", "Plover", "",
		2019, false},
	{"10.5555/harbour.14", "Noise of tidal turbines and the hearing of porpoises", "Sound in Water", "Max", "Lark", "",
		2018, false},
	{"10.5555/harbour.15", "Anchors of the early iron age in northern harbours", "History of Navigation", "Nia", "Tern",
		"", 2012, false},
	{"10.5555/harbour.16", "Salt marsh recovery after the removal of a dyke", "Wetlands Today", "Oda", "Snipe", "",
		2017, false},
	{"10.5555/harbour.17", "Wave energy converters in breaking seas", "Structures Offshore", "Per", "Crake", "",
		2016, false},
	{"10.5555/harbour.18", "A cure for barnacle growth by copper light", "Materials at Sea", "Quin", "Knot", "",
		2018, true},
}

// wrongReferences are the keys of those entries of referencesBib that are wrong, and how.
var wrongReferences = map[string]struct {
	verdict bibliography.Verdict
	says    string
}{
	"invented": {bibliography.Different, "doi: “10.5555/harbour.999”, the register has “10.5555/harbour.13”"},
	"another": {bibliography.AnotherWork, "is that of “Wave energy converters in breaking seas” by Per Crake " +
		"(2016); what is named in words has 10.5555/harbour.14"},
	"year":      {bibliography.Different, "year: “2002”, the register has “2012”"},
	"author":    {bibliography.Different, "authors: “Bittern, Zoe”, the register has “Oda Snipe”"},
	"retracted": {bibliography.Retracted, "the work was RETRACTED"},
	"nowhere":   {bibliography.NotFound, "no work of this title"},
}

const referencesBib = `@string{jme = "Journal of Marine Engineering"}
@article{r1, author = {Crane, Ada and Finch, Sam}, title = {Tidal Barrages and the Sediment of the {Skarrow} Sound}, journal = jme, year = 2015, doi = {10.5555/harbour.1}}
@article{r2, author = {Ben Finch}, title = {A census of grey seals on tidal flats of the north}, journal = {North. Zool.}, year = {2016}}
@article{r3, author = {Heron, C. and Crane, S.}, title = {Corrosion of turbine blades in brackish water}, year = 2017, doi = {https://doi.org/10.5555/HARBOUR.3}}
@article{r4, author = {M{\"u}ller, J{\"o}rg}, title = {{\"U}ber die Gezeiten im Hafen von Nether Hale}, journal = {Z. f. Wasserbau}, year = 2011}
@article{r5, author = {Wren, D.}, title = {On the $\alpha$-decay of light signals in coastal fog}, year = 2019, doi = {10.5555/harbour.5}}
@article{r6, author = {Stork, Eli and others}, title = {Sluice gates}, year = 2018, doi = {10.5555/harbour.6}}
@article{r7, author = {Teal, Fay}, title = {Eel migration through fish passes of low head}, year = 2019, doi = {10.5555/harbour.7}}
@article{r8, author = {Ibis, Gus and Teal, Sam}, title = {Forecasting surge levels with sparse gauges}, year = 2021}
@article{r9, author = {Swift, Hal}, title = {The economics of harbour dredging in shallow estuaries}, year = 2014}
@inproceedings{r10, author = {Rook, Ida and Swift, Sam}, title = {Concrete caissons under cyclic wave loading}, booktitle = {Structures Offshore}, year = 2013}
@article{r11, author = {Dove, Jon}, title = {Mapping eelgrass beds from low cost drones}, year = 2022, doi = {10.5555/harbour.11}}
@article{r12, author = {Gull, Kim}, title = {Lamp oil and light keepers before the electric age}, year = 2009, doi = {10.5555/harbour.12}}
@article{r13, author = {Wren, Dora}, title = {On the alpha-decay of light signals in coastal fog}, year = 2019}
@article{r14, author = {Crake, Per}, title = {Wave energy converters in breaking seas}, journal = {Struct. Offshore}, year = 2016, doi = {10.5555/harbour.17}}
@article{invented, author = {Plover, Lea}, title = {Plankton blooms behind barrages in warm summers}, year = 2019, doi = {10.5555/harbour.999}}
@article{another, author = {Lark, Max}, title = {Noise of tidal turbines and the hearing of porpoises}, year = 2018, doi = {10.5555/harbour.17}}
@article{year, author = {Tern, Nia}, title = {Anchors of the early iron age in northern harbours}, year = 2002, doi = {10.5555/harbour.15}}
@article{author, author = {Bittern, Zoe}, title = {Salt marsh recovery after the removal of a dyke}, year = 2017, doi = {10.5555/harbour.16}}
@article{retracted, author = {Knot, Quin}, title = {A cure for barnacle growth by copper light}, year = 2018, doi = {10.5555/harbour.18}}
@article{nowhere, author = {Shrike, Uma}, title = {Quantum entanglement of mussels under moonlit piers}, year = 2020}
`

// A registry is Crossref and OpenAlex on the wire, one below /crossref and one below /openalex.
type registry struct {
	refuses atomic.Int64 // a status; 0 answers
	asked   atomic.Int64
}

func (g *registry) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.asked.Add(1)
	if status := g.refuses.Load(); status != 0 {
		w.WriteHeader(int(status))
		return
	}
	var found []any
	crossref := strings.HasPrefix(r.URL.Path, "/crossref/")
	_, one, isLookup := strings.Cut(r.URL.Path, "/works/")
	words := strings.Fields(strings.ToLower(r.FormValue("query.bibliographic") + r.FormValue("search")))
	for _, work := range registerWorks {
		matching := 0
		for _, word := range words {
			if strings.Contains(strings.ToLower(work.title), word) {
				matching++
			}
		}
		if isLookup && strings.TrimPrefix(one, "doi:") != work.doi || !isLookup && 2*matching < len(words) {
			continue
		}
		if crossref {
			found = append(found, work.crossref())
		} else {
			found = append(found, work.openAlex())
		}
	}
	var answer any
	switch {
	case isLookup && len(found) == 0:
		http.Error(w, "Resource not found.", http.StatusNotFound)
		return
	case isLookup && crossref:
		answer = map[string]any{"status": "ok", "message-type": "work", "message": found[0]}
	case isLookup:
		answer = found[0]
	case crossref:
		answer = map[string]any{"status": "ok", "message-type": "work-list",
			"message": map[string]any{"total-results": len(found), "items": found}}
	default:
		answer = map[string]any{"meta": map[string]any{"count": len(found)}, "results": found}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client may have gone
}

func (work registerWork) crossref() map[string]any {
	authors := []map[string]any{{"given": work.given, "family": work.family, "sequence": "first"}}
	if work.second != "" {
		authors = append(authors, map[string]any{"given": "Sam", "family": work.second})
	}
	item := map[string]any{"DOI": work.doi, "type": "journal-article", "title": []string{work.title},
		"container-title": []string{work.venue}, "author": authors,
		"issued": map[string]any{"date-parts": [][]int{{work.year}}}, "URL": "https://doi.org/" + work.doi,
		"relation": map[string]any{}}
	if work.retracted {
		item["updated-by"] = []map[string]any{{"DOI": work.doi + "r", "type": "retraction"}}
	}
	return item
}

func (work registerWork) openAlex() map[string]any {
	authors := []map[string]any{{"author": map[string]any{"display_name": work.given + " " + work.family}}}
	if work.second != "" {
		authors = append(authors, map[string]any{"author": map[string]any{"display_name": "Sam " + work.second}})
	}
	place := map[string]any{"landing_page_url": "https://doi.org/" + work.doi, "pdf_url": nil,
		"source": map[string]any{"display_name": work.venue}}
	return map[string]any{"id": "https://openalex.org/W" + strings.TrimPrefix(work.doi, "10.5555/harbour."),
		"doi": "https://doi.org/" + work.doi, "title": work.title,
		"publication_year": work.year, "type": "article", "authorships": authors, "primary_location": place,
		"best_oa_location": map[string]any{"landing_page_url": "https://copies.example/" + work.doi,
			"pdf_url": "https://copies.example/" + work.doi + ".pdf", "source": nil},
		"is_retracted": work.retracted, "is_paratext": false, "abstract_inverted_index": nil}
}

// startRegistry starts the registers and returns the home that has only those.
func startRegistry(t *testing.T) (g *registry, home, config string) {
	g = &registry{}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	home = t.TempDir()
	config = filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("search: {open: off, providers: {duckduckgo: {enabled: false}, crossref: {base_url: "+
		"%q, rate: 1000}, openalex: {base_url: %q, rate: 1000}}}\nfetch: {allow_networks: [127.0.0.0/8], archive: "+
		"{use: off}}\n",
		server.URL+"/crossref", server.URL+"/openalex"))
	return g, home, config
}

func checkedList(t *testing.T, home string, args ...string) (r bibliography.Report, code int) {
	t.Helper()
	out, stderr, code := here(t, home, args...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: %s %s", err, out, stderr)
	}
	return r, code
}

// Of 20 references 6 are wrong, each in another way: these are named, and no other. A second
// check asks nobody, and with registers that let nobody in none is called wrong.
func TestReferencesThatAreWrong(t *testing.T) {
	g, home, config := startRegistry(t)
	list := filepath.Join(home, "refs.bib")
	write(t, list, referencesBib)
	r, code := checkedList(t, home, "--config", config, "check", "--links=false", "--json", list)
	if code != citewell.ExitFailed || len(r.References) != 20 {
		t.Errorf("%d references, exit code %d", len(r.References), code)
	}
	for _, c := range r.References {
		want, wrong := wrongReferences[c.Key]
		switch {
		case wrong && (c.Verdict != want.verdict || !strings.Contains(c.Reason, want.says)):
			t.Errorf("%s is %s: %s", c.Key, c.Verdict, c.Reason)
		case !wrong && (c.Verdict != bibliography.Matches || len(c.Differences) > 0):
			t.Errorf("%s is %s: %s", c.Key, c.Verdict, c.Reason)
		}
		if c.Verdict == bibliography.Matches && c.OpenCopy == "" {
			t.Errorf("%s has no open copy", c.Key)
		}
	}

	asked := g.asked.Load()
	out, stderr, code := here(t, home, "--config", config, "check", "--links=false", list)
	if code != citewell.ExitFailed || !strings.Contains(out,
		"20 references: 1 not found, 1 another work, 1 retracted, 3 differs, 14 matches.\n") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if n := strings.Count(stderr, "checked "); n != 20 {
		t.Errorf("%d references are told of: %s", n, stderr)
	}
	if again := g.asked.Load(); again != asked {
		t.Errorf("%d calls for what was looked up a moment ago", again-asked)
	}
}

func TestReferencesWithoutRegisters(t *testing.T) {
	for status, says := range map[int64]string{http.StatusForbidden: "crossref blocked, openalex rate limited",
		http.StatusTooManyRequests: "crossref rate limited, openalex quota exhausted"} {
		g, home, config := startRegistry(t)
		list := filepath.Join(home, "refs.bib")
		write(t, list, referencesBib)
		g.refuses.Store(status)
		r, code := checkedList(t, home, "--config", config, "check", "--links=false", "--json", list)
		if code != citewell.ExitPartial || r.Counts[bibliography.Unchecked] != 20 {
			t.Errorf("%d: exit code %d, %v", status, code, r.Counts)
		}
		for _, c := range r.References {
			if !strings.Contains(c.Reason, says) {
				t.Errorf("%d: %s says %q, want %q", status, c.Key, c.Reason, says)
			}
		}
		g.refuses.Store(0) // what could not be asked is not taken for an answer later
		if r, _ := checkedList(t, home, "--config", config, "check", "--links=false", "--json",
			list); r.Counts[bibliography.Matches] != 14 {
			t.Errorf("%d: afterwards %v", status, r.Counts)
		}
	}
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, "search: {open: off, providers: {duckduckgo: {enabled: false}}}\n")
	write(t, filepath.Join(home, "refs.bib"), referencesBib)
	r, code := checkedList(t, home, "--config", config, "check", "--links=false", "--json",
		filepath.Join(home, "refs.bib"))
	if code != citewell.ExitPartial || r.Counts[bibliography.Unchecked] != 20 ||
		!strings.Contains(r.References[0].Reason, "no register is switched on") {
		t.Errorf("exit code %d, %v: %+v", code, r.Counts, r.References[0])
	}
}

// The same works as RIS, as CSL-JSON, at the end of a text, and by the tool.
func TestReferencesInOtherForms(t *testing.T) {
	_, home, config := startRegistry(t)
	for name, content := range map[string]string{
		"refs.ris": "TY  - JOUR\r\nTI  - Eel migration through fish passes of low head\r\nAU  - Teal, Fay\r\nPY  - " +
			"2020/03/01/\r\nDO  - 10.5555/harbour.7\r\nER  - \r\n\r\n" +
			"TY  - JOUR\r\nTI  - A cure for barnacle growth by copper light\r\nAU  - Knot, Quin\r\nPY  - " +
			"2018\r\nER  - \r\n",
		"refs.json": `[{"id": "a", "type": "article-journal", "title": "Eel migration through fish passes of low head", "author": [{"family": "Teal", "given": "Fay"}], "issued": {"date-parts": [[2020, 3]]}, "DOI": "10.5555/harbour.7"},
			{"id": "b", "type": "article-journal", "title": "A cure for barnacle growth by copper light", "author": [{"family": "Knot", "given": "Q."}], "issued": {"date-parts": [["2018"]]}}]`,
		"thesis.md": "# On eels\n\nEels migrate (Teal 2020).\n\n## References\n\nTeal, F. (2020). Eel migration " +
			"through fish passes of low head. *Freshwater Notes*, 4(2), 1–9. " +
			"https://doi.org/10.5555/harbour.7\n\nKnot, Q. (2018). A cure for barnacle growth by copper light. " +
			"*Materials at Sea*, 7.\n\n## Appendix\n\nA. Nothing (2001).\n",
		"paper.txt": "Eels migrate [1].\n\n[1] F. Teal, “Eel migration through fish passes of low head,” Freshwater " +
			"Notes, vol. 4,\n    no. 2, pp. 1–9, 2020.\n[2] Q. Knot, “A cure for barnacle growth by copper light,” " +
			"Materials at Sea, 2018.\n",
	} {
		file := filepath.Join(home, name)
		write(t, file, content)
		args := []string{"--config", config, "check", "--links=false", "--json", file}
		if strings.HasPrefix(name, "thesis") || strings.HasPrefix(name, "paper") {
			args = slices.Insert(args, 5, "--references")
		}
		r, code := checkedList(t, home, args...)
		if code != citewell.ExitFailed || len(r.References) != 2 || r.References[0].Verdict != bibliography.Matches ||
			r.References[1].Verdict != bibliography.Retracted {
			t.Errorf("%s: exit code %d, %+v", name, code, r)
		}
	}
	out, stderr, code := here(t, home, "--config", config, "call", "--toolset", "all", "--text", "check_references",
		`{"entries": "@article{a, title = {Salt marsh recovery after the removal of a dyke}, author = {Snipe, Oda}, year = 2017}"}`)
	if code != 0 || !strings.Contains(out, "1. matches: Salt marsh recovery") {
		t.Errorf("the tool ended with %d: %s %s", code, out, stderr)
	}
}
