//go:build !peers

package app

import "github.com/citewell/citewell/internal/bench"

// benchPeers names the library that is not linked into the shipped binary: its date
// parser costs 160 ms and 78 MB at every start.
func benchPeers() []bench.Reader {
	return []bench.Reader{{Name: "go-trafilatura, recall", Note: "not in this build: go run -tags peers ./cmd/citewell bench extraction DIR"}}
}

// benchEnginePeers has bleve in a build with the tag peers.
func benchEnginePeers() []bench.Engine { return nil }
