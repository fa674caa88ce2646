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

// layers is the import rule of ARCHITECTURE.md: a package may import packages of
// lower layers only, never a neighbour of its own. The prefix that matches longest
// decides; "/..." matches what lies below as well.
var layers = []struct {
	name     string
	prefixes []string
}{
	{"words", []string{""}},
	{"parts of tests", []string{"internal/realpart"}},
	{"leaves", []string{"text", "weburl", "internal/egress", "internal/sandbox", "internal/demo", "internal/replay", "internal/score", "internal/minilm", "internal/smallmodel", "internal/mcptest", "internal/openaitest", "internal/modeltest"}},
	{"quantities", []string{"quantity"}},
	{"settings", []string{"internal/config"}},
	{"parts", []string{"search", "fetch", "extract", "rank", "cite", "store", "llm", "tool"}},
	{"plug-ins", []string{"search/provider", "search/searchtest", "store/sqlite", "store/postgres", "store/weaviate", "store/storetest", "tool/mcptools", "tool/custom"}},
	{"pipelines", []string{"brief", "internal/claim", "internal/library", "agent/internal/door"}},
	{"reports", []string{"report"}},
	{"agents", []string{"tool/builtin", "agent"}},
	{"jobs", []string{"internal/job", "internal/briefrun", "internal/proofread"}},
	{"doors", []string{"internal/server/access", "internal/server/intake"}},
	{"servers", []string{"internal/server/mcpserver", "internal/server/openai", "internal/server/runs", "internal/server/page"}},
	{"server", []string{"internal/server"}},
	{"tries", []string{"internal/doctor", "internal/bench", "internal/realpages"}},
	{"app", []string{"internal/app"}},
	{"cli", []string{"internal/cli"}},
	{"main", []string{"cmd/citewell"}},
}

// onlyWiredByApp are leaves that nothing but app and what stands above it may
// import: app maps them to each package's Options.
var onlyWiredByApp = []string{"internal/config", "internal/demo", "internal/replay"}

// neighbours are the imports inside one layer that are meant, each with its reason.
var neighbours = map[string]string{
	"store/sqlite → store/storetest":      "a backend's tests run the shared suite",
	"search/provider → search/searchtest": "a provider's tests run the shared suite",
	"internal/app → internal/doctor":      "app hands doctor the parts to call",
	"internal/app → internal/bench":       "app hands bench the parts to measure",
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
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
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
			ImportPath                         string
			Imports, TestImports, XTestImports []string
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
			if toLayer >= fromLayer {
				t.Errorf("%s (%s) imports %s (%s): imports run towards the words", from, layers[fromLayer].name, to, layers[toLayer].name)
			}
			if slices.Contains(onlyWiredByApp, to) && layers[fromLayer].name != "app" && layers[fromLayer].name != "cli" {
				t.Errorf("%s imports %s: only app and cli know it", from, to)
			}
		}
	}
	if packages < 10 {
		t.Errorf("go list named %d packages only: is the rule looking at the whole tree?", packages)
	}
}
