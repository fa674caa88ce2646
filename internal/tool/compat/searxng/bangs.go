package searxng

import (
	"strings"
	"sync"
)

// The searches that a provider may have beside the one of the web, as SearXNG names their categories.
const (
	verticalNews   = "news"
	verticalImages = "images"
	verticalVideos = "videos"
)

// A bang is what one bang or category of SearXNG's stands for here: a search of its own, the web, sites, a provider,
// nothing.
type bang struct {
	name     string // as an answer names it
	category string
	vertical string   // news, images or videos
	sites    []string // hosts; what lies below them is meant too
	provider string   // of that name, and no other
	cannot   string   // why there is nothing to ask
}

// findBang returns what a bang stands for: by any of its names, in which _ and - are as good as a space.
func findBang(name string) (bang, bool) {
	b, ok := bangs()[strings.NewReplacer("_", " ", "-", " ").Replace(strings.ToLower(strings.TrimSpace(name)))]
	return b, ok
}

const (
	needsSearXNG = "only a SearXNG of your own asks it"
	noTorrents   = "lists of downloads are not searched without a SearXNG of your own"
	noComputing  = "it computes answers and needs a SearXNG of your own; avg, sum, min, max, prod, random and hashes " +
		"work without"
	noMaps = "no configured provider searches maps"
)

// bangTable has a line for each: names | category | hosts, =vertical, @provider, or a reason after a dash. Names are
// the shortcuts, engines and categories in SearXNG's shipped settings.
const bangTable = `
web general | general | =
news | news | =news
images | images | =images
videos | videos | =videos
yt youtube | videos | youtube.com
vm vimeo | videos | vimeo.com
dm dailymotion | videos | dailymotion.com
it | it | stackoverflow.com github.com developer.mozilla.org wiki.archlinux.org superuser.com askubuntu.com
repos | repos | github.com gitlab.com codeberg.org bitbucket.org sr.ht
gh github | repos | github.com
gl gitlab | repos | gitlab.com
cb codeberg | repos | codeberg.org
hf huggingface | repos | huggingface.co
packages | packages | pypi.org npmjs.com crates.io pkg.go.dev rubygems.org packagist.org
pypi | packages | pypi.org
npm | packages | npmjs.com
crates crates.io | packages | crates.io docs.rs
lrs lib.rs | packages | lib.rs
pgo pkg.go.dev | packages | pkg.go.dev
rbg rubygems | packages | rubygems.org
pack packagist | packages | packagist.org
hn hackernews | it | news.ycombinator.com
alp alpine linux packages | packages | pkgs.alpinelinux.org
dh docker hub | packages | hub.docker.com
q&a | q&a | stackoverflow.com superuser.com askubuntu.com serverfault.com stackexchange.com
st so stackoverflow | q&a | stackoverflow.com
su superuser | q&a | superuser.com
ubuntu askubuntu | q&a | askubuntu.com
software wikis | software wikis | wiki.archlinux.org wiki.gentoo.org developer.mozilla.org wiki.debian.org nixos.wiki
mdn | software wikis | developer.mozilla.org
al archlinux arch linux wiki | software wikis | wiki.archlinux.org
ge gentoo | software wikis | wiki.gentoo.org
wp wikipedia | general | wikipedia.org
wd wikidata | general | wikidata.org
wikimedia | wikimedia | wikipedia.org wikidata.org wikimedia.org wikibooks.org wikisource.org wikiversity.org
wt wiktionary | dictionaries | wiktionary.org
dictionaries | dictionaries | wiktionary.org merriam-webster.com collinsdictionary.com
wcf wikicommons.files | files | commons.wikimedia.org
science | science | arxiv.org pubmed.ncbi.nlm.nih.gov semanticscholar.org nature.com sciencedirect.com
scientific publications | scientific publications | arxiv.org pubmed.ncbi.nlm.nih.gov semanticscholar.org biorxiv.org openalex.org core.ac.uk
arx arxiv | scientific publications | arxiv.org
pub pubmed | scientific publications | pubmed.ncbi.nlm.nih.gov
se semantic scholar | scientific publications | semanticscholar.org
cr crossref | scientific publications | @crossref
oa openalex | scientific publications | @openalex
cor core core.ac.uk | scientific publications | @core
europepmc | scientific publications | @europepmc
datacite | scientific publications | @datacite
ol openlibrary | general | openlibrary.org
music | music | bandcamp.com soundcloud.com discogs.com musicbrainz.org genius.com
sc soundcloud | music | soundcloud.com
bc bandcamp | music | bandcamp.com
lyrics | lyrics | genius.com azlyrics.com lyrics.com musixmatch.com
gen genius | lyrics | genius.com
social media | social media | reddit.com news.ycombinator.com lemmy.world mastodon.social
re reddit | social media | reddit.com
apps | apps | play.google.com apps.apple.com f-droid.org
gpa google play apps | apps | play.google.com
fd fdroid | apps | f-droid.org
ddg duckduckgo | general | @duckduckgo
br brave | general | @brave
mwm mwmbl | general | @mwmbl
mar marginalia | general | @marginalia
go google | general | @google
tavily | general | @tavily
exa | general | @exa
serpapi | general | @serpapi
map osm openstreetmap | map | - maps
weather | weather | - searxng
translate | translate | - searxng
files | files | - torrents
1337x | files | - torrents
kc kickass | files | - torrents
solid solidtorrents | files | - torrents
tpb piratebay | files | - torrents
nyaa | files | - torrents
wa wolframalpha | general | - computing
bi bing | general | - searxng
sp startpage | general | - searxng
qw qwant | general | - searxng
mjk mojeek | general | - searxng
ya yahoo | general | - searxng
`

// severalWords are the names in the table that hold a space.
var severalWords = []string{"software wikis", "scientific publications", "social media", "alpine linux packages",
	"docker hub", "arch linux wiki", "semantic scholar", "google play apps"}

var bangs = sync.OnceValue(func() map[string]bang { return readBangs(bangTable) })

func readBangs(table string) map[string]bang {
	reasons := map[string]string{"searxng": needsSearXNG, "torrents": noTorrents, "computing": noComputing,
		"maps": noMaps}
	all := make(map[string]bang)
	for line := range strings.Lines(table) {
		names, rest, ok := strings.Cut(strings.TrimSpace(line), " | ")
		category, what, ok2 := strings.Cut(rest, " | ")
		if !ok || !ok2 {
			continue // the empty lines around
		}
		b := bang{category: category}
		switch {
		case strings.HasPrefix(what, "="):
			b.vertical = what[1:]
		case strings.HasPrefix(what, "@"):
			b.provider = what[1:]
		case strings.HasPrefix(what, "- "):
			b.cannot = reasons[what[2:]]
		default:
			b.sites = strings.Fields(what)
		}
		spelled := namesIn(names)
		b.name = spelled[len(spelled)-1] // the longest form stands last
		for _, name := range spelled {
			all[name] = b
		}
	}
	return all
}

func namesIn(names string) []string {
	var found []string
	for _, long := range severalWords {
		if before, ok := strings.CutSuffix(names, long); ok {
			found = append(found, long)
			names = before
		}
	}
	return append(strings.Fields(names), found...)
}
