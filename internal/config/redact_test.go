package config

import (
	"reflect"
	"testing"

	"github.com/citewell/citewell"
)

// A new secret in the configuration cannot be forgotten: the walk finds as many as
// the types declare.
func TestEverySecretIsFound(t *testing.T) {
	var c Config
	want := fill(reflect.ValueOf(&c).Elem(), 0)
	got := 0
	eachSecret(reflect.ValueOf(c), func(secret string) {
		if secret != "" {
			got++
		}
	})
	if want < 10 || got != want {
		t.Errorf("%d secrets found of %d", got, want)
	}
}

// fill puts a secret wherever there is room for one, and returns how many.
func fill(v reflect.Value, depth int) int {
	if depth > 6 {
		return 0
	}
	switch {
	case v.Type() == reflect.TypeFor[citewell.Secret]():
		v.Set(reflect.ValueOf(citewell.NewSecret("s")))
		return 1
	case v.Kind() == reflect.Struct:
		n := 0
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				n += fill(v.Field(i), depth+1)
			}
		}
		return n
	case v.Kind() == reflect.Map && v.Type().Elem().Kind() == reflect.Struct:
		element := reflect.New(v.Type().Elem()).Elem()
		n := fill(element, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("one"), element)
		return n
	}
	return 0
}

func TestRedactorWithoutSecrets(t *testing.T) {
	for _, r := range []Redactor{{}, NewRedactor(Default())} {
		if got := r.String("nothing to hide"); got != "nothing to hide" {
			t.Errorf("%q", got)
		}
	}
	c := Default()
	c.LLM.APIKey = citewell.NewSecret("x")
	if got := NewRedactor(c).String("run citewell index"); got != "run citewell index" {
		t.Errorf("a key of one letter took the log apart: %q", got)
	}
}

// What the operator's tools are given is no Secret by type; it is found by its name.
func TestRedactorKnowsToolsKeys(t *testing.T) {
	c := Default()
	c.Tools = map[string]any{"mine": map[string]any{"headers": map[string]any{
		"X-Api-Key": "very-secret", "Accept": "text/plain"}}}
	if got := NewRedactor(c).String("sent very-secret as text/plain"); got != "sent [redacted] as text/plain" {
		t.Error(got)
	}
}
