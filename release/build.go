package main

import (
	"os"
	"path/filepath"
)

// A target is a system and a processor, with the names that each format has for them.
type target struct {
	os, arch         string // as Go says
	deb, rpm         string // the processor; empty where there is no such package
	wheel            []string
	npmOS, npmCPU    string
	brewOS, brewCPU  string // empty: not there
	bundleSystemName string
}

func (t target) String() string { return t.os + "/" + t.arch }

// binary is the file name of Citewell there.
func (t target) binary() string {
	if t.os == "windows" {
		return name + ".exe"
	}
	return name
}

// A static binary runs with every C library: a wheel for Linux says both. Go's oldest macOS is 12.
var targets = []target{
	{os: "linux", arch: "amd64", deb: "amd64", rpm: "x86_64",
		wheel: []string{"manylinux_2_17_x86_64", "musllinux_1_1_x86_64"}, npmOS: "linux", npmCPU: "x64",
		brewOS: "linux", brewCPU: "intel", bundleSystemName: "linux"},
	{os: "linux", arch: "arm64", deb: "arm64", rpm: "aarch64",
		wheel: []string{"manylinux_2_17_aarch64", "musllinux_1_1_aarch64"}, npmOS: "linux", npmCPU: "arm64",
		brewOS: "linux", brewCPU: "arm", bundleSystemName: "linux"},
	{os: "darwin", arch: "amd64", wheel: []string{"macosx_12_0_x86_64"}, npmOS: "darwin", npmCPU: "x64",
		brewOS: "macos", brewCPU: "intel", bundleSystemName: "darwin"},
	{os: "darwin", arch: "arm64", wheel: []string{"macosx_12_0_arm64"}, npmOS: "darwin", npmCPU: "arm64",
		brewOS: "macos", brewCPU: "arm", bundleSystemName: "darwin"},
	{os: "windows", arch: "amd64", wheel: []string{"win_amd64"}, npmOS: "win32", npmCPU: "x64",
		bundleSystemName: "win32"},
	{os: "windows", arch: "arm64", wheel: []string{"win_arm64"}, npmOS: "win32", npmCPU: "arm64",
		bundleSystemName: "win32"},
}

// A built target is its binary, as bytes.
type built struct {
	target
	data []byte
}

// file is the binary at that path.
func (b built) file(path string) file { return file{Path: path, Mode: 0o755, Data: b.data} }

// build compiles Citewell for a target. What the user's own environment asks of Go is put
// aside: it would change the bytes.
func (r *release) build(t target) (built, error) {
	dir, err := os.MkdirTemp("", "citewell-release-")
	if err != nil {
		return built{}, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, t.binary())
	environ := []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOWORK=off"}
	_, err = output(r.source, environ, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X main.version="+r.version.Stamp(), "-o", path, "./cmd/citewell")
	if err != nil {
		return built{}, err
	}
	data, err := os.ReadFile(path)
	return built{t, data}, err
}
