//go:build !linux

package sandbox

import "context"

// Run says that only Linux has the wall.
func (c Command) Run(context.Context) (Ended, error) { return Ended{}, ErrNoWall }

func superviseMain() int { return exitMisused }
