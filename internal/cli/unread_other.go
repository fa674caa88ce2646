//go:build !unix

package cli

import "context"

// untilUnread does not learn here that the output has no reader any more: calls whose client is
// gone end when the input has ended and the time for answers is over.
func untilUnread(ctx context.Context, _ *output) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}
