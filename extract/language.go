package extract

import (
	"cmp"
	"strings"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/internal/text"
)

// documentLanguage is the declared language, unless none is declared, or English
// is (which templates do for any page) and the prose is surely something else.
func documentLanguage(declared string, blocks []block.Block) string {
	if declared != "" && declared != "en" {
		return declared
	}
	var prose strings.Builder
	for _, b := range blocks {
		if b.Kind == block.Paragraph || b.Kind == block.Item || b.Kind == block.Explanation {
			prose.WriteString(b.Text)
			prose.WriteByte('\n')
		}
		if prose.Len() > 8000 {
			break
		}
	}
	if prose.Len() < 80 || prose.Len() < 200 && declared != "" {
		return declared
	}
	return cmp.Or(text.Language(prose.String()), declared)
}
