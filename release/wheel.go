package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"path"
	"strings"
)

// about is what package registries show: README.md leads to files that they do not have.
//
//go:embed about.md
var about string

// writeWheel writes a Python wheel whose script is the binary itself, so that no Python runs
// at the start.
func (r *release) writeWheel(b built) error {
	version := r.version.Python()
	info := fmt.Sprintf("%s-%s.dist-info", name, version)
	metadata := fmt.Sprintf("Metadata-Version: 2.4\nName: %s\nVersion: %s\nSummary: %s\nAuthor-email: "+
		"%s\nLicense-Expression: %s\n", name, version, summary, maintainer, licence)
	kind := "Wheel-Version: 1.0\nGenerator: citewell-release\nRoot-Is-Purelib: false\n"
	for _, tag := range b.wheel {
		kind += "Tag: py3-none-" + tag + "\n"
	}
	files := []file{b.file(fmt.Sprintf("%s-%s.data/scripts/%s", name, version, b.binary()))}
	for _, paper := range r.documents {
		if paper.Path != "README.md" {
			metadata += "License-File: " + paper.Path + "\n"
			files = append(files, below(path.Join(info, "licenses"), []file{paper})...)
		}
	}
	metadata += "Project-URL: Source, " + repository + "\nDescription-Content-Type: text/markdown\n\n" + about
	files = append(files,
		file{Path: info + "/METADATA", Mode: 0o644, Data: []byte(metadata)},
		file{Path: info + "/WHEEL", Mode: 0o644, Data: []byte(kind)})
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.Data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.Path, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.Data))
	}
	fmt.Fprintf(&record, "%s/RECORD,,\n", info)
	files = append(files, file{Path: info + "/RECORD", Mode: 0o644, Data: []byte(record.String())})
	data, err := zipped(files, r.time)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s-%s-py3-none-%s.whl", name, version, strings.Join(b.wheel, ".")), data)
}
