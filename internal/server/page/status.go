package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/server/status"
)

// A statusPage says how the server is.
type statusPage struct {
	frame
	status.Overview
	Lacks     []Lack
	Meters    []quotaMeter
	Providers []providerState
	Without   []providerState // that nothing was configured for
	Parts     []part
}

// A quotaMeter is a bound of a token in words.
type quotaMeter struct {
	Name, Words string
	Used, Most  float64
	Until       time.Time
}

// A providerState is a provider with what doctor found of it.
type providerState struct {
	status.Provider
	Word   string // how it is
	Class  string // of the verdict whose colour and shape say the same
	Detail string
	Hint   string
}

// A part is what doctor found of the parts of one kind.
type part struct {
	Name     string
	Findings []finding
}

type finding struct {
	status.Finding
	Word, Class string
}

// state is GET /status.
func (s *Site) state(w http.ResponseWriter, r *http.Request) error {
	overview, err := s.o.State.Overview(r.Context())
	if err != nil {
		return err
	}
	p := statusPage{frame: s.frame(r, "Status", "status"), Overview: overview, Lacks: s.o.Lacks}
	for _, q := range overview.Quotas {
		m := quotaMeter{Name: q.Of, Used: q.Used, Most: q.Most, Until: q.Until,
			Words: thousands(int(q.Used)) + " of " + thousands(int(q.Most)) + " " + q.Of}
		switch q.Of {
		case "usd":
			m.Name, m.Words = "money", cmp.Or(money(q.Used), "$0")+" of "+money(q.Most)
		case "runs":
			m.Words += " that have not ended"
		}
		p.Meters = append(p.Meters, m)
	}
	if d := overview.Details; d != nil {
		p.take(*d)
	}
	return show(w, http.StatusOK, "status.html", p)
}

// take orders what the operator is told.
func (p *statusPage) take(d status.Details) {
	findings := map[string]status.Finding{}
	for _, f := range d.Findings {
		if f.Part == "provider" {
			findings[f.Name] = f
			continue
		}
		i := slices.IndexFunc(p.Parts, func(known part) bool { return known.Name == f.Part })
		if i < 0 {
			i, p.Parts = len(p.Parts), append(p.Parts, part{Name: f.Part})
		}
		word, class := findingWord(f)
		p.Parts[i].Findings = append(p.Parts[i].Findings, finding{f, word, class})
	}
	for _, provider := range d.Providers {
		f := findings[provider.Name]
		one := providerState{Provider: provider, Detail: f.Detail, Hint: f.Hint}
		if one.Word, one.Class = findingWord(f); provider.Last != nil &&
			(f.At.IsZero() || provider.Last.At.After(f.At)) {
			one.Word, one.Class, one.Detail, one.Hint = strings.ReplaceAll(string(provider.Last.Outcome), "_", " "),
				"weak", "", ""
			if provider.Last.Outcome.Answered() {
				one.Class = "supported"
			}
		}
		if provider.Configured {
			p.Providers = append(p.Providers, one)
		} else {
			p.Without = append(p.Without, one)
		}
	}
}

// findingWord says what doctor found, and which verdict looks alike.
func findingWord(f status.Finding) (word, class string) {
	switch f.State {
	case doctor.OK:
		return "ok", "supported"
	case doctor.Warning:
		return "works, with a doubt", "weak"
	case doctor.Failed:
		return cmp.Or(strings.ReplaceAll(string(f.Code), "_", " "), "failed"), "contradicted"
	case doctor.Off:
		return "off", "quiet"
	}
	return "not tried yet", "quiet"
}

// examine is POST /status: every part is tried.
func (s *Site) examine(w http.ResponseWriter, r *http.Request) error {
	if err := s.o.State.Examine(r.Context()); err != nil {
		return err
	}
	seeOther(w, "/status")
	return nil
}
