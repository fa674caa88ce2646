package builtin

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/tool"
)

// snapshotLinks name the kept text of each source that was read.
func snapshotLinks(sources []citewell.Source) []tool.Link {
	var links []tool.Link
	for _, s := range sources {
		if s.TextSHA256 != "" {
			links = append(links, tool.Link{URI: "citewell://snapshots/" + s.TextSHA256, Name: s.Title,
				MediaType: "text/plain"})
		}
	}
	return links
}

// briefProgress tells the caller of each thing that is done while a brief is made.
func briefProgress(ctx context.Context) func(brief.Event) {
	tell := tool.CallerOf(ctx).Progress
	done := 0.0
	return func(e brief.Event) {
		if line := e.String(); line != "" {
			done++
			tell(done, 0, line)
		}
	}
}
