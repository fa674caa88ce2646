package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io/fs"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user of the image, and the folder that is his.
const (
	imageUser = 65532
	imageHome = "var/lib/citewell"
)

// A descriptor names a blob of an OCI image by what it holds.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

// A manifest is an image for one platform, or the list of those.
type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        *descriptor       `json:"config,omitempty"`
	Layers        []descriptor      `json:"layers,omitempty"`
	Manifests     []descriptor      `json:"manifests,omitempty"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

// An imageConfig says how a container of the image is started.
type imageConfig struct {
	Created string `json:"created"`
	Author  string `json:"author"`
	platform
	Config struct {
		User       string
		Env        []string
		Entrypoint []string
		Cmd        []string
		WorkingDir string
		Volumes    map[string]struct{}
		Labels     map[string]string
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// layout gathers the files of an OCI image layout.
type layout struct{ files []file }

// add keeps a blob and describes it.
func (l *layout) add(mediaType string, data []byte) descriptor {
	sum := digest(data)
	l.files = append(l.files, file{Path: "blobs/sha256/" + sum, Mode: 0o644, Data: data})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + sum, Size: len(data)}
}

func (l *layout) addJSON(mediaType string, v any) (descriptor, error) {
	data, err := json.Marshal(v)
	return l.add(mediaType, data), err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

const (
	indexType    = "application/vnd.oci.image.index.v1+json"
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.oci.image.config.v1+json"
	layerType    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// writeImage writes the image for Linux as a tar of an OCI layout: an image of nothing but the
// roots of trust, a user, and the binary.
func (r *release) writeImage(all []built) error {
	if len(all) == 0 {
		return nil
	}
	var l layout
	notes := map[string]string{
		"org.opencontainers.image.title": title, "org.opencontainers.image.description": summary,
		"org.opencontainers.image.source":   repository,
		"org.opencontainers.image.licenses": licence, "org.opencontainers.image.version": r.version.Semver(),
	}
	images := manifest{SchemaVersion: 2, MediaType: indexType, Annotations: notes}
	for _, b := range all {
		image, err := r.addImage(&l, b, notes)
		if err != nil {
			return err
		}
		images.Manifests = append(images.Manifests, image)
	}
	list, err := l.addJSON(indexType, images)
	if err != nil {
		return err
	}
	list.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.version.Semver()}
	index, err := json.Marshal(manifest{SchemaVersion: 2, MediaType: indexType, Manifests: []descriptor{list}})
	if err != nil {
		return err
	}
	l.files = append(l.files,
		file{Path: "index.json", Mode: 0o644, Data: index},
		file{Path: "oci-layout", Mode: 0o644, Data: []byte(`{"imageLayoutVersion":"1.0.0"}`)})
	var out bytes.Buffer
	if err := writeTar(&out, "", withFolders(unique(l.files)), r.time); err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s_%s_oci.tar", name, r.version.Semver()), out.Bytes())
}

// addImage adds the image of one platform.
func (r *release) addImage(l *layout, b built, notes map[string]string) (descriptor, error) {
	config := imageConfig{Created: r.time.Format("2006-01-02T15:04:05Z"), Author: authors,
		platform: platform{b.arch, b.os}}
	c := &config.Config
	c.User = fmt.Sprintf("%d:%d", imageUser, imageUser)
	c.Env = []string{"PATH=/usr/bin", "HOME=/" + imageHome, "XDG_DATA_HOME=/var/lib",
		"XDG_CACHE_HOME=/" + imageHome + "/cache"}
	c.Entrypoint, c.Cmd, c.WorkingDir = []string{"/usr/bin/" + name}, []string{"mcp"}, "/"+imageHome
	c.Volumes = map[string]struct{}{"/" + imageHome: {}}
	c.Labels = map[string]string{"io.modelcontextprotocol.server.name": serverName}
	m := manifest{SchemaVersion: 2, MediaType: manifestType, Annotations: notes}
	for _, files := range [][]file{imageBase(), append([]file{b.file("usr/bin/" + name)},
		below("usr/share/doc/citewell", r.documents)...)} {
		var plain bytes.Buffer
		if err := writeTar(&plain, "", withFolders(files), r.time); err != nil {
			return descriptor{}, err
		}
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, "sha256:"+digest(plain.Bytes()))
		data, err := gzipped(plain.Bytes(), gzip.DefaultCompression)
		if err != nil {
			return descriptor{}, err
		}
		m.Layers = append(m.Layers, l.add(layerType, data))
	}
	config.RootFS.Type = "layers"
	described, err := l.addJSON(configType, config)
	if err != nil {
		return descriptor{}, err
	}
	m.Config = &described
	image, err := l.addJSON(manifestType, m)
	image.Platform = &config.platform
	return image, err
}

// imageBase is what a static binary wants of a system: whom to trust, a user, a place for files.
func imageBase() []file {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // a limit of trust cannot be said in this file
			pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a Buffer takes all
		}
	}
	line := fmt.Sprintf("citewell:x:%d:", imageUser)
	return []file{
		{Path: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644, Data: roots.Bytes()},
		{Path: "etc/passwd", Mode: 0o644, Data: fmt.Appendf(nil, "%s%d::/%s:/sbin/nologin\n", line, imageUser,
			imageHome)},
		{Path: "etc/group", Mode: 0o644, Data: []byte(line + "\n")},
		{Path: imageHome + "/", Mode: 0o700, Owner: imageUser},
		{Path: "tmp/", Mode: 0o777 | fs.ModeSticky},
	}
}

// unique drops blobs that are there already, as the base of every platform.
func unique(files []file) []file {
	known := map[string]bool{}
	var all []file
	for _, f := range files {
		if !known[f.Path] {
			known[f.Path] = true
			all = append(all, f)
		}
	}
	return all
}
