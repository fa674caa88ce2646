package brief

import (
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
	"golang.org/x/net/publicsuffix"
)

// Scores of places, from grip's research tool. A domain stands for itself and all
// hosts below it, compared label by label, so notgithub.com is not github.com.
const (
	scoreDocs       = 5
	scorePrimary    = 4
	scoreAnswers    = 3
	scoreSecondary  = 2
	scoreUnverified = 2
)

// scoreOfDomain are the places that are known by name.
var scoreOfDomain = map[string]int{
	"github.com": scorePrimary, "mozilla.org": scorePrimary,
	"stackoverflow.com": scoreAnswers, "stackexchange.com": scoreAnswers, "superuser.com": scoreAnswers,
	"serverfault.com": scoreAnswers, "askubuntu.com": scoreAnswers,
	"medium.com": scoreSecondary, "dev.to": scoreSecondary, "reddit.com": scoreSecondary,
}

// scoreOfLabel are first labels by which an owner names what is below them.
var scoreOfLabel = map[string]int{"docs": scoreDocs, "developer": scorePrimary, "developers": scorePrimary,
	"api": scorePrimary}

// makers own the technology that they document, whatever a topic calls it.
var makers = strings.Fields(
	`amazon.com android.com apple.com arm.com cloudflare.com docker.com djangoproject.com facebook.com
	gitlab.com google.com ibm.com intel.com jetbrains.com microsoft.com nvidia.com oracle.com paypal.com redhat.com
	shopify.com stripe.com ubuntu.com x.com`)

// anyones are hosts of makers where anyone publishes.
var anyones = []string{"docs.google.com"}

// governments are the public suffixes of states that do not begin with one of the
// words below; go.it is a place.
var governments = []string{"go.jp", "go.kr", "go.th", "go.id", "gv.at", "gc.ca"}

// quality judges the place of a source by its host. What anyone can have proves
// nothing: a first label "docs", "developer" or "api" counts below the domain of a
// known maker, or of one whose own name the topic names, as larch.example is where
// Larch's documentation would be. A state's place stands below a public suffix of
// its own, as gov and gov.uk are.
func quality(host, topic string) citewell.Quality {
	host = strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(host, ".")), "www.")
	domain := weburl.RegisteredDomain(host)
	label := 0
	if first, _, _ := strings.Cut(host, "."); host != domain {
		label = scoreOfLabel[first]
	}
	if score := scoreOfDomain[domain]; score >= scorePrimary {
		return placed(max(score, label))
	} else if score > 0 {
		return placed(score)
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	own := names(topic, domain)
	switch {
	case slices.Contains(anyones, host):
	case label > 0 && (own || slices.Contains(makers, domain)):
		return placed(label)
	case documents(host) && (own || icann || !strings.Contains(suffix, ".")):
		return placed(scoreDocs)
	case icann && isGovernment(suffix):
		return placed(scorePrimary)
	}
	return citewell.Quality{Label: citewell.QualityUnverified, Score: scoreUnverified}
}

func placed(score int) citewell.Quality {
	if score >= scorePrimary {
		return citewell.Quality{Label: citewell.QualityPrimary, Score: score}
	}
	return citewell.Quality{Label: citewell.QualitySecondary, Score: score}
}

// documents says whether search knows the host's domain for official documentation.
// A first label alone does not make it so, but can say that it is a forum there.
func documents(host string) bool {
	const neutral = "x." // a label that says nothing
	return siteclass.Class(neutral+host) == siteclass.ClassOfficialDocs &&
		siteclass.Class(host) == siteclass.ClassOfficialDocs
}

// isGovernment says whether a public suffix is a state's.
func isGovernment(suffix string) bool {
	first, _, _ := strings.Cut(suffix, ".")
	return slices.Contains([]string{"gov", "gouv", "gob", "gub", "govt"}, first) || slices.Contains(governments, suffix)
}

// knownEndings are what the makers of a thing add to its name where the name alone
// is taken.
var knownEndings = []string{"", "project", "lang", "js", "db", "hq"}

// names says whether a topic names the owner of a domain: by a word, or by words that
// the domain's name joins.
func names(topic, domain string) bool {
	const least, most = 3, 3 // letters; words
	name, _, _ := strings.Cut(domain, ".")
	name = strings.ReplaceAll(name, "-", "")
	lang := text.LikelyLanguage(topic)
	words := text.Words(topic)
	for i := range words {
		if words[i].Text == name && text.IsStop(lang, name) {
			continue
		}
		joined := ""
		for _, word := range words[i:min(len(words), i+most)] {
			joined += word.Text
			if len(joined) < least {
				continue
			}
			if slices.ContainsFunc(knownEndings, func(ending string) bool { return joined+ending == name }) {
				return true
			}
		}
	}
	return false
}
