//go:build !unix

package custom

import "os/exec"

func asGroup(*exec.Cmd)   {}
func killGroup(*exec.Cmd) {}
