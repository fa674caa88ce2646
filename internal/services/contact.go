package services

import (
	"net/mail"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
)

// maxContact bounds a contact in bytes; it travels in a header.
const maxContact = 200

// CheckContact says why something is no contact: it must be an e-mail address alone, or a web
// address, that really leads to who runs this.
func CheckContact(contact string) error {
	_, notURL := weburl.Parse(contact)
	address, notMail := mail.ParseAddress(contact)
	bare := notMail == nil && address.Address == contact
	strange := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()\;"`, r) }
	plain := !strings.ContainsFunc(contact, strange)
	if contact == "" || plain && len(contact) <= maxContact && (bare || notURL == nil) {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "config",
		Message: "contact is no e-mail address and no web address",
		Hint:    "write ops@example.org, or https://example.org/contact; it must lead to whoever runs this"}
}
