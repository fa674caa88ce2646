package main

import (
	"bytes"

	"github.com/google/rpmpack"
)

// writeRPM writes an RPM package, which owns the folders that are Citewell's alone.
func (r *release) writeRPM(b built) error {
	if b.rpm == "" {
		return nil
	}
	files, err := r.linuxFiles(b, "usr/share/zsh/site-functions")
	if err != nil {
		return err
	}
	files = append(files, file{Path: "etc/citewell/", Mode: 0o755}, file{Path: "usr/share/doc/citewell/", Mode: 0o755})
	p, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: name, Summary: summary, Description: description, Version: r.version.Linux(), Release: "1", Arch: b.rpm,
		OS:     "linux",
		Vendor: authors, URL: repository, Packager: maintainer, Licence: licence, BuildHost: "localhost",
		BuildTime: r.time, Compressor: "gzip",
	})
	if err != nil {
		return err
	}
	p.AddPostin(afterInstall)
	p.AddPreun(beforeRemove)
	p.AddPostun(afterRemove)
	for _, f := range sorted(files) {
		entry := rpmpack.RPMFile{Name: "/" + f.Path, Body: f.Data, Mode: uint(f.Mode.Perm()), Owner: "root",
			Group: "root", MTime: uint32(r.time.Unix())}
		switch {
		case f.folder():
			entry.Name = entry.Name[:len(entry.Name)-1]
			entry.Mode |= 0o40000
		case f.Config:
			entry.Type = rpmpack.ConfigFile | rpmpack.NoReplaceFile
		}
		p.AddFile(entry)
	}
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return err
	}
	return r.write(r.rpmName(b.target), out.Bytes())
}
