package main

import (
	"encoding/json"
	"fmt"
)

// A bundleManifest is the manifest.json of an MCP bundle, version 0.3 of the format.
type bundleManifest struct {
	ManifestVersion string                 `json:"manifest_version"`
	Name            string                 `json:"name"`
	DisplayName     string                 `json:"display_name"`
	Version         string                 `json:"version"`
	Description     string                 `json:"description"`
	LongDescription string                 `json:"long_description"`
	Author          bundleAuthor           `json:"author"`
	Repository      bundleLink             `json:"repository"`
	Server          bundleServer           `json:"server"`
	ToolsGenerated  bool                   `json:"tools_generated"` // the server says which tools there are
	License         string                 `json:"license"`
	Compatibility   bundleCompatibility    `json:"compatibility"`
	UserConfig      map[string]bundleInput `json:"user_config"`
}

type bundleAuthor struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

type bundleLink struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type bundleServer struct {
	Type       string       `json:"type"`
	EntryPoint string       `json:"entry_point"`
	Config     bundleConfig `json:"mcp_config"`
}

type bundleConfig struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

type bundleCompatibility struct {
	Platforms []string `json:"platforms"`
}

type bundleInput struct {
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Sensitive   bool   `json:"sensitive"`
	Default     string `json:"default"`
}

// bundleKeys are the settings that a client offers to fill in; Citewell needs none of them,
// and an empty one counts as unset.
var bundleKeys = []struct{ key, variable, title string }{
	{"tavily_api_key", "TAVILY_API_KEY", "Tavily API key"},
	{"brave_api_key", "BRAVE_API_KEY", "Brave Search API key"},
	{"exa_api_key", "EXA_API_KEY", "Exa API key"},
}

func (r *release) bundleName(t target) string {
	return fmt.Sprintf("%s_%s_%s_%s.mcpb", name, r.version.Semver(), t.os, t.arch)
}

// writeBundle writes an MCP bundle: the binary and how a client starts it. The format names
// systems and no processors, so there is one for each target.
func (r *release) writeBundle(b built) error {
	entry := "server/" + b.binary()
	m := bundleManifest{
		ManifestVersion: "0.3", Name: name, DisplayName: title, Version: r.version.Semver(), Description: summary,
		LongDescription: description, Author: bundleAuthor{authors, address}, Repository: bundleLink{"git", repository},
		Server: bundleServer{Type: "binary", EntryPoint: entry,
			Config: bundleConfig{Command: "${__dirname}/" + entry, Args: []string{"mcp"}, Env: map[string]string{}}},
		ToolsGenerated: true, License: licence, Compatibility: bundleCompatibility{[]string{b.bundleSystemName}},
		UserConfig: map[string]bundleInput{},
	}
	for _, k := range bundleKeys {
		m.Server.Config.Env[k.variable] = "${user_config." + k.key + "}"
		m.UserConfig[k.key] = bundleInput{Type: "string", Title: k.title,
			Description: "Optional: one more search provider.", Sensitive: true}
	}
	manifest, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	files := append([]file{{Path: "manifest.json", Mode: 0o644, Data: append(manifest, '\n')}, b.file(entry)},
		r.documents...)
	data, err := zipped(files, r.time)
	if err != nil {
		return err
	}
	return r.write(r.bundleName(b.target), data)
}
