//go:build unix

package cli

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// untilUnread ends the context it returns also when the pipe or socket that out is has no reader
// any more: nobody is left to answer.
func untilUnread(ctx context.Context, out *output) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	file, ok := out.w.(*os.File)
	if !ok {
		return ctx, cancel
	}
	go func() {
		end := []unix.PollFd{{Fd: int32(file.Fd())}} // no event is asked for: a lost reader is told anyway
		_, err := unix.Poll(end, -1)
		for errors.Is(err, unix.EINTR) {
			_, err = unix.Poll(end, -1)
		}
		if err == nil {
			cancel()
		}
	}()
	return ctx, cancel
}
