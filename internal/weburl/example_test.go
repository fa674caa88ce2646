package weburl_test

import (
	"fmt"

	"github.com/citewell/citewell/internal/weburl"
)

func ExampleCanonical() {
	fmt.Println(weburl.Canonical("HTTPS://WWW.Example.com:443/a/../tower?utm_source=x&id=7#top"))
	// Output:
	// example.com/tower?id=7
}
