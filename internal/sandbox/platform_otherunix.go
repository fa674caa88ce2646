//go:build unix && !linux

package sandbox

import "os"

func executable() (string, error) { return os.Executable() }

func confine(cpu, _ uint64) (Walls, error) {
	if err := limitCommon(cpu); err != nil {
		return Walls{}, err
	}
	return Walls{Layers: []string{"memory", "cpu"}}, nil
}
