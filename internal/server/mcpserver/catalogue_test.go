package mcpserver_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/tool/builtin"
)

// wantsMore are the tools that are offered once the operator has set a key or a model.
var wantsMore = []string{"get_weather", "tavily_extract", "exa_find_similar", "exa_get_contents", "llm_transform",
	"describe_image", "specialists_infer"}

// A model reads the whole catalogue at every turn: what it may cost is bounded, in bytes
// of the answer to tools/list. The default one has all that needs no key or model, and
// research runs.
func TestCatalogueIsSmall(t *testing.T) {
	registry := builtin.New(builtin.Parts{Agent: agent.Tools()}, nil, nil)
	for name, most := range map[string]int{"default": 24 << 10, "lite": 4 << 10, "searxng": 2 << 10, "grip": 2 << 10,
		"cogtrix": 7 << 10, "sgr": 10 << 10, "manifold": 12 << 10} {
		set, err := registry.Toolset(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range set.Tools {
			tool.Hidden = ""
			if name == "default" && slices.Contains(wantsMore, tool.Name) {
				tool.Hidden = "needs a key or a model"
			}
		}
		listed, err := connections["in_memory"](t, set, nil).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(listed)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d tools, %d bytes", name, len(listed.Tools), len(data))
		if len(data) > most {
			t.Errorf("tools/list of %s has %d bytes; at most %d", name, len(data), most)
		}
	}
}
