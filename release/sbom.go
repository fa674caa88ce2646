package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"strings"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes what the binary itself says it is made of, in CycloneDX: every module with
// its version and the sum by which the Go command knows it, and Go's own library.
func (r *release) writeSBOM(b built) error {
	info, err := buildinfo.Read(bytes.NewReader(b.data))
	if err != nil {
		return err
	}
	main := component(cyclonedx.ComponentTypeApplication, info.Main.Path, r.version.Semver())
	main.Licenses = &cyclonedx.Licenses{{License: &cyclonedx.License{ID: licence}}}
	parts := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, "stdlib",
		strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(cyclonedx.ComponentTypeLibrary, m.Path, m.Version)
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
		parts = append(parts, c)
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format("2006-01-02T15:04:05Z"), Component: &main}
	bom.Components = &parts
	var out bytes.Buffer
	if err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).
		Encode(bom); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s_%s_%s_%s.cdx.json", name, r.version.Semver(), b.os, b.arch), out.Bytes())
}

func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	url := fmt.Sprintf("pkg:golang/%s@%s", path, version)
	return cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
