//go:build !race

package sandbox

var detector []string
