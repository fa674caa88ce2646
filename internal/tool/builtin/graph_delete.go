package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/store"
)

func init() { register("graph_delete", newGraphDelete, ofGraph) }

type graphDeleteInput struct {
	ID  string `json:"id,omitempty" jsonschema:"a node"`
	Src string `json:"src,omitempty" jsonschema:"or where one relation goes from,"`
	Rel string `json:"rel,omitempty" jsonschema:"its name"`
	Dst string `json:"dst,omitempty" jsonschema:"and where it goes to"`
}

type graphDeleteOutput struct {
	Removed bool `json:"removed" jsonschema:"false: there was none"`
}

func newGraphDelete(graph store.Graph) *tool.Tool {
	return tool.New(tool.Spec{Name: "graph_delete", Title: "Forget a thing or a relation", Unsourced: true,
		Description: "Removes a node with all its relations, or one relation.",
		Hints:       removeHints, Hidden: needsStore(graph != nil)},
		func(ctx context.Context, in graphDeleteInput) (out graphDeleteOutput, err error) {
			edge := in.Src != "" && in.Rel != "" && in.Dst != ""
			switch {
			case in.ID != "" && in.Src == "" && in.Rel == "" && in.Dst == "":
				out.Removed, err = graph.RemoveNode(ctx, in.ID)
			case in.ID == "" && edge:
				out.Removed, err = graph.RemoveEdge(ctx, in.Src, in.Rel, in.Dst)
			default:
				err = &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "graph_delete",
					Message: "give either id, or src, rel and dst"}
			}
			return out, err
		})
}
