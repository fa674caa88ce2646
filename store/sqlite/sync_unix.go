//go:build !windows

package sqlite

import (
	"errors"
	"os"
)

// syncDir makes the names in dir durable: the files made, renamed and removed.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
