//go:build unix && !linux

package sandbox

import "os"

func executable() (string, error) { return os.Executable() }

func confine(cpu, _ uint64) ([]string, error) {
	if err := limitCommon(cpu); err != nil {
		return nil, err
	}
	return []string{"memory", "cpu"}, nil
}
