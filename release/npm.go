package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed npm/launcher.js
var launcher []byte

// packageJSON is what npm knows of a package.
type packageJSON struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Author               string            `json:"author"`
	Repository           string            `json:"repository"`
	MCPName              string            `json:"mcpName,omitempty"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	PreferUnplugged      bool              `json:"preferUnplugged,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

func (r *release) packageJSON(name string) packageJSON {
	return packageJSON{Name: name, Version: r.version.Semver(), Description: summary, License: licence,
		Author: maintainer, Repository: repository}
}

// npmName is the package that carries a target's binary.
func npmName(t target) string { return fmt.Sprintf("@%s/%s-%s", name, t.npmOS, t.npmCPU) }

// writeNPM writes the package of one target: the binary, which only its system installs.
func (r *release) writeNPM(b built) error {
	p := r.packageJSON(npmName(b.target))
	p.OS, p.CPU, p.PreferUnplugged = []string{b.npmOS}, []string{b.npmCPU}, true
	return r.writeNPMPackage(p, append([]file{b.file("bin/" + b.binary())}, r.documents...))
}

// writeLauncher writes the package that users name: it finds the binary and starts it.
func (r *release) writeLauncher() error {
	p := r.packageJSON(name)
	p.MCPName, p.Bin, p.Engines = serverName, map[string]string{name: "launcher.js"}, map[string]string{"node": ">=18"}
	p.OptionalDependencies = map[string]string{}
	for _, t := range r.targets {
		p.OptionalDependencies[npmName(t)] = r.version.Semver()
	}
	files := []file{{Path: "launcher.js", Mode: 0o755, Data: launcher}}
	for _, paper := range r.documents {
		if paper.Path == "README.md" {
			paper.Data = []byte(about)
		}
		if paper.Path != "THIRD_PARTY_LICENSES" { // of what is in the binaries
			files = append(files, paper)
		}
	}
	return r.writeNPMPackage(p, files)
}

// writeNPMPackage packs as npm pack does.
func (r *release) writeNPMPackage(p packageJSON, files []file) error {
	manifest, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	files = append(files, file{Path: "package.json", Mode: 0o644, Data: append(manifest, '\n')})
	data, err := tarGzip("package/", sorted(files), r.time)
	if err != nil {
		return err
	}
	base := strings.NewReplacer("@", "", "/", "-").Replace(p.Name)
	return r.write(fmt.Sprintf("%s-%s.tgz", base, p.Version), data)
}
