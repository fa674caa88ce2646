package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/testing/realpart"
)

// openImage unpacks the image as a container runtime does, holding every blob against its
// digest, and returns its file system and how it is started.
func openImage(t *testing.T, r *release) (root string, config imageConfig) {
	dir, root := t.TempDir(), t.TempDir()
	must(t, dir, need(t, "tar"), "-xf", r.path("citewell_"+r.version.Semver()+"_oci.tar"))
	blob := func(d descriptor) []byte {
		data := read(t, dir, "blobs", strings.Replace(d.Digest, ":", "/", 1))
		if "sha256:"+digest([]byte(data)) != d.Digest || len(data) != d.Size {
			t.Fatalf("%s holds something else", d.Digest)
		}
		return []byte(data)
	}
	decode := func(data []byte, v any) {
		if err := json.Unmarshal(data, v); err != nil {
			t.Fatal(err)
		}
	}
	var index, list, image manifest
	decode([]byte(read(t, dir, "index.json")), &index)
	decode(blob(index.Manifests[0]), &list)
	decode(blob(list.Manifests[0]), &image)
	decode(blob(*image.Config), &config)
	for i, layer := range image.Layers {
		z, err := gzip.NewReader(bytes.NewReader(blob(layer)))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if config.RootFS.DiffIDs[i] != "sha256:"+digest(data) {
			t.Errorf("layer %d unpacks to something else than the configuration says", i)
		}
		unpack(t, root, data)
	}
	return root, config
}

func unpack(t *testing.T, root string, layer []byte) {
	t.Helper()
	for entries := tar.NewReader(bytes.NewReader(layer)); ; {
		header, err := entries.Next()
		if err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, 0o755)
		} else if data, readErr := io.ReadAll(entries); readErr != nil {
			err = readErr
		} else {
			err = os.WriteFile(path, data, 0o644)
		}
		if err = errors.Join(err, os.Chmod(path, header.FileInfo().Mode())); err == nil && os.Getuid() == 0 {
			err = os.Chown(path, header.Uid, header.Gid)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The image runs as its own user, with nothing around it.
func TestImage(t *testing.T) {
	r := made(t)
	root, config := openImage(t, r)
	if roots := read(t, root, "etc/ssl/certs/ca-certificates.crt"); strings.Count(roots, "BEGIN CERTIFICATE") < 100 {
		t.Errorf("%d roots of trust", strings.Count(roots, "BEGIN CERTIFICATE"))
	}
	if config.Config.Labels["io.modelcontextprotocol.server.name"] != serverName || config.Config.Cmd[0] != "mcp" {
		t.Errorf("%+v", config.Config)
	}
	if info, err := os.Stat(filepath.Join(root, "tmp")); err != nil ||
		info.Mode()&(fs.ModePerm|fs.ModeSticky) != 0o777|fs.ModeSticky {
		t.Errorf("/tmp: %v, %v", info, err)
	}
	if os.Getuid() != 0 {
		realpart.Lacking(t, "a file system is entered as root alone")
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	var user uint32
	if _, err := fmt.Sscanf(config.Config.User, "%d:", &user); err != nil || user != imageUser {
		t.Fatalf("%s, %v", config.Config.User, err)
	}
	tryOut(t, r, func(args ...string) *exec.Cmd {
		cmd := exec.Command(config.Config.Entrypoint[0], args...)
		cmd.Dir, cmd.Env = config.Config.WorkingDir, config.Config.Env
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}}
		return cmd
	})
}
