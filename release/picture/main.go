// Command picture writes the picture of README.md: a terminal in which Citewell really ran.
//
// Flow: the binary is built → each command of the session runs in a terminal of 100 columns
// (script of util-linux) → what it wrote, line by line, as SVG. Needs Linux.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	columns    = 100
	lineHeight = 18
	charWidth  = 8.4
	margin     = 18
)

// A step is a command of the session, and how many lines of what it says are shown: the
// first, and the last.
type step struct {
	command     string
	first, last int
}

var session = []step{
	{"citewell demo", 23, 0},
	{"citewell demo > brief.md", 0, 0},
	{"citewell verify brief.md", 0, 1},
	{"sed -i 's/about 640 gigawatt/about 650 gigawatt/' brief.md && citewell verify brief.md", 5, 1},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: picture FILE.svg")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func write(file string) error {
	dir, err := os.MkdirTemp("", "citewell-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "bin", "citewell"), "./cmd/citewell")
	build.Dir = ".."
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, said)
	}
	var lines []string
	for i, s := range session {
		if i > 0 && session[i-1].first+session[i-1].last > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, "\x1b[1m$ "+s.command+"\x1b[0m")
		said, err := run(dir, s.command)
		if err != nil {
			return err
		}
		lines = append(lines, shown(said, s)...)
	}
	return os.WriteFile(file, svg(lines), 0o644)
}

// run returns the lines that a command leaves on its terminal. A command that finds something
// wrong ends badly, which is part of the picture.
func run(dir, command string) ([]string, error) {
	cmd := exec.Command("script", "-qec", fmt.Sprintf("stty cols %d rows 50; %s", columns, command), "/dev/null")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8",
		"TERM=xterm"}
	cmd.Stdin = bytes.NewReader(nil)
	out, err := cmd.Output()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(string(out), "\r\n"), "\n") {
		line = strings.TrimRight(line, "\r")
		if i := strings.LastIndex(line, "\x1b[2K"); i >= 0 { // what was drawn before is erased
			line = line[i+len("\x1b[2K"):]
		}
		lines = append(lines, wrap(line)...)
	}
	return lines, nil
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// wrap breaks a line where the terminal ends, as the terminal does.
func wrap(line string) []string {
	if utf8.RuneCountInString(escape.ReplaceAllString(line, "")) <= columns {
		return []string{line}
	}
	var all []string
	runes := []rune(escape.ReplaceAllString(line, ""))
	for ; len(runes) > columns; runes = runes[columns:] {
		all = append(all, string(runes[:columns]))
	}
	return append(all, string(runes))
}

// shown are the lines of a step that the picture has, with a mark where some are left out.
func shown(said []string, s step) []string {
	if s.first+s.last == 0 {
		return nil
	}
	if len(said) <= s.first+s.last {
		return said
	}
	var all []string
	all = append(all, said[:s.first]...)
	all = append(all, "\x1b[2m⋮\x1b[0m")
	return append(all, said[len(said)-s.last:]...)
}

// svg draws the lines; bold and dim are all that Citewell uses.
func svg(lines []string) []byte {
	width, height := columns*charWidth+2*margin, len(lines)*lineHeight+3*margin
	var out bytes.Buffer
	fmt.Fprintf(&out,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&out, "<title>citewell demo in a terminal: findings with sources, and a changed figure that citewell "+
		"verify finds</title>\n")
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="#101820"/>`+"\n")
	fmt.Fprintf(&out,
		`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14" fill="#d8dee9" xml:space="preserve">`+"\n")
	style := ""
	for i, line := range lines {
		fmt.Fprintf(&out, `<text x="%d" y="%d">`, margin, 2*margin+i*lineHeight)
		for line != "" {
			next := escape.FindStringIndex(line)
			if next == nil {
				next = []int{len(line), len(line)}
			}
			if next[0] > 0 {
				fmt.Fprintf(&out, "<tspan%s>%s</tspan>", style, html.EscapeString(line[:next[0]]))
			}
			switch line[next[0]:next[1]] {
			case "\x1b[1m":
				style = ` font-weight="bold" fill="#ffffff"`
			case "\x1b[2m":
				style = ` fill="#8a96a8"`
			case "\x1b[0m":
				style = ""
			}
			line = line[next[1]:]
		}
		out.WriteString("</text>\n")
	}
	out.WriteString("</g>\n</svg>\n")
	return out.Bytes()
}
