package httpwire

import "context"

// A FreshKey is the key of contexts whose pages come from their servers.
type FreshKey struct{}

// Afresh returns a context whose fetches read each page as if Request.Revalidate were set.
func Afresh(ctx context.Context) context.Context { return context.WithValue(ctx, FreshKey{}, true) }
