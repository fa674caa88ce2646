package app

import "github.com/citewell/citewell/internal/server/page"

// lacks is what is not configured that would make answers better, as the page says it.
func (a *App) lacks() (all []page.Lack) {
	if a.HasModel() != nil {
		all = append(all, page.Lack{Words: "No chat model is set: answers are quoted from their sources, not " +
			"written. " +
			"To set one:",
			Line: "citewell serve --set llm.base_url=URL --set llm.model=NAME"})
	}
	if a.Embedding == nil {
		all = append(all, page.Lack{Words: "No embedding model is set: your documents are found by their words, not " +
			"by meaning. To set one:",
			Line: "citewell serve --set embedding.base_url=URL --set embedding.model=NAME"})
	}
	return all
}
