//go:build !unix

package mcptools

import "os/exec"

func asGroup(*exec.Cmd)   {}
func killGroup(*exec.Cmd) {}
