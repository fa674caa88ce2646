package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// A file is an entry of an archive or a package. A folder's Path ends in a slash.
type file struct {
	Path   string // from the root of what it is packed in, without a leading slash
	Mode   fs.FileMode
	Data   []byte
	Config bool // of a package: the administrator's changes stay
	Owner  int  // user and group by number; 0 is root
}

func (f file) folder() bool { return strings.HasSuffix(f.Path, "/") }

// below puts files into a folder.
func below(folder string, files []file) []file {
	moved := slices.Clone(files)
	for i := range moved {
		moved[i].Path = path.Join(folder, moved[i].Path)
	}
	return moved
}

// withFolders adds the folders above each file, and sorts: an entry comes after its folder.
func withFolders(files []file) []file {
	all := slices.Clone(files)
	known := map[string]bool{}
	for _, f := range files {
		known[f.Path] = true
	}
	for _, f := range files {
		for dir := path.Dir(strings.TrimSuffix(f.Path, "/")); dir != "."; dir = path.Dir(dir) {
			if !known[dir+"/"] {
				known[dir+"/"] = true
				all = append(all, file{Path: dir + "/", Mode: 0o755})
			}
		}
	}
	return sorted(all)
}

func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.Path, b.Path) })
}

// writeTar writes the entries in their order, each of the same time, with prefix before each path.
func writeTar(w io.Writer, prefix string, files []file, at time.Time) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		header := &tar.Header{Name: prefix + f.Path, Mode: int64(f.Mode.Perm()), Size: int64(len(f.Data)), Uid: f.Owner,
			Gid: f.Owner, ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatGNU}
		if f.Mode&fs.ModeSticky != 0 {
			header.Mode |= 0o1000
		}
		if f.folder() {
			header.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(f.Data); err != nil {
			return err
		}
	}
	return t.Close()
}

// tarGzip is a gzipped tar of the files, byte for byte the same for the same files and time.
func tarGzip(prefix string, files []file, at time.Time) ([]byte, error) {
	var plain bytes.Buffer
	if err := writeTar(&plain, prefix, files, at); err != nil {
		return nil, err
	}
	return gzipped(plain.Bytes(), gzip.DefaultCompression)
}

// gzipped is as `gzip -n` writes: without a name and a time.
func gzipped(data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return out.Bytes(), err
}

// zipped is a zip of the files as tarGzip makes a tar; who unpacks it on Unix gets the modes.
func zipped(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.Path, Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(f.Mode)
		w, err := z.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
