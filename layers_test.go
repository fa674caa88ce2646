package citewell_test

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/citewell/citewell"

// partsOfTests stand above everything, so that nothing but test files can import them, each
// other, and the modules bench/ and browser/.
const partsOfTests = "parts of tests"

// layers is the import rule of ARCHITECTURE.md: a package may import packages of
// lower layers only, never a neighbour of its own. The prefix that matches longest
// decides; "/..." matches what lies below as well.
var layers = []struct {
	name     string
	prefixes []string
}{
	{"words", []string{""}},
	{"expressions", []string{"internal/lazyregexp"}},
	{"words of languages", []string{"text/lang"}},
	{"leaves", []string{"text", "weburl", "egress", "internal/sandbox", "internal/demo", "internal/replay", "internal/dataset", "internal/sheet", "internal/metrics", "internal/trace", "internal/picture", "internal/workdir", "internal/turns", "internal/doctor", "internal/markdown"}},
	{"programs", []string{"internal/program"}},
	{"quantities", []string{"quantity"}},
	{"forms", []string{"internal/jsonform"}},
	{"settings", []string{"internal/config"}},
	{"pages as bytes", []string{"extract/internal/charset", "extract/internal/deadline"}},
	{"pages as lines", []string{"extract/internal/plain"}},
	{"pages as trees", []string{"extract/internal/imprint", "extract/internal/tree", "extract/internal/xmltree"}},
	{"pages as blocks", []string{"extract/internal/block", "extract/internal/formula"}},
	{"words of readers", []string{"extract/internal/media", "extract/internal/passage"}},
	{"trees as blocks", []string{"extract/internal/content", "extract/internal/markup"}},
	{"readers", []string{"extract/internal/webpage", "extract/internal/office", "extract/internal/pdf", "extract/internal/rtf", "extract/internal/textual"}},
	{"disagreements", []string{"internal/disagree", "internal/verbatim"}},
	{"near-copies", []string{"internal/nearcopy"}},
	{"parts", []string{"search", "fetch", "extract", "rank", "cite", "store", "llm", "tool"}},
	{"faults of stores", []string{"store/internal/fault"}},
	{"copies of stores", []string{"store/transfer"}},
	{"records of stores", []string{"store/internal/codec", "store/internal/graphwalk", "store/internal/follow", "store/internal/pacing"}},
	{"indexes of stores", []string{"store/internal/fulltext", "store/internal/vectorcodec"}},
	{"conditions of stores", []string{"store/internal/textsql"}},
	{"words of models", []string{"internal/sayable"}},
	{"judge", []string{"internal/judge"}},
	{"plug-ins", []string{"search/provider", "store/sqlite", "store/postgres", "tool/mcptools", "tool/custom"}},
	{"retractions", []string{"internal/retraction"}},
	{"pipelines", []string{"brief", "internal/claim", "library", "agent/internal/door"}},
	{"reports", []string{"report"}},
	{"wing", []string{"tool/compat/searxng", "tool/compat/cogtrix", "tool/compat/manifold"}},
	{"agents", []string{"agent"}},
	{"jobs", []string{"internal/job", "internal/briefrun", "internal/proofread", "internal/evidence", "internal/links"}},
	{"watches", []string{"internal/watch"}},
	{"references", []string{"internal/bibliography"}},
	{"catalogue", []string{"tool/builtin"}},
	{"doors", []string{"internal/server/access", "internal/server/intake"}},
	{"servers", []string{"internal/server/mcpserver", "internal/server/openai", "internal/server/runs", "internal/server/documents", "internal/server/status"}},
	{"page", []string{"internal/server/page"}},
	{"server", []string{"internal/server"}},
	{"tries", []string{"internal/bench"}},
	{"agent plans", []string{"internal/agentplan"}},
	{"app", []string{"internal/app"}},
	{"cli", []string{"internal/cli"}},
	{"main", []string{"cmd/citewell", "scripts/mutate"}},
	{partsOfTests, []string{"search/searchtest", "store/storetest", "internal/testing/..."}},
}

// onlyWiredByApp are leaves that nothing but app, its agent plans and what stands above it
// may import: app maps them to each package's Options.
var onlyWiredByApp = []string{"internal/config", "internal/demo", "internal/replay"}

// neighbours are the imports inside one layer that are meant, each with its reason.
var neighbours = map[string]string{
	"tool/compat/manifold → tool/compat/searxng": "Manifold searches by a SearXNG, or by what stands in for one",
	"internal/app → internal/bench":              "app hands bench the parts to measure",
	"search → store":                             "a gate keeps its pace where all processes see it",
	"fetch → store":                              "so do the turns at a host",
	"llm → store":                                "and the calls that are under way at a model's endpoint",
}

func layerOf(t *testing.T, pkg string) int {
	t.Helper()
	best, length := -1, -1
	for i, layer := range layers {
		for _, prefix := range layer.prefixes {
			base, below := strings.CutSuffix(prefix, "/...")
			if pkg != base && !(below && strings.HasPrefix(pkg, base+"/")) {
				continue
			}
			if len(base) > length {
				best, length = i, len(base)
			}
		}
	}
	if best < 0 {
		t.Fatalf("%s has no layer: add it to the table in layers_test.go and to ARCHITECTURE.md", pkg)
	}
	return best
}

func TestImportsRunOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	local := func(path string) (string, bool) {
		if path == module {
			return "", true
		}
		return strings.CutPrefix(path, module+"/")
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	packages := 0
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages++
		from, _ := local(pkg.ImportPath)
		fromLayer := layerOf(t, from)
		for _, path := range pkg.Imports {
			to, ours := local(path)
			if !ours {
				if from == "" && strings.Contains(path, ".") {
					t.Errorf("the root package imports %s: it takes the standard library only", path)
				}
				continue
			}
			toLayer := layerOf(t, to)
			if _, meant := neighbours[from+" → "+to]; meant {
				continue
			}
			if toLayer >= fromLayer && layers[fromLayer].name != partsOfTests {
				t.Errorf("%s (%s) imports %s (%s): imports run towards the words", from, layers[fromLayer].name, to, layers[toLayer].name)
			}
			if slices.Contains(onlyWiredByApp, to) && !slices.Contains([]string{"agent plans", "app", "cli"}, layers[fromLayer].name) {
				t.Errorf("%s imports %s: only app, its agent plans and cli know it", from, to)
			}
		}
	}
	if packages < 10 {
		t.Errorf("go list named %d packages only: is the rule looking at the whole tree?", packages)
	}
}
