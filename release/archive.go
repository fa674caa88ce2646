package main

import "fmt"

// archiveName is the name of a target's archive.
func (r *release) archiveName(t target) string {
	ending := "tar.gz"
	if t.os == "windows" {
		ending = "zip"
	}
	return fmt.Sprintf("%s_%s_%s_%s.%s", name, r.version.Semver(), t.os, t.arch, ending)
}

// writeArchive packs the binary with its papers, manual and completions, in one folder.
func (r *release) writeArchive(b built) error {
	files := append([]file{b.file(b.binary())}, r.documents...)
	files = append(files, below("man/man1", r.manual)...)
	files = append(files, below("completions", r.completions)...)
	folder := fmt.Sprintf("%s_%s_%s_%s", name, r.version.Semver(), b.os, b.arch)
	files = withFolders(below(folder, files))
	pack := func() ([]byte, error) { return tarGzip("", files, r.time) }
	if b.os == "windows" {
		pack = func() ([]byte, error) { return zipped(files, r.time) }
	}
	data, err := pack()
	if err != nil {
		return err
	}
	return r.write(r.archiveName(b.target), data)
}
