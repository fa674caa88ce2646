package search

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
)

// Bounds of a search.
const (
	// MaxSites is how many sites a Scope may have: more fit into no query of a search engine.
	MaxSites = 10
	// MaxQuestion is how many bytes of a question are read for what it asks; the rest is what came along with it.
	MaxQuestion = 4 << 10
	// DefaultTimeout is what a provider has for its answer when Ask is given no timeout.
	DefaultTimeout = 5 * time.Second
)

// A Scope is where an answer is looked for. The zero value is what the question calls for.
type Scope struct {
	Lens  string   // its name, where it has one
	Kinds []Kind   // of sources, never widened; none: what the question calls for
	Sites []string // hosts: of the whole web only pages of these and of their subdomains; none: all
	Since string   // YYYY-MM-DD: only what was published then or later, where the question says nothing of days
	Until string   // YYYY-MM-DD: or earlier
	Named bool     // the providers were named: without Kinds all are asked, whatever the question calls for
}

// Lenses are those of every configuration, by name: places of a field where its own people look first.
var Lenses = map[string]Scope{
	"climate": {Kinds: []Kind{KindWeb, KindScholarly, KindData},
		Sites: []string{"ipcc.ch", "wmo.int", "noaa.gov", "nasa.gov", "copernicus.eu", "metoffice.gov.uk", "unfccc.int",
			"iea.org"}},
	"economics": {Kinds: []Kind{KindWeb, KindScholarly, KindData},
		Sites: []string{"imf.org", "oecd.org", "worldbank.org", "bis.org", "ecb.europa.eu", "federalreserve.gov",
			"nber.org", "cepr.org", "repec.org"}},
	"law-eu": {Kinds: []Kind{KindWeb, KindLaw}, Sites: []string{"europa.eu"}},
	"law-uk": {Kinds: []Kind{KindWeb, KindLaw}, Sites: []string{
		"legislation.gov.uk", "gov.uk", "judiciary.uk", "parliament.uk", "supremecourt.uk"}},
	"law-us": {Kinds: []Kind{KindWeb, KindLaw}, Sites: []string{"govinfo.gov", "federalregister.gov", "ecfr.gov",
		"congress.gov", "supremecourt.gov", "uscourts.gov", "justice.gov", "law.cornell.edu"}},
	"mathematics": {Kinds: []Kind{KindWeb, KindScholarly}, Sites: []string{
		"arxiv.org", "ams.org", "dlmf.nist.gov", "oeis.org", "encyclopediaofmath.org", "mathworld.wolfram.com",
		"ncatlab.org"}},
	"medicine": {Kinds: []Kind{KindWeb, KindScholarly}, Sites: []string{
		"nih.gov", "who.int", "cochrane.org", "cochranelibrary.com", "nice.org.uk", "ema.europa.eu", "fda.gov",
		"cdc.gov", "clinicaltrials.gov", "msdmanuals.com"}},
	"physics": {Kinds: []Kind{KindWeb, KindScholarly}, Sites: []string{
		"arxiv.org", "aps.org", "aip.org", "iop.org", "cern.ch", "nist.gov", "nasa.gov", "pdg.lbl.gov"}},
	"security": {Kinds: []Kind{KindWeb, KindCode}, Sites: []string{
		"nist.gov", "cve.org", "cisa.gov", "mitre.org", "owasp.org", "openwall.com", "enisa.europa.eu", "first.org",
		"github.com"}},
	"software": {Kinds: []Kind{KindWeb, KindCode}, Sites: []string{
		"github.com", "stackoverflow.com", "developer.mozilla.org", "python.org", "go.dev", "rust-lang.org",
		"kernel.org", "learn.microsoft.com", "docs.oracle.com", "readthedocs.io"}},
	"standards": {Kinds: []Kind{KindWeb}, Sites: []string{"rfc-editor.org", "ietf.org", "w3.org", "whatwg.org",
		"iso.org", "itu.int", "unicode.org", "ecma-international.org", "nist.gov"}},
	"statistics": {Kinds: []Kind{KindWeb, KindData}, Sites: []string{
		"ec.europa.eu", "oecd.org", "worldbank.org", "imf.org", "un.org", "census.gov", "bls.gov", "ons.gov.uk",
		"destatis.de", "ourworldindata.org"}},
}

// Check says what of a lens of this name cannot be.
func (s Scope) Check(name string) error {
	if !lensName(name) {
		return fmt.Errorf("a lens is named by small letters, digits and -, and not as a kind of sources or %s is", Auto)
	}
	if len(s.Sites) > MaxSites {
		return fmt.Errorf("it has %d sites; there may be %d", len(s.Sites), MaxSites)
	}
	for _, site := range s.Sites {
		if weburl.Host("https://"+site+"/") != site {
			return fmt.Errorf("sites: %q is no host, as example.org is", site)
		}
	}
	for key, day := range map[string]string{"since": s.Since, "until": s.Until} {
		if _, err := time.Parse(time.DateOnly, day); day != "" && err != nil {
			return fmt.Errorf("%s is %q; it must be a day, as in 2024-01-31", key, day)
		}
	}
	if s.Since != "" && s.Until != "" && s.Since > s.Until {
		return errors.New("since must not be after until")
	}
	return nil
}

func lensName(name string) bool {
	return name != "" && name != Auto && !slices.Contains(Kinds, Kind(name)) &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// ParseScope reads names of kinds, as ParseKinds does, or the name of one lens.
func ParseScope(names []string, lenses map[string]Scope) (Scope, error) {
	isLens := func(name string) bool { _, ok := lenses[lower(name)]; return ok }
	if len(names) == 1 && isLens(names[0]) {
		lens := lenses[lower(names[0])]
		lens.Lens = lower(names[0])
		return lens, nil
	}
	kinds, err := ParseKinds(names)
	if refused, ok := errors.AsType[*citewell.Error](err); ok && len(lenses) > 0 {
		if i := slices.IndexFunc(names, isLens); i >= 0 {
			refused.Message = fmt.Sprintf("%.40q is a lens, which stands alone", names[i])
		}
		refused.Hint += "; or one of the lenses, alone: " + strings.Join(slices.Sorted(maps.Keys(lenses)), ", ")
	}
	return Scope{Kinds: kinds}, err
}

func lower(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
