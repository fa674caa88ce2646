package citewell_test

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/citewell/citewell"

// mostBands is how many bands somebody remembers.
const mostBands = 14

// A place is where ARCHITECTURE.md puts a package: a band, counted from the words, and a step within it.
type place struct {
	band, step int
	together   bool // the packages of the step may import one another
}

// above reports whether a package at p may import one at q.
func (p place) above(q place) bool {
	return q.band < p.band || q.band == p.band && (q.step < p.step || q.step == p.step && p.together)
}

// The table of ARCHITECTURE.md: its rows, and the names in a cell.
var (
	bandRow     = regexp.MustCompile(`(?m)^\| (\S[^|]*) \| ([^|]*) \| [^|]* \|$`)
	packageName = regexp.MustCompile("`([^`{]*)(?:\\{([^`]*)\\})?`")
)

// bandsOf reads the table of packages: the names of the bands, and the place of each package.
func bandsOf(t *testing.T, document string) (bands []string, places map[string]place) {
	t.Helper()
	_, table, found := strings.Cut(document, "| band | packages | what it knows |\n|---|---|---|\n")
	table, _, ended := strings.Cut(table, "\n\n")
	if !found || !ended {
		t.Fatal("ARCHITECTURE.md has no table of bands")
	}
	places = map[string]place{}
	for _, row := range bandRow.FindAllStringSubmatch(table+"\n", -1) {
		for step, cell := range strings.Split(row[2], "; then ") {
			at := place{len(bands), step, strings.HasSuffix(cell, ", of one another")}
			for _, name := range packageName.FindAllStringSubmatch(cell, -1) {
				for _, last := range strings.Split(name[2], ",") {
					path := strings.TrimPrefix(name[1]+last, "citewell")
					if _, twice := places[path]; twice {
						t.Errorf("ARCHITECTURE.md names %q twice", path)
					}
					places[path] = at
				}
			}
		}
		bands = append(bands, row[1])
	}
	if lines := strings.Count(table, "\n") + 1; len(bands) != lines {
		t.Errorf("%d of the %d rows of ARCHITECTURE.md's table are rows of bands", len(bands), lines)
	}
	return bands, places
}

// placeOf finds the row that names a package, or a folder above it as folder/....
func placeOf(places map[string]place, pkg string) (name string, at place, found bool) {
	if at, found = places[pkg]; found {
		return pkg, at, true
	}
	for folder := pkg; strings.Contains(folder, "/"); {
		folder = folder[:strings.LastIndexByte(folder, '/')]
		if at, found = places[folder+"/..."]; found {
			return folder + "/...", at, true
		}
	}
	return "", place{}, false
}

// A listed package is what go list says of it.
type listed struct {
	ImportPath string
	Imports    []string
}

// packagesOf lists the packages of the module.
func packagesOf(t *testing.T) (all []listed) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listed
		if err := decoder.Decode(&pkg); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, pkg)
	}
}

// ours is a package's name as ARCHITECTURE.md has it: empty for the root package.
func ours(path string) (string, bool) {
	below, yes := strings.CutPrefix(path, module)
	return strings.TrimPrefix(below, "/"), yes && (below == "" || below[0] == '/')
}

func TestImportsRunOneWay(t *testing.T) {
	document, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	bands, places := bandsOf(t, string(document))
	if len(bands) > mostBands {
		t.Errorf("ARCHITECTURE.md has %d bands, and nobody remembers more than %d", len(bands), mostBands)
	}
	unused := maps.Clone(places)
	for _, pkg := range packagesOf(t) {
		from, _ := ours(pkg.ImportPath)
		name, at, found := placeOf(places, from)
		if !found {
			t.Errorf("no row of ARCHITECTURE.md names %s", from)
			continue
		}
		delete(unused, name)
		for _, path := range pkg.Imports {
			to, mine := ours(path)
			if !mine {
				if at.band == 0 && strings.Contains(path, ".") {
					t.Errorf("%q imports %s: %s take the standard library only", from, path, bands[0])
				}
				continue
			}
			if _, below, found := placeOf(places, to); found && !at.above(below) {
				t.Errorf("%s (%s) imports %q (%s): imports run from the bottom of ARCHITECTURE.md's table to its top",
					from, bands[at.band], to, bands[below.band])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("ARCHITECTURE.md names %q, and there is no such package", name)
	}
}

// The rule forbids what it is to forbid: each import here stands beside the rule's answer.
func TestBands(t *testing.T) {
	_, places := bandsOf(t, "| band | packages | what it knows |\n|---|---|---|\n"+
		"| words | `citewell` (the root package) | types |\n"+
		"| parts | `search`, `store`; then `store/internal/{codec,pacing}`; then `store/sqlite` | arrows |\n"+
		"| tests | `store/storetest`, `internal/testing/...`, of one another | suites |\n\n")
	for _, test := range []struct {
		from, to string
		allowed  bool
	}{
		{"search", "", true}, {"", "search", false}, {"search", "store", false},
		{"store/internal/codec", "store", true},
		{"store", "store/internal/codec", false}, {"store/internal/codec", "store/internal/pacing", false},
		{"store/sqlite", "store/internal/pacing", true}, {"store/sqlite", "store/storetest", false},
		{"internal/testing/a/b", "store/storetest", true}, {"store/storetest", "internal/testing/a", true},
	} {
		_, from, known := placeOf(places, test.from)
		_, to, alsoKnown := placeOf(places, test.to)
		if !known || !alsoKnown || from.above(to) != test.allowed {
			t.Errorf("%q → %q: %v, want %v", test.from, test.to, from.above(to), test.allowed)
		}
	}
	for _, unnamed := range []string{"store/internal", "internal/testing", "fetch"} {
		if name, _, found := placeOf(places, unnamed); found {
			t.Errorf("%s is found as %s", unnamed, name)
		}
	}
}
