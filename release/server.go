package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	registry "github.com/modelcontextprotocol/registry/pkg/api/v0"
	"github.com/modelcontextprotocol/registry/pkg/model"
)

// download is where a file of this release will be.
func (r *release) download(name string) string {
	return fmt.Sprintf("%s/releases/download/v%s/%s", repository, r.version.Semver(), name)
}

// writeServer writes server.json, by which the MCP registry tells clients how to start
// Citewell: from PyPI, npm, a bundle or the image.
func (r *release) writeServer() error {
	stdio := model.Transport{Type: model.TransportTypeStdio}
	mcp := []model.Argument{{InputWithVariables: model.InputWithVariables{Input: model.Input{Value: "mcp"}},
		Type: model.ArgumentTypePositional}}
	packages := []model.Package{
		{RegistryType: model.RegistryTypePyPI, Identifier: name, Version: r.version.Python(),
			RunTimeHint: model.RuntimeHintUVX, Transport: stdio, PackageArguments: mcp},
		{RegistryType: model.RegistryTypeNPM, Identifier: name, Version: r.version.Semver(),
			RunTimeHint: model.RuntimeHintNPX, Transport: stdio, PackageArguments: mcp},
	}
	for _, t := range r.targets {
		sum, err := r.sum(r.bundleName(t))
		if err != nil {
			return err
		}
		packages = append(packages, model.Package{RegistryType: model.RegistryTypeMCPB,
			Identifier: r.download(r.bundleName(t)), FileSHA256: sum, Transport: stdio})
	}
	if r.image != "" {
		packages = append(packages, model.Package{RegistryType: model.RegistryTypeOCI,
			Identifier: r.image + ":" + r.version.Semver(), Transport: stdio})
	}
	server := registry.ServerJSON{
		Schema: model.CurrentSchemaURL, Name: serverName, Title: title, Description: summary,
		Version:    r.version.Semver(),
		Repository: &model.Repository{URL: repository, Source: "github"}, Packages: packages,
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(server); err != nil {
		return err
	}
	return r.write("server.json", out.Bytes())
}
