package citewell

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
)

// NewID returns a fresh identifier: 128 random bits as 32 lower-case hex digits.
func NewID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails: crypto/rand ends the program first
	return hex.EncodeToString(id[:])
}

// SHA256 returns the lower-case hex digest under which bytes are kept and cited.
func SHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
