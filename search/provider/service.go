package provider

import (
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

// A service is asked with a key, at one place of its API, and with options of its own.
type service[O any] struct {
	*wire
	endpoint *url.URL
	key      citewell.Secret
	options  O
	now      func() time.Time
}

// newService is at path below a service's public address, or below the configured one.
func newService[O any](d Deps, name string, s Settings, public, path string, o O, refused refuse) (service[O], error) {
	u, err := endpoint(name, s.BaseURL, public, path)
	if err != nil {
		return service[O]{}, err
	}
	return service[O]{newWire(d, name, u, refused), u, s.APIKey, o, time.Now}, nil
}

// opens opens a provider without options of its own, which is made of where it is asked. Its errors
// are newService's.
func opens(name, public, path string, refused refuse, made func(service[struct{}]) search.Provider) func(
	Deps, Settings) (search.Provider, error) {
	return func(d Deps, s Settings) (search.Provider, error) {
		at, err := newService(d, name, s, public, path, struct{}{}, refused)
		return made(at), err
	}
}

// NewWith returns the provider that has options of the type O, with these. Its errors are New's, and
// invalid_argument for an option that the provider does not know.
func NewWith[O services.Options](d Deps, options O) (search.Provider, error) {
	switch o := any(options).(type) {
	case services.BraveOptions:
		return withOptions(d, braveName, o, newBrave)
	case services.ExaOptions:
		return withOptions(d, exaName, o, newExa)
	case services.GoogleOptions:
		return withOptions(d, googleName, o, newGoogle)
	case services.SerpAPIOptions:
		return withOptions(d, serpapiName, o, newSerpAPI)
	case services.StackExchangeOptions:
		return withOptions(d, stackExchangeName, o, newStackExchange)
	case services.TavilyOptions:
		return withOptions(d, tavilyName, o, newTavily)
	default:
		return withOptions(d, "searxng", any(options).(services.SearXNGOptions), newSearXNG)
	}
}

// withOptions opens a provider with options of its own. Its errors are New's and open's.
func withOptions[O any](d Deps, name string, o O, open func(
	Deps, Settings, O) (search.Provider, error)) (search.Provider, error) {
	if err := d.missing(registry[name]); err != nil {
		return nil, err
	}
	return open(d, d.Settings[name], o)
}
