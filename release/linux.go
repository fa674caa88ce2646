package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/citewell/citewell/internal/config"
)

//go:embed linux/unit.service
var unitText string

var unitTemplate = template.Must(template.New("unit").Parse(unitText))

// units are the services of systemd, each one command of Citewell. One that has an @ may be there
// any number of times: what follows the @ is the port at which it is watched.
var units = []struct{ Name, Command, Arguments, Does string }{
	{"citewell.service", "serve", "", "tools over HTTP, and the runs of research"},
	{"citewell-worker.service", "worker", "", "the runs of research, and nothing else"},
	{"citewell-worker@.service", "worker", " --listen 127.0.0.1:%i", "the runs of research, watched at port %i"},
}

//go:embed linux/sysusers.conf
var sysusers []byte

//go:embed linux/tmpfiles.conf
var tmpfiles []byte

// The scripts serve deb and rpm alike.
var (
	//go:embed linux/postinst.sh
	afterInstall string
	//go:embed linux/prerm.sh
	beforeRemove string
	//go:embed linux/postrm.sh
	afterRemove string
)

// linuxFiles is what deb and rpm install: the binary, its papers, units that are neither
// enabled nor started, and a configuration that only the units read.
func (r *release) linuxFiles(b built, zshFolder string) ([]file, error) {
	files := []file{
		b.file("usr/bin/" + name),
		{Path: "usr/lib/sysusers.d/citewell.conf", Mode: 0o644, Data: sysusers},
		{Path: "usr/lib/tmpfiles.d/citewell.conf", Mode: 0o644, Data: tmpfiles},
		{Path: "etc/citewell/citewell.yaml", Mode: 0o640, Data: []byte(config.Template), Config: true},
	}
	for _, unit := range units {
		var text bytes.Buffer
		if err := unitTemplate.Execute(&text, unit); err != nil {
			return nil, err
		}
		files = append(files, file{Path: "usr/lib/systemd/system/" + unit.Name, Mode: 0o644, Data: text.Bytes()})
	}
	for _, page := range r.manual {
		data, err := gzipped(page.Data, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		files = append(files, file{Path: "usr/share/man/man1/" + page.Path + ".gz", Mode: 0o644, Data: data})
	}
	places := map[string]string{
		"citewell.bash": "usr/share/bash-completion/completions/citewell",
		"_citewell":     zshFolder + "/_citewell",
		"citewell.fish": "usr/share/fish/vendor_completions.d/citewell.fish",
	}
	for _, script := range r.completions {
		if place := places[script.Path]; place != "" {
			files = append(files, file{Path: place, Mode: 0o644, Data: script.Data})
		}
	}
	return append(files, below("usr/share/doc/citewell", r.documents)...), nil
}

// The files are named without the ~ of their versions, which forges change in a name.
func (r *release) debName(t target) string {
	return fmt.Sprintf("%s_%s_%s.deb", name, r.version.Semver(), t.deb)
}

func (r *release) rpmName(t target) string {
	return fmt.Sprintf("%s-%s-1.%s.rpm", name, r.version.Semver(), t.rpm)
}

// wrapped breaks a text into lines of a deb's description.
func wrapped(text string) string {
	var out strings.Builder
	width := 0
	for _, word := range strings.Fields(text) {
		if width == 0 || width+len(word) > 76 {
			fmt.Fprintf(&out, "\n %s", word)
			width = len(word)
			continue
		}
		fmt.Fprintf(&out, " %s", word)
		width += 1 + len(word)
	}
	return out.String()
}
