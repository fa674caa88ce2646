package extract

import "github.com/citewell/citewell/internal/sandbox"

// Main does the work of a child process where this process is one, and does not return
// then. A program whose PDFs are to be read calls it before anything else in main: they
// are read by the program's own executable, started again without files, network and
// environment. In a program that does not, a PDF is an unsupported_type.
func Main() { sandbox.Main() }
