package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"strings"
)

// copyright is the paper that Debian wants; the licence's text is in the package's folder.
const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: citewell
Source: ` + repository + `

Files: *
Copyright: The Citewell authors
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0; what is linked in, and
 under which licences, in /usr/share/doc/citewell/THIRD_PARTY_LICENSES.
`

// writeDeb writes a Debian package: an ar archive of a version, what dpkg needs to know, and the files.
func (r *release) writeDeb(b built) error {
	if b.deb == "" {
		return nil
	}
	files, err := r.linuxFiles(b, "usr/share/zsh/vendor-completions")
	if err != nil {
		return err
	}
	files = withFolders(append(files, file{Path: "usr/share/doc/citewell/copyright", Mode: 0o644,
		Data: []byte(copyright)}))
	data, err := tarGzip("./", files, r.time)
	if err != nil {
		return err
	}
	control, err := tarGzip("./", r.debControl(b.target, files), r.time)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, part := range []file{{Path: "debian-binary", Data: []byte("2.0\n")}, {Path: "control.tar.gz", Data: control},
		{Path: "data.tar.gz", Data: data}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", part.Path, r.time.Unix(), 0, 0, "100644", len(part.Data))
		out.Write(part.Data)
		if len(part.Data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return r.write(r.debName(b.target), out.Bytes())
}

// debControl is what dpkg knows of the package: its fields, sums, settings and scripts.
func (r *release) debControl(t target, files []file) []file {
	var sums, settings strings.Builder
	size := 0
	for _, f := range files {
		size += (len(f.Data) + 1023) / 1024
		switch {
		case f.folder():
		case f.Config:
			fmt.Fprintf(&settings, "/%s\n", f.Path)
		default:
			fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.Data), f.Path)
		}
	}
	fields := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nInstalled-Size: %d\nSection: "+
		"utils\nPriority: optional\nRecommends: systemd\nHomepage: %s\nDescription: %s%s\n",
		name, r.version.Linux(), t.deb, maintainer, size, repository, summary, wrapped(description))
	return []file{
		{Path: "control", Mode: 0o644, Data: []byte(fields)},
		{Path: "conffiles", Mode: 0o644, Data: []byte(settings.String())},
		{Path: "md5sums", Mode: 0o644, Data: []byte(sums.String())},
		{Path: "postinst", Mode: 0o755, Data: []byte(afterInstall)},
		{Path: "prerm", Mode: 0o755, Data: []byte(beforeRemove)},
		{Path: "postrm", Mode: 0o755, Data: []byte(afterRemove)},
	}
}
