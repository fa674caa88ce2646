package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/search"
)

// Choices are where a run is to look. The zero value leaves that to its agent, or to the run that it goes on from.
type Choices struct {
	// kinds, or one lens, or "auto" alone for what the question calls for
	Sources   []string `json:"sources,omitempty"`
	Providers []string `json:"providers,omitempty"` // by name: all of these are asked, and no others
	// whether the user's own documents take part; nil is as the agent has it
	Documents *bool `json:"documents,omitempty"`
}

// IsZero says whether nothing is chosen.
func (c Choices) IsZero() bool {
	return len(c.Sources) == 0 && len(c.Providers) == 0 && c.Documents == nil
}

// Lens is the lens through which a run looks; empty where it is kept to none.
func (c Choices) Lens() string {
	if len(c.Sources) != 1 || c.Sources[0] == search.Auto || slices.Contains(search.KindNames(), c.Sources[0]) {
		return ""
	}
	return c.Sources[0]
}

// Words say where a run was made to look, to go on behind "it looks"; empty where that is left to
// its agent or its question.
func (c Choices) Words() string {
	var said []string
	switch lens := c.Lens(); {
	case lens != "":
		said = append(said, "through the lens "+lens)
	case len(c.Sources) > 0 && c.Sources[0] != search.Auto:
		said = append(said, "only at sources of kind "+strings.Join(c.Sources, ", "))
	}
	if len(c.Providers) > 0 {
		said = append(said, "only with "+strings.Join(c.Providers, ", "))
	}
	if c.Documents != nil && *c.Documents {
		said = append(said, "in your documents too")
	} else if c.Documents != nil {
		said = append(said, "not in your documents")
	}
	return strings.Join(said, "; ")
}

// An Offer is what the runs of an agent can choose from. There is none for an agent that has no search of its own.
type Offer struct {
	Sources   []string                `json:"sources"` // kinds that the providers know
	Lenses    []string                `json:"lenses"`
	Scopes    map[string]search.Scope `json:"-"` // of the lenses
	Providers []Offered               `json:"providers"`
	// the caller has some; that they may be searched is said by searchcall.LocalProvider
	Documents bool `json:"-"`
}

// Offered is a provider that can be chosen.
type Offered struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Sources  []string `json:"sources"`  // kinds that it knows
	Standing bool     `json:"standing"` // it is asked where nobody chooses
}

func (o Offer) names() []string {
	names := make([]string, len(o.Providers))
	for i, p := range o.Providers {
		names[i] = p.Name
	}
	return names
}

// Offer is what runs of an agent can choose from; the default's where the name is empty.
func (d *Desk) Offer(ctx context.Context, agent string) (Offer, error) {
	definition, err := d.Agent(agent)
	if err != nil || d.Offers == nil {
		return Offer{}, err
	}
	return d.Offers(ctx, definition)
}

// choose checks the choices of a run against what its agent offers, and puts them in order:
// not_found names what there is, and invalid_argument is of words that are no kinds.
func (d *Desk) choose(ctx context.Context, definition Definition, c *Choices) error {
	if c.IsZero() {
		return nil
	}
	var offer Offer
	if d.Offers != nil {
		var err error
		if offer, err = d.Offers(ctx, definition); err != nil {
			return err
		}
	}
	scope, err := search.ParseScope(c.Sources, offer.Scopes)
	if view := citewell.View(err); err != nil && len(c.Sources) == 1 && couldBeLens(c.Sources[0]) {
		return &citewell.Error{Code: view.Code, Op: "runs", Message: view.Message, Hint: view.Hint, Err: ErrNoLens}
	}
	if err != nil {
		return err
	}
	if len(offer.Providers) == 0 {
		return nowhere(fmt.Sprintf("where the agent %s looks cannot be chosen: it has no search of its own, or no "+
			"provider is switched on", definition.Name), "leave out sources, providers and documents")
	}
	return c.within(offer, scope)
}

// within is choose for a scope that was read of c.
func (c *Choices) within(offer Offer, scope search.Scope) error {
	kinds := scope.Kinds
	if scope.Lens != "" { // what nobody here knows of it is left out
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(k search.Kind) bool {
			return !slices.Contains(offer.Sources, string(k))
		})
		if len(kinds) == 0 && len(scope.Kinds) > 0 {
			kinds = scope.Kinds
		}
	}
	if len(kinds) > 0 {
		c.Sources = nil
	}
	for _, kind := range kinds {
		if !slices.Contains(offer.Sources, string(kind)) {
			return nowhere(fmt.Sprintf("no provider that may be asked here knows sources of kind %s", kind),
				"sources: "+strings.Join(offer.Sources, ", "))
		}
		c.Sources = append(c.Sources, string(kind))
	}
	var chosen []string
	for _, name := range c.Providers {
		i := slices.Index(offer.names(), name)
		if i < 0 {
			return nowhere(fmt.Sprintf("the provider %.60q does not exist or is not enabled here%s", name,
				text.DidYouMean(name, offer.names())), "providers: "+strings.Join(offer.names(), ", "))
		}
		if len(kinds) > 0 && !slices.ContainsFunc(offer.Providers[i].Sources, func(kind string) bool {
			return slices.Contains(c.Sources, kind)
		}) {
			return nowhere(fmt.Sprintf("the provider %s knows no sources of kind %s", name,
				strings.Join(c.Sources, ", ")), fmt.Sprintf("it knows %s; leave out sources to ask it all the same",
				strings.Join(offer.Providers[i].Sources, ", ")))
		}
		if !slices.Contains(chosen, name) {
			chosen = append(chosen, name)
		}
	}
	slices.Sort(chosen)
	c.Providers = chosen
	local := slices.Contains(c.Providers, searchcall.LocalProvider) ||
		slices.Contains(c.Sources, string(search.KindLocal))
	if scope.Lens != "" {
		c.Sources = []string{scope.Lens}
	}
	switch {
	case c.Documents != nil && !*c.Documents && local:
		return nowhere("documents are to be left out, and are asked for by the provider or the kind local",
			"leave out documents, or local")
	case !local && (c.Documents == nil || !*c.Documents):
		return nil
	case !slices.Contains(offer.names(), searchcall.LocalProvider):
		return nowhere("documents may not be searched here", "leave out documents and local")
	case !offer.Documents:
		return nowhere("there are no documents to look into", "add some: on the page of the library, with POST "+
			"/v1/documents, or citewell index FOLDER")
	}
	return nil
}

// couldBeLens says whether a word that is no kind has the form of a lens's name that the API publishes.
func couldBeLens(word string) bool {
	word = strings.ToLower(strings.TrimSpace(word)) // as search.ParseScope reads it
	return len(word) <= 64 && search.Scope{}.Check(word) == nil
}

// ErrNoLens marks the error of a choice of one source that is no kind: it could be a lens.
var ErrNoLens = errors.New("no lens")

// nowhere is the error of a choice that leads to no provider which may be asked.
func nowhere(message, hint string) error {
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "runs", Message: message, Hint: hint}
}
