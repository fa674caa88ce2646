//go:build race

package sandbox

// detector has the race detector of a child end with it: as a rule it waits for a second more, and the parent with it.
var detector = []string{"GORACE=atexit_sleep_ms=0"}
