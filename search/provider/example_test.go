package provider_test

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/search/provider"
)

func ExampleNew() {
	_, err := provider.New("tavily", provider.Deps{})
	fmt.Println(citewell.View(err).Code)
	p, err := provider.New("tavily", provider.Deps{Settings: map[string]provider.Settings{
		"tavily": {APIKey: citewell.NewSecret("tvly-key")}}})
	fmt.Println(p.Name(), err)
	// Output:
	// provider_not_configured
	// tavily <nil>
}
