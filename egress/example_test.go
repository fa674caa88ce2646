package egress_test

import (
	"context"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
)

func ExampleGuard_Check() {
	_, err := egress.Default().Check(context.Background(), "169.254.169.254", "80")
	fmt.Println(citewell.View(err).Code)
	// Output: blocked_address
}
