package page

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/job"
)

// choices are where a run can be made to look, as the form of a question has it.
type choices struct {
	Documents []choice // which of the reader's own take part; empty where none may
	Sources   []choice // kinds
	Lenses    []choice // in place of kinds
	Providers []choice
	Any       bool // something is chosen
}

// A choice of a form.
type choice struct {
	Value, Word, About string
	Chosen             bool
}

// How a reader chooses documents.
const (
	documentsToo   = "too"
	documentsAlone = "alone"
	documentsNone  = "none"
)

func choicesOf(o job.Offer) (c choices) {
	for _, kind := range o.Sources {
		if kind != job.LocalProvider {
			c.Sources = append(c.Sources, choice{Value: kind, Word: kind})
		}
	}
	for _, lens := range o.Lenses {
		c.Lenses = append(c.Lenses, choice{Value: lens, Word: lens, About: strings.Join(o.Scopes[lens].Sites, ", ")})
	}
	for _, p := range o.Providers {
		if p.Name == job.LocalProvider {
			c.Documents = []choice{{Word: "as usual", Chosen: true}, {Value: documentsToo, Word: "with my documents"}, {Value: documentsAlone, Word: "my documents alone"}, {Value: documentsNone, Word: "without them"}}
			continue
		}
		c.Providers = append(c.Providers, choice{Value: p.Name, Word: p.Name, About: p.About})
	}
	return c
}

// show has the form show what was chosen.
func (c *choices) show(chosen job.Choices) {
	given := map[string][]string{"sources": chosen.Sources, "providers": chosen.Providers}
	switch {
	case len(chosen.Sources) == 1 && chosen.Sources[0] == job.LocalProvider:
		given = map[string][]string{"documents": {documentsAlone}}
	case chosen.Documents != nil && *chosen.Documents:
		given["documents"] = []string{documentsToo}
	case chosen.Documents != nil:
		given["documents"] = []string{documentsNone}
	}
	_, _ = c.take(given) // what was chosen before can be chosen
}

// take reads what is chosen in a form, which shows it when it is shown again.
func (c *choices) take(given map[string][]string) (asked job.Choices, err error) {
	mark := func(of []choice, chosen []string) {
		for i := range of {
			of[i].Chosen = slices.Contains(chosen, of[i].Value)
		}
	}
	asked.Sources = slices.DeleteFunc(slices.Clone(given["sources"]), func(name string) bool { return name == "" }) // no lens
	asked.Providers = given["providers"]
	mark(c.Sources, asked.Sources)
	mark(c.Lenses, asked.Sources)
	mark(c.Providers, asked.Providers)
	yes, no := true, false
	if len(given["documents"]) > 0 {
		mark(c.Documents, given["documents"])
		switch given["documents"][0] {
		case documentsToo:
			asked.Documents = &yes
		case documentsNone:
			asked.Documents = &no
		case documentsAlone:
			if !asked.IsZero() {
				err = invalid("your documents alone are to be looked into, and others as well", "choose no kinds and no providers beside them")
			}
			asked.Sources = []string{job.LocalProvider}
		}
	}
	c.Any = !asked.IsZero()
	return asked, err
}
