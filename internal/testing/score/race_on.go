//go:build race

package score

// RaceDetector says that the program runs under the race detector, which makes a
// measurement ten times slower and tells nothing about it: tests of quality skip, and
// make test runs them without.
const RaceDetector = true
