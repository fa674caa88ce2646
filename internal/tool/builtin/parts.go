package builtin

import (
	"github.com/citewell/citewell/internal/claim"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/tool/compat/cogtrix"
	"github.com/citewell/citewell/internal/tool/compat/manifold"
	"github.com/citewell/citewell/internal/tool/compat/searxng"
	"github.com/citewell/citewell/store"
)

// Parts are what tools are made of, a value for each group of tools. The init of a tool's file says which its
// constructor takes. A tool without its part is hidden; Briefs and Pages are always there.
type Parts struct {
	Briefs     Briefs
	Pages      Pages
	Judge      claim.Ask  // is asked what words leave undecided of a claim; nil asks nobody
	Kept       claim.Kept // has the briefs and texts of earlier runs; nil without a store
	References References
	Knowledge  Knowledge
	Runs       Runs
	Searxng    searxng.Deps
	Cogtrix    cogtrix.Deps
	Manifold   manifold.Deps     // but for what the parts above give it
	Agent      []*tool.Tool      // the agent's own eight tools as they work outside a run
	Confirm    map[string]string // the operator's word on tools that act: ask, allow or deny by name
}

func ofBriefs(p Parts) Briefs         { return p.Briefs }
func ofPages(p Parts) Pages           { return p.Pages }
func ofReferences(p Parts) References { return p.References }
func ofKnowledge(p Parts) Knowledge   { return p.Knowledge }
func ofGraph(p Parts) store.Graph     { return p.Knowledge.Graph }
func ofRuns(p Parts) Runs             { return p.Runs }
