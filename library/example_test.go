package library_test

import (
	"fmt"

	"github.com/citewell/citewell/library"
)

func ExampleFileURL() {
	address, err := library.FileURL("/home/me/notes/what now.md")
	fmt.Println(address, err)
	// Output: file:///home/me/notes/what%20now.md <nil>
}
