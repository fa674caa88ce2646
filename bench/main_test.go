package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"bench": main}) }

// Each part measures a small set of its kind, and refuses another by name.
func TestScripts(t *testing.T) { testscript.Run(t, testscript.Params{Dir: "testdata/script"}) }
