package config_test

import (
	"testing"

	"github.com/citewell/citewell/internal/config"
)

// A language is set by its code or its name; "auto" has no code.
func TestCodeOfALanguage(t *testing.T) {
	for said, want := range map[string]string{"": "", "auto": "", "AUTO": "", "de": "de", "German": "de",
		"Deutsch": "de"} {
		var l config.Language
		if err := l.UnmarshalText([]byte(said)); err != nil || l.Code() != want {
			t.Errorf("%q: %q, %v; want %q", said, l.Code(), err, want)
		}
	}
}
