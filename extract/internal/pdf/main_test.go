package pdf

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/citewell/citewell/internal/sandbox"
)

// TestMain lets the test binary be the child that reads PDFs.
func TestMain(m *testing.M) {
	sandbox.Main()
	goleak.VerifyTestMain(m)
}
