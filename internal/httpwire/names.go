package httpwire

import "github.com/citewell/citewell/internal/lazyregexp"

var secretName = lazyregexp.New(`(?i)key|token|secret|passw|auth|cookie|credential`)

// NamesSecret says whether what is called name may be a secret: a header's, a
// variable's or a setting's that is none of ours.
func NamesSecret(name string) bool { return secretName.MatchString(name) }
