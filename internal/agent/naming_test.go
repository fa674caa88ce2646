package agent_test

import (
	"context"
	"maps"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/tool"
)

// entering is a shelf that notes of each page whether it may be, by a public name, of the
// operator's networks.
type entering struct {
	*shelf
	mu      *sync.Mutex
	entered map[string]bool
}

func (e entering) note(ctx context.Context, at string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.entered[at] = egress.Default().Enters(ctx, "wiki.corp.com")
}

func (e entering) Read(ctx context.Context, url string) (citewell.Page, citewell.Document, error) {
	e.note(ctx, url)
	return e.shelf.Read(ctx, url)
}

// The hosts of addresses in the user's words are the user's: what the model asks there is
// asked for them. All others were found, whatever tool reads them.
func TestHostsThatTheUserNamed(t *testing.T) {
	e := entering{newShelf(), new(sync.Mutex), map[string]bool{}}
	reads := tool.New(tool.Spec{Name: "web_fetch", Description: "reads", Hints: tool.Hints{ReadOnly: true}},
		func(ctx context.Context, in struct {
			URL string `json:"url"`
		}) (batch, error) {
			e.note(ctx, "tool "+in.URL)
			return batch{}, nil
		})
	m := &script{replies: []reply{calls(searchFor("herons at Alder Lake")), calls(readHerons),
		calls(call("web_fetch", args{"url": "https://guide.example/visit"})),
		calls(call("web_fetch", args{"url": "https://heron.example/count"})), calls(heronFinal)}}
	o := e.options(agent.ShapeToolCalling, m)
	o.Reader, o.Extra = e, []*tool.Tool{reads}
	r := run(t, o, heronTask+" See https://Heron.example/, and https://guide.example/visit.")
	want := map[string]bool{"https://heron.example/count": true, "https://lake.example/facts": false,
		"tool https://guide.example/visit": true, "tool https://heron.example/count": true}
	if !maps.Equal(e.entered, want) {
		t.Errorf("%v, want %v\n%+v", e.entered, want, r)
	}
	m.asked, e.entered = nil, map[string]bool{}
	e.shelf = newShelf()
	o = e.options(agent.ShapeToolCalling, m)
	o.Reader, o.Extra = e, []*tool.Tool{reads}
	r = run(t, o, heronTask)
	for url, entered := range e.entered {
		if entered {
			t.Errorf("%s was named by nobody\n%+v", url, r)
		}
	}
	if len(e.entered) != 4 {
		t.Errorf("%v", e.entered)
	}
}
