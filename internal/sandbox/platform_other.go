//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

const emptyDirectory = ""

func executable() (string, error) { return os.Executable() }

func group(*exec.Cmd) {}

func confine(uint64, uint64) (Walls, error) { return Walls{Layers: []string{"memory"}}, nil }
