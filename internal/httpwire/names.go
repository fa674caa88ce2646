package httpwire

import "github.com/citewell/citewell/internal/lazyregexp"

var secretName = lazyregexp.New(`(?i)key|token|secret|passw|auth|cookie|credential`)

// NamesSecret reports whether what is called name (a header, variable or setting) may be a secret.
func NamesSecret(name string) bool { return secretName.MatchString(name) }
