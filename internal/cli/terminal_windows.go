package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// understandsEscapes switches a console's escape sequences on, which older ones have off, and says whether it has them.
func understandsEscapes(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
