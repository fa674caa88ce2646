package citewell_test

import (
	"fmt"

	"github.com/citewell/citewell"
)

func ExampleSecret() {
	key := citewell.NewSecret("sk-live-0123456789")
	fmt.Printf("%v %+v %q\n", key, struct{ Key citewell.Secret }{key}, key)
	fmt.Println(key.Hide("the request with sk-live-0123456789 was refused"))
	// Output:
	// [redacted] {Key:[redacted]} "[redacted]"
	// the request with [redacted] was refused
}
