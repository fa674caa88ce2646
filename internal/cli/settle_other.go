//go:build !linux

package cli

// unmapProgram does nothing where pages of a file are not counted, or cannot be let go.
func unmapProgram() {}
