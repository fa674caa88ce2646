package main

import (
	"debug/buildinfo"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/jsonschema-go/jsonschema"
	registry "github.com/modelcontextprotocol/registry/pkg/api/v0"
	"github.com/modelcontextprotocol/registry/pkg/model"
)

// server.json is as the registry's own schema wants it, which its module has.
func TestServerJSON(t *testing.T) {
	r := made(t)
	folder, err := output(".", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/modelcontextprotocol/registry")
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(read(t, strings.TrimSpace(string(folder)), "internal/validators/schemas",
		model.CurrentSchemaVersion+".json")), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, r.path("server.json"))
	validate := func(text string) error {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return resolved.Validate(v)
	}
	if err := validate(text); err != nil {
		t.Error(err)
	}
	if validate(strings.Replace(text, summary, strings.Repeat("x", 101), 1)) == nil {
		t.Error("the schema takes a description of 101 characters")
	}
	var server registry.ServerJSON
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&server); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, p := range server.Packages {
		said = append(said, p.RegistryType+" "+p.Identifier+" "+p.Version)
	}
	version, bundle := r.version.Semver(), r.bundleName(r.targets[0])
	want := []string{"pypi citewell 0.1.0rc1", "npm citewell " + version, "mcpb " + r.download(bundle) + " ",
		"oci registry.example/citewell:" + version + " "}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("the packages are %q, want %q", said, want)
	}
	if sum, err := r.sum(bundle); err != nil || server.Packages[2].FileSHA256 != sum {
		t.Errorf("the bundle's sum is %s, %v", sum, err)
	}
}

// The formula names archives that are there, by their sums.
func TestFormula(t *testing.T) {
	r := made(t)
	text := read(t, r.path("citewell.rb"))
	named := regexp.MustCompile(`url "(.+)/([^/]+)"\n\s+sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(text, -1)
	if len(named) != len(r.targets) {
		t.Fatalf("%d archives in %s", len(named), text)
	}
	for _, m := range named {
		if sum, err := r.sum(m[2]); err != nil || sum != m[3] || m[1]+"/"+m[2] != r.download(m[2]) {
			t.Errorf("%s: %s, %v", m[0], sum, err)
		}
	}
}

// The SBOM has the modules that the Go command reads out of the binary.
func TestSBOM(t *testing.T) {
	r, dir := made(t), t.TempDir()
	must(t, dir, need(t, "tar"), "-xzf", r.path(r.archiveName(r.targets[0])), "--strip-components=1")
	info, err := buildinfo.ReadFile(filepath.Join(dir, "citewell"))
	if err != nil {
		t.Fatal(err)
	}
	var bom cyclonedx.BOM
	file := strings.TrimSuffix(r.archiveName(r.targets[0]), ".tar.gz") + ".cdx.json"
	if err := cyclonedx.NewBOMDecoder(strings.NewReader(read(t, r.path(file))),
		cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range *bom.Components {
		known[c.PackageURL] = true
	}
	for _, m := range info.Deps {
		if !known["pkg:golang/"+m.Path+"@"+m.Version] {
			t.Errorf("the SBOM lacks %s", m.Path)
		}
	}
	if len(known) != len(info.Deps)+1 || len(info.Deps) < 20 {
		t.Errorf("%d components of %d modules and the library", len(known), len(info.Deps))
	}
	if bom.SpecVersion != cyclonedx.SpecVersion1_7 || bom.Metadata.Component.Version != r.version.Semver() {
		t.Errorf("%v of %s", bom.SpecVersion, bom.Metadata.Component.Version)
	}
}
