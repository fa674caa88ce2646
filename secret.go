package citewell

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
)

const redacted = "[redacted]"

// A Secret is a key or a password. However it is printed, logged or encoded, it
// reads [redacted]; only Reveal gives the value. The zero Secret is empty, and an
// empty one prints as nothing, so that a missing key can be told from a set one.
//
// The value sits behind a pointer: fmt calls no methods on unexported fields, so a
// struct that keeps a Secret in one would print it otherwise.
type Secret struct{ value *string }

// NewSecret keeps value as a Secret.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{&value}
}

// Reveal returns the value. Its callers are the places where a key leaves the
// process: a request header, and nothing else.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty says whether there is no value.
func (s Secret) Empty() bool { return s.value == nil }

// IsZero lets omitzero leave out an empty Secret.
func (s Secret) IsZero() bool { return s.Empty() }

// Equal compares two secrets in constant time.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns [redacted], or nothing for an empty Secret.
func (s Secret) String() string {
	if s.Empty() {
		return ""
	}
	return redacted
}

// GoString is String, quoted.
func (s Secret) GoString() string { return strconv.Quote(s.String()) }

// Format answers every verb, the numeric ones too.
func (s Secret) Format(f fmt.State, verb rune) {
	text := s.String()
	if verb == 'q' || verb == 'v' && f.Flag('#') {
		text = strconv.Quote(text)
	}
	_, _ = io.WriteString(f, text) // a fmt.State keeps no errors
}

// LogValue redacts in slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText redacts in JSON, YAML, XML and as a map key.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the value from configuration.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// shortestHidden is how long a part of a secret must be for Hide to look for it, in bytes.
const shortestHidden = 8

// Hide takes the secret out of what somebody said who was given it: an error that
// quotes its request, for one. A secret of several words, as in "Bearer KEY", is found
// by each of them; what is shorter than eight bytes stays, for no text could be read
// without it.
func (s Secret) Hide(said string) string {
	for _, form := range append([]string{s.Reveal()}, strings.Fields(s.Reveal())...) {
		if len(form) >= shortestHidden {
			said = strings.ReplaceAll(said, form, redacted)
		}
	}
	return said
}
