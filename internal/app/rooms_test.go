package app

import (
	"path/filepath"
	"testing"
)

// What a tenant has of a folder is the folder's for the operator's own tenant, and a folder of
// its name below it for another.
func TestRooms(t *testing.T) {
	dir := t.TempDir()
	for tenant, want := range map[string]string{"default": dir, "acme": filepath.Join(dir, "acme")} {
		if got := (&App{tenant: tenant}).ownFolder(dir); got != want {
			t.Errorf("%s: %s, want %s", tenant, got, want)
		}
	}
}
