//go:build !windows

package cli

import "os"

// understandsEscapes says whether a terminal redraws lines when it is told so.
func understandsEscapes(*os.File) bool { return true }
