package citewell

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

const key = "sk-live-0123456789"

// settings keeps a Secret in each place that fmt and the encoders treat in their
// own way.
type settings struct {
	Key     Secret
	Pointer *Secret
	List    []Secret
	ByName  map[string]Secret
	hidden  Secret
	nested  struct{ inner Secret }
	any     any
}

func secretSettings() settings {
	s := NewSecret(key)
	all := settings{Key: s, Pointer: &s, List: []Secret{s}, ByName: map[string]Secret{"a": s}, hidden: s, any: s}
	all.nested.inner = s
	return all
}

func TestSecretPrintsWithNoVerb(t *testing.T) {
	secret, holder := NewSecret(key), secretSettings()
	hexKey := fmt.Sprintf("%x", key)
	for _, flags := range []string{"", "+", "#", "-20", " ", "08", ".3"} {
		for verb := 'A'; verb <= 'z'; verb++ {
			format := "%" + flags + string(verb)
			for _, value := range []any{secret, &secret, holder, &holder, []any{secret},
				errors.Join(fmt.Errorf("x: %v", secret))} {
				printed := fmt.Sprintf(format, value)
				if strings.Contains(printed, "sk-") || strings.Contains(strings.ToLower(printed), hexKey[:8]) {
					t.Fatalf("%s of a %T prints %s", format, value, printed)
				}
			}
		}
	}
	for _, verb := range []string{"%v", "%+v", "%s", "%d", "%x"} {
		if got := fmt.Sprintf(verb, secret); got != redacted {
			t.Errorf("%s prints %q, want %q", verb, got, redacted)
		}
	}
	for _, verb := range []string{"%q", "%#v"} {
		if got := fmt.Sprintf(verb, secret); got != `"[redacted]"` {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}

func TestSecretIsRedactedByEncoders(t *testing.T) {
	holder := secretSettings()
	exported := struct {
		Key     Secret
		Pointer *Secret
		List    []Secret
	}{holder.Key, holder.Pointer, holder.List}
	byJSON, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	asMapKey, err := json.Marshal(map[Secret]int{holder.Key: 1})
	if err != nil {
		t.Fatal(err)
	}
	byYAML, err := yaml.Marshal(exported)
	if err != nil {
		t.Fatal(err)
	}
	byXML, err := xml.Marshal(holder.Key)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("start", "key", holder.Key, "pointer", holder.Pointer, "settings", holder)
	}
	for name, out := range map[string]string{
		"json": string(byJSON), "json map key": string(asMapKey), "yaml": string(byYAML), "xml": string(byXML),
		"slog": logged.String(),
	} {
		if strings.Contains(out, key) || !strings.Contains(out, redacted) {
			t.Errorf("%s gives %s", name, out)
		}
	}
}

func TestSecretKeepsItsValue(t *testing.T) {
	var config struct{ Key, Other Secret }
	if err := yaml.Unmarshal([]byte("key: "+key+"\n"), &config); err != nil {
		t.Fatal(err)
	}
	if config.Key.Reveal() != key || config.Key.Empty() {
		t.Errorf("from YAML: %q", config.Key.Reveal())
	}
	if !config.Other.Empty() || config.Other.Reveal() != "" || fmt.Sprint(config.Other) != "" ||
		!config.Other.IsZero() {
		t.Errorf("the zero Secret is not empty: %v", config.Other)
	}
	if !config.Key.Equal(NewSecret(key)) || config.Key.Equal(config.Other) {
		t.Error("Equal does not compare values")
	}
	if got := NewSecret(""); !got.Empty() {
		t.Error("a Secret of the empty string is not empty")
	}
}

func TestHide(t *testing.T) {
	for said, want := range map[string]string{
		"got Bearer very-secret":  "got [redacted]",
		"bad token 'very-secret'": "bad token '[redacted]'",
		"Bearer of news":          "Bearer of news",
	} {
		got := said
		for _, secret := range []Secret{NewSecret("Bearer very-secret"), {}, NewSecret("a")} {
			got = secret.Hide(got)
		}
		if got != want {
			t.Errorf("%q became %q", said, got)
		}
	}
}
