package config

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

// A Setting is one key with its value and where that was set.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // a secret that is set is shown as [redacted]
	Origin string `json:"origin"`
}

// Settings lists every setting, in the order of the sections.
func (l Loaded) Settings() []Setting {
	var list []Setting
	var walk func(v reflect.Value, path string)
	walk = func(v reflect.Value, path string) {
		switch {
		case isSection(v.Type()):
			for i, key := range keysOf(v.Type()) {
				walk(v.Field(i), join(path, key))
			}
		case v.Kind() == reflect.Map && isSection(v.Type().Elem()) && v.Len() > 0:
			for _, key := range sortedKeys(v) {
				walk(v.MapIndex(reflect.ValueOf(key)), join(path, key))
			}
		default:
			list = append(list, Setting{path, display(v), l.origin(path)})
		}
	}
	walk(reflect.ValueOf(l.Config), "")
	return list
}

func sortedKeys(v reflect.Value) []string {
	var keys []string
	for key := range v.Seq() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return keys
}

// origin says where a key was set; a map of plain values is set where its entries were.
func (l Loaded) origin(path string) string {
	if origin := l.origins[path]; origin != "" {
		return origin
	}
	var below []string
	for key, origin := range l.origins {
		if strings.HasPrefix(key, path+".") && !slices.Contains(below, origin) {
			below = append(below, origin)
		}
	}
	if len(below) == 0 {
		if parts := strings.SplitN(path, ".", 3); len(parts) == 3 && parts[0] == "agents" {
			return l.origin(parts[2]) // an agent has what it leaves out from there
		}
		return "default"
	}
	slices.Sort(below)
	return strings.Join(below, ", ")
}

func display(v reflect.Value) string {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case citewell.Secret:
		if value.Reveal() == "" {
			return ""
		}
		return value.String()
	case time.Duration:
		return value.String()
	}
	switch v.Kind() {
	case reflect.Slice:
		texts := make([]string, v.Len())
		for i := range texts {
			texts[i] = display(v.Index(i))
		}
		return strings.Join(withoutSecretArguments(texts), ", ")
	case reflect.Map:
		var texts []string
		for _, key := range sortedKeys(v) {
			value := v.MapIndex(reflect.ValueOf(key))
			shown := display(value)
			switch {
			case httpwire.NamesSecret(key):
				shown = redacted
			case value.Kind() == reflect.Interface && value.Elem().Kind() == reflect.Map:
				shown = "{" + shown + "}"
			}
			texts = append(texts, key+"="+shown)
		}
		return strings.Join(texts, ", ")
	}
	return withoutPassword(fmt.Sprint(v.Interface()))
}

const redacted = "[redacted]"

// withoutSecretArguments hides what a program is given beside a name of secrets: in
// --api-key VALUE, --api-key=VALUE, API_KEY=VALUE and "Authorization: VALUE".
func withoutSecretArguments(arguments []string) []string {
	shown := slices.Clone(arguments)
	for i, a := range arguments {
		for _, mark := range []string{"=", ": "} {
			if name, _, found := strings.Cut(a, mark); found && httpwire.NamesSecret(name) {
				shown[i] = name + mark + redacted
			}
		}
		if i+1 < len(arguments) && strings.HasPrefix(a, "-") && !strings.Contains(a, "=") && httpwire.NamesSecret(a) {
			shown[i+1] = redacted
		}
	}
	return shown
}

// withoutPassword takes out of a URL what only its owner should see: the password before the host, and the query.
func withoutPassword(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User == nil && u.RawQuery == "" {
		return s
	}
	if u.User != nil {
		u.User = url.User(redacted)
	}
	if u.RawQuery != "" {
		u.RawQuery = redacted
	}
	return strings.ReplaceAll(u.String(), url.QueryEscape(redacted), redacted)
}
