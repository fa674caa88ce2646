package realpart

import "testing"

// With -short no part is started, and the test that wants it skips; without, it is.
func TestStart(t *testing.T) {
	started := false
	t.Run("part", func(t *testing.T) {
		Start(t, "a part", func() (int, error) { started = true; return 0, nil })
	})
	if started == testing.Short() {
		t.Errorf("started: %v", started)
	}
}
