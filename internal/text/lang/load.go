package lang

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.txt
var files embed.FS

// load reads the heads of all files of a folder, and finds their sections.
func load(folder fs.FS) ([]*Language, error) {
	names, err := fs.Glob(folder, "*.txt")
	if err != nil {
		return nil, err
	}
	all := make([]*Language, 0, len(names))
	for _, name := range names {
		content, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		l, err := parse(strings.TrimSuffix(path.Base(name), ".txt"), string(content))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// parse reads the head of one file and finds its sections.
func parse(code, content string) (*Language, error) {
	l := &Language{Code: code, none: map[string]bool{}}
	head, rest, _ := strings.Cut("\n"+content, "\n[")
	if err := l.parseHead(head); err != nil {
		return nil, err
	}
	last := -1
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "\n[")
		name, text, found := strings.Cut(part, "]\n")
		s := slices.IndexFunc(specs[:], func(sp spec) bool { return sp.name == name })
		switch {
		case !found || s < 0:
			return nil, fmt.Errorf("[%s is no section", strings.TrimSpace(name))
		case l.sections[s].known:
			return nil, fmt.Errorf("[%s] stands twice", name)
		case s < last:
			return nil, fmt.Errorf("[%s] stands behind [%s]: it comes before it in every file", name, specs[last].name)
		}
		last = s
		l.sections[s].open(text)
	}
	return l, nil
}

// parseHead reads the lines before the first section.
func (l *Language) parseHead(head string) error {
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "name":
			l.Name = value
		case "also":
			l.Also = strings.Fields(value)
		case "script":
			l.Script = value
		case "order":
			n, err := strconv.Atoi(value)
			if err != nil {
				return fmt.Errorf("order: %q is no whole number", value)
			}
			l.Order = n
		case "letters":
			l.Letters = value
		case "sole letters":
			l.Sole = value
		case "never letters":
			l.Never = value
		case "article":
			l.Article = value
		case "stemmer":
			l.Stemmer = value
		case "same letters":
			pairs := strings.Fields(strings.ReplaceAll(value, "=", " "))
			if len(pairs)%2 != 0 {
				return fmt.Errorf("same letters: %q is not as ё=е", value)
			}
			l.same = strings.NewReplacer(pairs...)
		case "traits":
			if err := l.parseTraits(value); err != nil {
				return err
			}
		case "none", "needless":
			for name := range strings.SplitSeq(value, ",") {
				l.none[strings.TrimSpace(name)] = key == "none"
			}
		default:
			return fmt.Errorf("%q is no line of a head", line)
		}
	}
	if l.Name == "" {
		return fmt.Errorf("the head has no name")
	}
	return nil
}

func (l *Language) parseTraits(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		switch name = strings.TrimSpace(name); name {
		case "alone":
			l.Alone = true
		case "common":
			l.Common = true
		default:
			t := slices.IndexFunc(traits[:], func(t trait) bool { return t.name == name })
			if t < 0 {
				return fmt.Errorf("%q is no trait; doc/languages.md lists them", name)
			}
			l.traits[t] = true
		}
	}
	return nil
}

func number(s string) (float64, error) { return strconv.ParseFloat(s, 64) }
