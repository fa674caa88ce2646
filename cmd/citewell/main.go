// Command citewell answers questions with citations that can be checked.
package main

import (
	"os"

	"github.com/citewell/citewell/internal/cli"
	"github.com/citewell/citewell/internal/sandbox"
)

// version is set by the build; empty means the module's own.
var version string

func main() {
	sandbox.Main() // in a child that reads hostile bytes it does not return
	os.Exit(cli.Main(version, os.Args[1:]))
}
