package page

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/job"
	"github.com/citewell/citewell/internal/searchcall"
)

// choices are where a run can be made to look, as the form of a question has it.
type choices struct {
	Documents []choice // the web, the reader's own documents, or both; empty where there are none
	Missing   bool     // documents would be asked, and there are none yet
	Sources   []choice // kinds
	Lenses    []choice // in place of kinds
	Providers []choice
	Any       bool // something else than documents is chosen
}

// A choice of a form.
type choice struct {
	Value, Word, About string
	Chosen             bool
}

// How a reader chooses documents. What a run does where nothing is chosen has no value.
const (
	documentsToo   = "too"
	documentsAlone = "alone"
	documentsNone  = "none"
)

func choicesOf(o job.Offer) (c choices) {
	for _, kind := range o.Sources {
		if kind != searchcall.LocalProvider {
			c.Sources = append(c.Sources, choice{Value: kind, Word: kind})
		}
	}
	for _, lens := range o.Lenses {
		c.Lenses = append(c.Lenses, choice{Value: lens, Word: lens, About: strings.Join(o.Scopes[lens].Sites, ", ")})
	}
	for _, p := range o.Providers {
		if p.Name == searchcall.LocalProvider {
			if c.Missing = !o.Documents; o.Documents {
				c.Documents = []choice{{Value: documentsNone, Word: "Web"},
					{Value: documentsAlone, Word: "My documents"}, {Value: documentsToo, Word: "Both"}}
				c.usual(map[bool]string{true: documentsToo, false: documentsNone}[p.Standing])
			}
			continue
		}
		c.Providers = append(c.Providers, choice{Value: p.Name, Word: p.Name, About: p.About})
	}
	return c
}

// usual makes one way of choosing documents that which is taken where nothing is chosen.
func (c *choices) usual(way string) {
	for i := range c.Documents {
		if d := &c.Documents[i]; d.Value == way {
			d.Value, d.Chosen = "", true
		}
	}
}

// wayOf is how documents were chosen; empty where that was left open.
func wayOf(chosen job.Choices) string {
	switch {
	case slices.Equal(chosen.Sources, []string{searchcall.LocalProvider}):
		return documentsAlone
	case chosen.Documents != nil && *chosen.Documents:
		return documentsToo
	case chosen.Documents != nil:
		return documentsNone
	}
	return ""
}

// show has the form show what was chosen.
func (c *choices) show(chosen job.Choices) {
	given := map[string][]string{"sources": chosen.Sources, "providers": chosen.Providers, "documents": {wayOf(chosen)}}
	if given["documents"][0] == documentsAlone {
		delete(given, "sources")
	}
	_, _ = c.take(given) // what was chosen before can be chosen
}

// goOn makes the choice of the run that the form goes on from that which is taken where nothing is chosen.
func (c *choices) goOn(former job.Choices) {
	if former.IsZero() || len(c.Documents) == 0 {
		return
	}
	ways := []string{documentsNone, documentsAlone, documentsToo}
	for i := range c.Documents {
		c.Documents[i].Value, c.Documents[i].Chosen = ways[i], false
	}
	if way := wayOf(former); way != "" {
		c.usual(way)
		return
	}
	c.Documents = append([]choice{{Word: "As before", Chosen: true}}, c.Documents...)
}

// take reads what is chosen in a form, which shows it when it is shown again.
func (c *choices) take(given map[string][]string) (asked job.Choices, err error) {
	mark := func(of []choice, chosen []string) {
		for i := range of {
			of[i].Chosen = slices.Contains(chosen, of[i].Value)
		}
	}
	// no lens
	asked.Sources = slices.DeleteFunc(slices.Clone(given["sources"]), func(name string) bool { return name == "" })
	asked.Providers = given["providers"]
	mark(c.Sources, asked.Sources)
	mark(c.Lenses, asked.Sources)
	mark(c.Providers, asked.Providers)
	yes, no := true, false
	c.Any = !asked.IsZero()
	if len(given["documents"]) > 0 {
		if mark(c.Documents, given["documents"]); !slices.ContainsFunc(c.Documents, func(d choice) bool {
			return d.Chosen
		}) {
			mark(c.Documents, []string{""})
		}
		switch given["documents"][0] {
		case documentsToo:
			asked.Documents = &yes
		case documentsNone:
			asked.Documents = &no
		case documentsAlone:
			if !asked.IsZero() {
				err = invalid("the form asks for your documents alone, and for other sources as well",
					"choose no kinds and no providers beside them")
			}
			asked.Sources = []string{searchcall.LocalProvider}
		}
	}
	return asked, err
}
