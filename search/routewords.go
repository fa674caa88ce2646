package search

import (
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// calls are the words by which a question calls for a kind of sources, as expressions without
// case; (?-i: ) minds it. Measured by TestRoutesOfQuestions on questions that were labelled
// before; a word is added with a question that needs it. What is written in no spaced script
// stands apart, since there is no edge of a word there.
var calls = []struct {
	kind    Kind
	spaced  string
	compact string
}{
	{KindLaw, `§+\s?\d+\p{L}?|laws?|legal|illegal|legally|lawful|statutes?|regulations?|directive \d+\S*|(?-i:[A-Z]\w+ Act)|(?-i:Act \d{4})|article \d+|section \d+|gdpr|supreme court|court ruling|
		copyright|patent|tenant|landlord|breach of contract|(?-i:[A-Z]\w+ v\.? [A-Z]\w+)|federal register|proposed rule|final rule|sec filings?|10-k|8-k|jurisdiction|liability|lawsuit|
		gesetz\p{L}*|\p{L}+gesetz\p{L}*|(?-i:BGB|StGB|DSGVO|GG)|urteil\p{L}*|bundesgerichtshof|bundesverfassungsgericht\p{L}*|kündigungsfrist\p{L}*|vermieter\p{L}*|verordnung|
		lois?|code (?:civil|pénal|du travail)|décrets?|jurisprudence|ley|leyes|artículo \d+|decreto|código (?:civil|penal)|estatuto|
		lei|leis|artigo \d+|despejo|legge|leggi|articolo \d+|codice (?:civile|penale)|ustawa|kodeks\p{L}*|закон\p{L}*|стать\p{L}+ \d+|кодекс\p{L}*|ук рф|гк рф|wet|wetgeving`,
		`法律|法規|法规|判例|条例|[法典]\s?第|第[0-9０-９一二三四五六七八九十百]+[条條]`},
	{KindCode, `(?-i:[A-Z]\w*(?:Error|Exception))|(?-i:ERR!|CVE-\d+-\d+)|panic:|traceback|stack ?trace|segmentation fault|undefined reference|cannot find module|permission denied|error code|exit code|cors|
		git|github|gitlab|npm|pip|docker|kubectl|kubernetes|webpack|cargo|postgresql|postgres|mysql|sqlite|sql|regex|regexp|json|yaml|asyncio|ssh|api|sdk|
		python\w*|javascript|typescript|golang|node\.js|react|pandas|numpy|django|c\+\+|c#|(?-i:in (?:Go|Rust|C|Java|Ruby|Swift|Kotlin|PHP))|open[- ]source|source code|compil\p{L}+|repository|refactor\p{L}*|
		(?-i:[a-z]{2,}[A-Z]\w*)|\w+_\w+|\w+::\w+|\w+\(\)|\w+\.\w+\(|\S*\.(?:py|go|js|jsx|ts|tsx|java|rs|cpp|rb|php|sh|toml)`,
		`编程|代码|プログラム|エラー|报错`},
	{KindData, `gdp|per capita|statistics?|statistical|(?:un)?employment rate|unemployment|(?:inflation|mortality|literacy|birth|fertility|crime|death|poverty|growth|interest) rates?|population of|census|data ?sets?|time series|
		by (?:year|country|state|month|region)|per (?:year|head)|share of|market share|percent(?:age)?|exports? of|imports? of|life expectancy|how many people live|emissions|number of|over time|average (?:household )?income|monthly data|
		statistik\p{L}*|bip|bruttoinlandsprodukt|einwohnerzahl\p{L}*|bevölkerungs\p{L}+|\p{L}+(?:quote|srate)|anteil der|taux de|pib|statistiques?|par (?:an|habitant)|tasa de|estadísticas?|por (?:año|habitante)|
		taxa de|estatísticas?|dados|tasso di|pil|serie storic\p{L}+|statistiche|stopa|statystyk\p{L}*|\p{L}*cijfers|статистик\p{L}*|уровень|население|ввп|по годам`,
		`統計|统计|推移|历年|数据|人均|人口|率`},
	{KindBooks, `books?|novels?|isbn\S*|textbooks?|author of|publisher of|who wrote|editions? of|first edition|paperback|hardcover|bibliography of|how many pages|97[89]-?\d[\d-]{8,}\d|
		buch|bücher|romane?n?|(?-i:des Romans)|livres?|romans? d\p{L}+|libros?|novelas?|livros?|romances? d\p{L}+|libri|libro|romanzi|romanzo|książk\p{L}+|powieś\p{L}+|книг\p{L}+|роман|boek|boeken`,
		`小説|小说|作者|著者|书籍`},
	{KindNews, `today\p{L}*|yesterday|tonight|this (?:morning|afternoon|evening|week|month)|last (?:night|week)|latest|breaking|headlines?|news|current(?:ly)?|recent developments?|right now|what's new|rumou?rs?|
		heute|gestern|aktuell\p{L}*|neueste\p{L}*|nachrichten|schlagzeilen|diese woche|aujourd'hui|hier à|actualités?|dernières|cette semaine|hoy|ayer|noticias?|últimas|hoje|ontem|notícias?|
		oggi|ieri|notizie|ultime|dziś|dzisiaj|wczoraj|wiadomości|najnowsz\p{L}+|сегодня|вчера|новост\p{L}+|vandaag|gisteren|nieuws|laatste`,
		`今日|昨日|今天|昨天|今朝|最新|速報|ニュース|新闻|快讯`},
	{KindScholarly,
		`studies|study (?:on|of|about)|papers?|preprints?|peer[- ]review\p{L}*|meta-?\s?analys[ie]s|systematic reviews?|literature|evidence (?:that|for|of|on)|effects? of|impact of|correlat\p{L}+|associat(?:ion|ed) (?:between|with)|
		relationship (?:of|between)|risk (?:of|factors?)|randomi[sz]ed|clinical trials?|trials|placebo|cohort|p-values?|sample sizes?|h-index|citations?|most cited|thesis|dissertation|hypothesis|dose-response|researchers?|efficacy|mechanisms? of|et al|state of the art|
		studien?|wirksamkeit|einfluss von|auswirkung\p{L}*|wissenschaftlich\p{L}*|forschung\p{L}*|zusammenhang zwischen|études?|effets? d\p{L}+|efficacité|recherches sur|méta-analyse|
		estudios?|efectos? (?:del?|de la)|eficacia|investigaci\p{L}+|científic\p{L}+|estudos?|efeitos? d\p{L}+|impacto d\p{L}+|pesquisas?|eficácia|studi|effetti d\p{L}+|efficacia|ricerche|
		badania|wpływ\p{L}*|исследовани\p{L}+|влияни\p{L}+|эффективност\p{L}+|мета-анализ\p{L}*|onderzoek\p{L}*|effecten van`,
		`研究|論文|论文|メタ分析|影响|影響`},
	{KindEncyclopedia,
		`who (?:was|is|were|are|invented|discovered|founded|built|painted|composed|led)|what (?:is|was|are|were) (?:the |an? )?\w+(?: \w+)?|what does \w+ mean|when (?:was|were|did|is)|where (?:is|was|are) (?-i:[A-Z]\w*)(?: \w+)*|how (?:old|tall|high|long|big|large|deep) (?:is|was|are)|
		define|definition of|meaning of|history of|biography of|capital of|origins? of|difference between|battle of|treaty of|wer (?:war|ist|hat)|was (?:ist|sind|bedeutet)|wann (?:wurde|war|ist|hat)|wo liegt|hauptstadt\p{L}*|geschichte (?:der|des|von)|
		qui (?:était|est|a)|qu'est-ce que?|quand (?:a|est|eut)|où (?:est|se trouve)|capitale d\p{L}+|histoire d\p{L}+|quién (?:es|fue|era)|qué (?:es|son|significa)|cuándo|dónde (?:está|queda)|capital d\p{L}+|
		quem (?:é|foi|era)|o que (?:é|são)|quando (?:foi|fu|è)|onde fica|chi (?:era|è|fu|ha)|(?:che )?cos'è|dove si trova|kim (?:jest|był|była)|co to(?: jest)?|kiedy|gdzie (?:leży|jest)|
		кто так\p{L}+|что такое|когда|где находится|столица|wie (?:was|is)|wat is|wanneer|waar ligt`,
		`とは|誰|いつ|どこに|什么是|是什么|是谁|谁|何时|首都`},
}

// A caller finds what calls for one kind.
type caller struct {
	kind            Kind
	spaced, compact *lazyregexp.Regexp
}

var callers = func() []caller {
	all := make([]caller, len(calls))
	for i, c := range calls {
		words := strings.Join(strings.Fields(strings.ReplaceAll(c.spaced, "|\n", "|")), " ")
		words = strings.ReplaceAll(words, "| ", "|")
		all[i] = caller{c.kind, lazyregexp.New(`(?i)(?:^|[^\p{L}\p{N}_])(` + words + `)(?:$|[^\p{L}\p{N}_])`),
			lazyregexp.New(c.compact)}
	}
	return all
}()

// word is what in a question calls for the kind; empty where nothing does.
func (c caller) word(question string) string {
	if found := c.spaced.FindStringSubmatch(question); found != nil {
		return strings.TrimSpace(found[1])
	}
	return c.compact.FindString(question)
}
