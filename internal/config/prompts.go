package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxPrompt bounds a prompt's file in bytes.
const maxPrompt = 256 << 10

// Texts gives the prompts themselves: of each the string, else what its file says, else nothing.
func (p Prompts) Texts() (system, request, clarification string, err error) {
	for _, t := range []struct {
		text      *string
		str, file string
	}{{&system, p.SystemPromptStr, p.SystemPromptFile}, {&request, p.InitialUserRequestStr, p.InitialUserRequestFile},
		{&clarification, p.ClarificationResponseStr, p.ClarificationResponseFile}} {
		if *t.text = t.str; t.str != "" || t.file == "" {
			continue
		}
		if *t.text, err = promptFile(t.file); err != nil {
			return "", "", "", err
		}
	}
	return system, request, clarification, nil
}

// promptFiles gives the paths of prompt files from the configuration file's folder, and says which cannot be read.
func (d *decoder) promptFiles(at string, p *Prompts, file string) {
	v := reflect.ValueOf(p).Elem()
	for _, key := range keysOf(v.Type()) {
		name, isFile := strings.CutSuffix(key, "_file")
		f, _ := fieldOf(v.Type(), key)
		path := v.FieldByIndex(f.Index)
		if !isFile || path.String() == "" {
			continue
		}
		if !filepath.IsAbs(path.String()) && file != "" {
			path.SetString(filepath.Join(filepath.Dir(file), path.String()))
		}
		str, _ := fieldOf(v.Type(), name+"_str")
		if v.FieldByIndex(str.Index).String() != "" {
			continue // the string goes before it
		}
		if d.origins[at+"."+key] == "" {
			continue // inherited, and looked at there
		}
		if _, err := promptFile(path.String()); err != nil {
			d.problems = append(d.problems, fmt.Sprintf("%s: %s.%s %s", d.origins[at+"."+key], at, key, err))
		}
	}
}

func promptFile(name string) (string, error) {
	data, err := readBounded(name, maxPrompt)
	switch {
	case errors.Is(err, errTooLarge):
		return "", fmt.Errorf("is %s, which is larger than %d KiB", name, maxPrompt>>10)
	case err != nil:
		return "", fmt.Errorf("is %s, which cannot be read", name)
	case !utf8.Valid(data):
		return "", fmt.Errorf("is %s, which is no text in UTF-8", name)
	case strings.TrimSpace(string(data)) == "":
		return "", fmt.Errorf("is %s, which is empty", name)
	}
	return string(data), nil
}
