package provider

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
)

// agentFor is the User-Agent that a provider is sent.
func (d Deps) agentFor(name string) string {
	if registry[name].WithContact == nil || d.Contact == "" {
		return d.UserAgent
	}
	return d.agentWithContact()
}

func (d Deps) agentWithContact() string {
	if before, ok := strings.CutSuffix(d.UserAgent, ")"); ok {
		return before + "; " + d.Contact + ")"
	}
	return strings.TrimSpace(d.UserAgent + " (" + d.Contact + ")")
}

// AgentAt is the User-Agent for the page at an address whose site asks its visitors for a contact,
// by a Description's ContactSites; empty elsewhere, without a contact, and over plain HTTP, where
// others on the way would read it.
func (d Deps) AgentAt(u *url.URL) string {
	if d.Contact == "" || u.Scheme != "https" {
		return ""
	}
	for _, e := range registry {
		if weburl.OnSites(u.String(), e.ContactSites) {
			return d.agentWithContact()
		}
	}
	return ""
}

// email is the contact for a parameter that takes an e-mail address only, and empty where
// there is none.
func (d Deps) email() string {
	if strings.Contains(d.Contact, "@") && !strings.Contains(d.Contact, "/") {
		return d.Contact
	}
	return ""
}

// ContactRaises says what a contact would raise of each Open provider that is told of one:
// "crossref from 3 to 8 calls a second". Those that only look more kindly on it are left out.
func ContactRaises(d Deps) []string {
	var raises []string
	for _, name := range d.Configured() {
		e := registry[name]
		if e.WithContact == nil {
			continue
		}
		var parts []string
		if with := e.WithContact.Rate; with > e.Limits.Rate {
			parts = append(parts, fmt.Sprintf("from %g to %g calls a second", e.Limits.Rate, with))
		}
		if with := e.WithContact.Parallel; with > e.Limits.Parallel {
			parts = append(parts, fmt.Sprintf("from %d to %d at once", e.Limits.Parallel, with))
		}
		if with := e.WithContact.PerDay; with > e.Limits.PerDay {
			parts = append(parts, fmt.Sprintf("from %d to %d a day", e.Limits.PerDay, with))
		}
		if len(parts) > 0 {
			raises = append(raises, name+" "+strings.Join(parts, ", "))
		}
	}
	return raises
}

// openRefusal is refusal of a provider that takes no key: one that lets nobody in, or not this
// caller, has not refused a key.
func openRefusal(w *wire, r *reply) *citewell.Error {
	e := w.refusal(r)
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Code, e.Message = citewell.CodeBlockedByProvider, fmt.Sprintf("%s answered HTTP %d: it does not let this "+
			"caller in", w.name, r.status)
		e.Hint = w.blockedHint()
	}
	return e
}

// blockedHint is what helps against being turned away.
func (w *wire) blockedHint() string {
	if registry[w.name].WithContact != nil {
		return "services without keys know callers by contact: set it to an address of yours; doctor says for " +
			"whom it matters"
	}
	return "wait some minutes, or use another network"
}
