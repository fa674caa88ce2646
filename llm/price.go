package llm

import "cmp"

// A Price is what a model costs, in US dollars for a million tokens.
type Price struct {
	Input  float64
	Cached float64 // input that the endpoint had read before; Input where 0
	Output float64
}

// Known says whether there is a price.
func (p Price) Known() bool { return p != Price{} }

// Of is what a Reply cost, in US dollars.
func (p Price) Of(r Reply) float64 {
	cached := cmp.Or(p.Cached, p.Input)
	fresh := max(r.InputTokens-r.CachedTokens, 0)
	return (float64(fresh)*p.Input + float64(r.InputTokens-fresh)*cached + float64(r.OutputTokens)*p.Output) / 1e6
}

// Price is the Client's; the zero one where nobody said it.
func (c *Client) Price() Price { return c.o.Price }
