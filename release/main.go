// Command release makes what users of Citewell install, from this source and without network:
// archives, deb and rpm, Python wheels, npm packages, an OCI image, MCP bundles, the MCP
// registry's server.json, a Homebrew formula, SBOMs, and checksums of them all.
//
// Flow: git describe → Version → a static binary a target → the formats, each a []file that is
// packed → checksums.txt. The same commit gives the same bytes: every entry has the commit's time.
// Units: sizes in bytes, times UTC. A format is a method in a file of its own.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What the formats say of Citewell; one place for them all.
const (
	name        = "citewell"
	repository  = "https://github.com/citewell/citewell"
	serverName  = "io.github.citewell/citewell" // in the MCP registry
	title       = "Citewell"
	summary     = "Search, read and answer with citations that can be checked, offline too"
	description = "Citewell searches many providers at once, reads the best pages safely, and writes a brief of " +
		"findings. Each cites a stored passage that anyone can check later, offline. It needs no API key, " +
		"no model and no network to start."
	licence    = "Apache-2.0"
	authors    = "Citewell authors"
	address    = "authors@citewell.invalid" // reserved: a format wants one, and there is none yet
	maintainer = authors + " <" + address + ">"
)

// A release is one run: what is made, from what, to where.
type release struct {
	version Version
	time    time.Time // of the commit
	source  string    // the repository
	out     string
	targets []target
	image   string // where the image will be published, as REGISTRY/NAME; empty leaves it out of server.json

	documents   []file // LICENSE, NOTICE, README.md, THIRD_PARTY_LICENSES
	manual      []file // man pages
	completions []file // by the name of each shell
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	var r release
	var typed, only string
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.source, "source", "..", "the repository")
	flags.StringVar(&r.out, "out", "../dist", "folder to make; what is there is removed")
	flags.StringVar(&typed, "version", "", "version to build, as 0.1.0 or 0.1.0-rc.1, instead of what git "+
		"describe says")
	flags.StringVar(&only, "only", "", "one target, as linux/amd64, instead of all")
	flags.StringVar(&r.image, "image", "", "where the image will be published, as REGISTRY/NAME, for server.json")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("what is %q? See -help", flags.Arg(0))
	}
	var err error
	if r.targets, err = chosen(only); err != nil {
		return err
	}
	if r.version, err = versionOf(r.source, typed); err != nil {
		return err
	}
	if r.time, err = commitTime(r.source); err != nil {
		return err
	}
	return r.make()
}

// chosen are all targets, or the one that is named.
func chosen(only string) ([]target, error) {
	if only == "" {
		return targets, nil
	}
	i := slices.IndexFunc(targets, func(t target) bool { return t.os+"/"+t.arch == only })
	if i < 0 {
		return nil, fmt.Errorf("-only is %q; it must be one of %v", only, targets)
	}
	return targets[i : i+1], nil
}

// make fills the folder out.
func (r *release) make() error {
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	var err error
	if r.documents, err = r.readDocuments(); err != nil {
		return err
	}
	if r.manual, r.completions, err = writeManual(r.version.Stamp(), r.time); err != nil {
		return err
	}
	var linux []built
	for _, t := range r.targets {
		b, err := r.build(t)
		if err == nil {
			err = r.packages(b)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if t.os == "linux" {
			linux = append(linux, b)
		}
	}
	for _, write := range []func() error{r.writeLauncher, func() error {
		return r.writeImage(linux)
	}, r.writeFormula, r.writeServer, r.writeSums} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// packages writes what there is of one target.
func (r *release) packages(b built) error {
	for _, write := range []func(built) error{r.writeArchive, r.writeDeb, r.writeRPM, r.writeWheel, r.writeNPM,
		r.writeBundle, r.writeSBOM} {
		if err := write(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) readDocuments() ([]file, error) {
	var all []file
	for _, path := range []string{"LICENSE", "NOTICE", "README.md"} {
		data, err := os.ReadFile(filepath.Join(r.source, path))
		if err != nil {
			return nil, err
		}
		all = append(all, file{Path: path, Mode: 0o644, Data: data})
	}
	licences, err := output(r.source, nil, "sh", "scripts/licences.sh", "texts")
	return append(all, file{Path: "THIRD_PARTY_LICENSES", Mode: 0o644, Data: licences}), err
}

func (r *release) write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(r.out, name), data, 0o644)
}

// sum is the SHA-256 of a file of the release, in hexadecimal.
func (r *release) sum(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.out, name))
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// writeSums writes checksums.txt, which `sha256sum -c` reads.
func (r *release) writeSums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, entry := range entries {
		sum, err := r.sum(entry.Name())
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, entry.Name())
	}
	return r.write("checksums.txt", []byte(lines.String()))
}
