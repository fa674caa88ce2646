package cogtrix

import (
	"github.com/citewell/citewell/tool"
)

func init() {
	Definitions.Add("", "exa_get_contents", func(d Deps) *tool.Tool { return newPageTexts(d.exaGetContentsSpec(), d.Exa) })
	Definitions.Add(Name, "exa_get_contents", func(d Deps) *tool.Tool { return newOriginalPageTexts(d.exaGetContentsSpec(), d.Exa) })
}

func (d Deps) exaGetContentsSpec() tool.Spec {
	s := tool.Spec{Name: "exa_get_contents", Title: "Read pages by Exa", Description: tool.Description(descriptions, "exa_get_contents"), Hints: tool.Hints{ReadOnly: true, OpenWorld: true}}
	if d.Exa == nil {
		s.Hidden = needsExa
	}
	return s
}
