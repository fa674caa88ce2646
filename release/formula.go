package main

import (
	"bytes"
	_ "embed"
	"text/template"
)

//go:embed formula.rb
var formulaText string

var formula = template.Must(template.New("formula").Parse(formulaText))

// writeFormula writes the formula for a Homebrew tap, which takes the archives of macOS and Linux.
func (r *release) writeFormula() error {
	type archive struct{ System, CPU, URL, Sum string }
	var archives []archive
	for _, t := range r.targets {
		if t.brewOS == "" {
			continue
		}
		sum, err := r.sum(r.archiveName(t))
		if err != nil {
			return err
		}
		archives = append(archives, archive{t.brewOS, t.brewCPU, r.download(r.archiveName(t)), sum})
	}
	var out bytes.Buffer
	err := formula.Execute(&out, map[string]any{"Summary": summary, "Homepage": repository,
		"Version": r.version.Semver(), "Licence": licence, "Archives": archives})
	if err != nil {
		return err
	}
	return r.write("citewell.rb", out.Bytes())
}
