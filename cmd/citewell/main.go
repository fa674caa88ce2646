// Command citewell answers questions with citations that can be checked.
package main

import (
	"os"

	"github.com/citewell/citewell/internal/cli"
)

// version is set by the build; empty means the module's own.
var version string

func main() { os.Exit(cli.Main(version, os.Args[1:])) }
