package lang

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/citewell/citewell/internal/testing/golden"
)

// buys says of each section what Citewell does with it, and of those that are asked for what it does without.
var buys = [sectionCount]struct{ with, without string }{
	FunctionWords: {"recognises the language of a text by its words, and leaves these out of the index",
		"recognises the language by its script only, if at all, and keeps every word in the index"},
	Elisions: {"finds the noun behind an elided article", ""},
	AskingWords: {"recognises the language of short questions",
		"may not recognise the language of a question of two or three words"},
	Questions: {"tells a question from a topic in research",
		"recognises a question by its question mark only"},
	Joints: {"splits a topic of research at its \"and\"",
		"splits a topic at commas, and at the joining words of any language"},
	Requests: {"understands \"answer in French\" in the language",
		"does not understand such a request in the language"},
	Abbreviations: {"ends no sentence at an abbreviation of the language",
		"knows only the abbreviations of other languages"},
	IrregularForms: {"finds words by their irregular forms: fell, feet", ""},
	Contractions:   {"reads contracted verbs", ""},
	Denials: {"checks a claim by words: a copy is supported, its denial contradicted",
		"supports only a claim that the source repeats word for word, and leaves the rest undecided"},
	NotDenials: {"reads no denial into words that only look like one", ""},
	Opposites: {"contradicts a claim with an opposite, and accepts another word for one of the claim's",
		"leaves a claim with another word undecided, whether it means the same or the opposite"},
	SmallOpposites: {"accepts one function word for another",
		"leaves a claim with another function word undecided"},
	OppositePrefixes: {"leaves a claim undecided for a prefix that denies many words (legal, illegal), and " +
		"contradicts it for " +
		"one that denies verbs, as in Czech",
		"treats such a word like any other word"},
	DenyingEndings: {"tells words with a denying ending from those without", ""},
	Wholes: {"keeps \"all\" apart from other words",
		"treats it like any other word: a claim with another in its place stays undecided"},
	Parts:           {"keeps \"some\" apart from other words", "treats it like any other word"},
	NumberWords:     {"reads numbers in words", "reads numbers in digits only"},
	WithinNumbers:   {"reads words that are numbers within longer numbers only", ""},
	NumberJoints:    {"reads the \"and\" within numbers", ""},
	CompoundNumbers: {"reads numbers that are written as one word", ""},
	Collectives:     {"reads \"about a dozen\"", ""},
	Articles:        {"knows the articles before such words", ""},
	Halves:          {"reads halves in words", "reads a half only as ½ and 0.5"},
	HalvesBehind:    {"reads \"and a half\" and \"and a quarter\"", ""},
	WholeFigures:    {"reads words that are a number with its unit", ""},
	Scales: {"reads thousands and millions in words",
		"reads scales only in the words of other languages"},
	OwnScales: {"reads scales that mean something else in other languages", ""},
	Units:     {"reads units in words", "reads units as symbols and in the words of other languages"},
	OwnUnits:  {"reads units whose letters mean something else in other languages", ""},
	Genitives: {"reads \"millions of euros\"", ""},
	Months: {"reads dates with the month in words",
		"reads dates in digits, and with English names of months"},
	DoubtfulMonths:  {"does not read a verb as a month", ""},
	YearWords:       {"tells a year from another number", ""},
	OrdinalCounters: {"tells an ordinal (which one) from a count (how many)", ""},
	Clock:           {"tells a time of day from a number", "reads a time of day only as 14:30"},
	Qualifiers:      {"reads bounds and words such as \"about\" and \"minus\" beside a number", ""},
	Ranges:          {"reads \"5 to 10\" and \"between 5 and 10\"", ""},
	Rates:           {"reads \"per day\" and \"a monthly rent\"", ""},
	TimeSpans:       {"reads decades, centuries, quarters, halves and seasons as dates", ""},
	Shares:          {"reads \"two thirds of\" and \"one in four\" as a percentage", ""},
	BeforeNumbers:   {"tells \"chapter 3\" and \"Windows 11\" from a count", ""},
}

// lines say how the lines of a section are written, unless they are words or a number, a colon and its words.
var lines = map[Section]string{
	Questions: "words that a question has at its `begin`, at its `end`, or `anywhere`",
	Joints: "words `between` spaces, and `foreign` ones beside them in other languages; without spaces words " +
		"`anywhere`, `within` (between letters) and `behind` a word",
	Requests: "words `before` the name of a language, verbs that ask to `do` it, `please` and its like, words " +
		"`after` the name, and the `ending` that a name may lose",
	Abbreviations: "`never last`: something always follows; `before numbers`: a number follows; `often last`: a " +
		"capital behind ends the sentence; `may be last`: a word that opens sentences ends it; `after ordinals`: " +
		"words behind 3.",
	IrregularForms: "a word: its forms",
	Contractions:   "a word: its short forms",
	Denials: "words that deny; `beside`: words that strengthen a denial; forms with the word that is denied, as in " +
		"není=je, -n't (an end), ne- (a beginning) or -madı-=dı, whose denial is read `before` or `behind` that word",
	Opposites:        "words / their opposites, the larger or positive side first; before them an axis such as amount",
	SmallOpposites:   "words / their opposites",
	OppositePrefixes: "prefixes; `denials`: prefixes that deny verbs",
	NumberJoints:     "the word `between` hundreds and tens; the prefix `before` a number",
	CompoundNumbers:  "the parts of numbers in one word: `1` to `9`, `100`, `1000`, `and`",
	HalvesBehind:     "a number: its words behind another, _ for the space before them",
	WholeFigures:     "a number and its unit: the word",
	Units:            "a unit of `internal/quantity/units.txt`: its words",
	OwnUnits:         "likewise",
	YearWords:        "words `before` and `after` a year",
	Clock: "words `before` the hour, `before hours` that also stand before other numbers, `after` the hour and " +
		"`around` it, in `minutes` between hour and minutes, and as a `sign` without a space",
	Qualifiers: "words before a number: `about` and `nearly` (a little less) make it approximate, `exactly` says " +
		"that it is not rounded, `more than` and `at least` leave its upper end open, `less than`, `at most` and " +
		"`up to` its lower end, `minus` makes it negative; `about behind`, `nearly behind`, `more than behind`, " +
		"`at least behind`, `less than behind`, `at most behind` and `minus behind`: the same behind a number, with " +
		"_ for the space before them; `denials`: words, or ends of words such as -n't, that turn more than into at " +
		"most, and less than into at least, if they are among the three words before it",
	Ranges: "words `between` the two ends of a range (5 to 10); a `pair` is such a word only if one of `before pair` " +
		"stands before the lower end (between 5 and 10)",
	Rates: "`per`: words before a unit or a thing that make a rate with it; `average`: words before a span of time " +
		"that do so, such as in_an_average; `thing behind article`: nouns that make a rate with a or an, as units do " +
		"(60 euros a night); `not behind`: words behind such a unit or noun that make no rate of it (a day later); " +
		"`hour`, `day`, `week`, `month`, `year`: words earlier in the clause that say which span of time an " +
		"amount is for (a monthly rent of 500 euros)",
	TimeSpans: "words for a decade: `decade behind` its year (1990s), `decade before` it (années 1980), and `30` to " +
		"`90` for the thirties to the nineties, behind one of `opens` only; `century` behind its ordinal, " +
		"`century before` its number (siglo XIX); `early`, `mid`, `late`: the part of a decade or century behind " +
		"them; `quarter` and `half` behind an ordinal and before a year; `spring`, `summer`, `autumn`, `winter` " +
		"before a year, with the months of the northern half of the earth; `of` before the year, the decade or the " +
		"century; `opens`: words before a time span that add nothing (the 1990s); `ordinals` from the first on",
	Shares: "words for the parts `half`, `third`, `quarter`, `fifth`, `tenth`; words `of` that must follow them " +
		"(two thirds of); words `in` between two numbers (one in four)",
	BeforeNumbers: "`names`: words before a number that names a thing, and neither counts nor is a year (chapter 3); " +
		"`counts`: words that may have a capital before a number that counts (Casi 500); other words with a capital " +
		"make a name with it (Windows 11)",
}

// TestTable holds doc/languages.md to the files.
func TestTable(t *testing.T) {
	golden.Check(t, "../../../doc/languages.md", tableOf(All()))
}

const heading = `# Languages

One file, ` + "`internal/text/lang/CODE.txt`" + `, holds everything that Citewell knows about a language. ` + "`go test ./internal/text/lang -update`" + `
makes this page from the files, and [CONTRIBUTING.md](../CONTRIBUTING.md#a-language) says how to add one. A file names
the sections that it lacks in its line ` + "`none`" + `, or in ` + "`needless`" + ` if a trait or the script does the section's work.

Citewell also reads texts in other languages: it finds words as they are written, ends sentences at their marks, and
reads figures in digits. Whether such a text says the same as a claim is up to a judge ([judge.md](judge.md)).

## What the sections do
| section | with it, Citewell | without it |
|---|---|---|
`

const howWritten = `
## How a file is written
The head has one line each: ` + "`name`, `also`" + ` (other codes), ` + "`script`" + ` (as Unicode names it), ` + "`order`" + ` (the smaller, the more is
written in the language), ` + "`traits`, `letters`" + ` (each speaks for the language), ` + "`sole letters`" + ` (they leave no other language,
unless one of the ` + "`never letters`" + ` occurs), ` + "`same letters`" + ` (ё=е is read as е), ` + "`article`" + ` (written against its noun),
` + "`stemmer`" + ` (of Snowball), ` + "`none` and `needless`" + `. Sections follow in this order:

%s.

A line of a section is words alone, or a number, a colon and its words; these sections have keys or a form of their own:

| section | lines |
|---|---|
`

func tableOf(all []*Language) string {
	var b strings.Builder
	b.WriteString(heading)
	for s, sp := range specs {
		if sp.wanted {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", sp.name, buys[s].with, buys[s].without)
		}
	}
	b.WriteString("\nSections that only some languages need:\n\n| section | with it, Citewell |\n|---|---|\n")
	for s, sp := range specs {
		if !sp.wanted {
			fmt.Fprintf(&b, "| %s | %s |\n", sp.name, buys[s].with)
		}
	}
	fmt.Fprintf(&b, howWritten, strings.Join(sectionNames(), ", "))
	for s, sp := range specs {
		if how, ok := lines[Section(s)]; ok {
			fmt.Fprintf(&b, "| %s | %s |\n", sp.name, how)
		}
	}
	b.WriteString("\n## Traits\n| trait | meaning |\n|---|---|\n" +
		"| alone | a text in the script is nearly always in the language |\n" +
		"| common | a short text in the script is read as one in the language |\n")
	for _, trait := range traits {
		fmt.Fprintf(&b, "| %s | %s |\n", trait.name, trait.meaning)
	}
	b.WriteString("\n## What each language has\n")
	b.WriteString(
		"| language | code | told by | stemmer | traits | sections that it lacks |\n|---|---|---|---|---|---|\n",
	)
	var alone []string
	for _, l := range all {
		lacks := l.lacking()
		if l.bare() {
			alone = append(alone, fmt.Sprintf("%s (`%s`)", l.Name, l.Code))
			continue
		}
		told := "its words"
		switch {
		case l.Alone:
			told = "its script"
		case l.Sole != "" && !l.Knows(FunctionWords):
			told = "its letters"
		case !l.Knows(FunctionWords):
			told = "nothing: somebody names it"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n",
			l.Name, l.Code, told, orNone(l.Stemmer), orNone(l.traitList()), orNone(strings.Join(lacks, ", ")))
	}
	fmt.Fprintf(&b, "\nOf these languages Citewell knows the script or how numbers are written, and no section: %s.\n",
		strings.Join(alone, ", "))
	b.WriteString(denialsNote)
	return b.String()
}

const denialsNote = `
## Denials inside a word
A language may deny by a word, by a form of the verb, or by an ending. If a form is listed, Citewell tells a claim from its
denial; if not, the check by words stays undecided and never supports one for the other.

| language | read | left undecided |
|---|---|---|
| Turkish | değil, yok; past, present, future and obligation (onaylamadı, onaylamıyor, onaylamayacak, onaylamamalı) | imperatives (göster, gösterme), the aorist of verbs whose vowel changes |
| Persian | forms with نمی and of the verbs that others are made with (نکرد, نشد, ندارد, نیست); ن before the same form | verbs that change their first letter and are not listed |
| Czech | není, nebyl, nemá and their like; ne before the same form | a denied verb beside another word for never or nobody |
| Finnish | ei with the verb behind it; -maton, -ton keep words apart | a verb that changes its stem behind ei |
| Hungarian | nem, nincs; -tlan, -tlen keep words apart | verbs whose prefix moves behind them (jóváhagyta, nem hagyta jóvá) |
| Vietnamese | không, chưa, chẳng, đừng before the verb | denials of several words (không bao giờ), words of two syllables with không (không khí) |
| Polish, Ukrainian, Bulgarian, Romanian, Catalan, Greek | the word before the verb; nigdy, ніколи and their like only beside it | the genitive that a Polish denial asks for, in short words |
| Korean, Thai, Hebrew and others without denials | | everything: Korean and Thai deny inside or behind the verb, and there is no list of Hebrew's words |
`

// sectionNames returns the headings of all sections in their order.
func sectionNames() (names []string) {
	for _, sp := range specs {
		names = append(names, sp.name)
	}
	return names
}

// lacking returns the names of the sections that are asked for and that the language does not have.
func (l *Language) lacking() (names []string) {
	for _, sp := range specs {
		if sp.wanted && l.none[sp.name] {
			names = append(names, sp.name)
		}
	}
	return names
}

// bare reports whether a language has no section and no stemmer.
func (l *Language) bare() bool {
	for s := range specs {
		if l.sections[s].known {
			return false
		}
	}
	return l.Stemmer == ""
}

func (l *Language) traitList() string {
	var names []string
	for t, trait := range traits {
		if l.traits[t] {
			names = append(names, trait.name)
		}
	}
	return strings.Join(names, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// TestFiles reads all files.
func TestFiles(t *testing.T) {
	all, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, fault := range l.check() {
			t.Errorf("%s.txt: %s", l.Code, fault)
		}
	}
	for _, clash := range clashes(all) {
		t.Error(clash)
	}
	for s, b := range buys {
		if b.with == "" || (b.without == "") == specs[s].wanted {
			t.Errorf("[%s]: say what Citewell does with it, and without it if it is asked for", specs[s].name)
		}
		for key := range strings.SplitSeq(specs[s].keys, ",") {
			_, err := number(key)
			if key != "" && err != nil && !strings.Contains(lines[Section(s)], "`"+key+"`") {
				t.Errorf("[%s]: say in lines what stands behind the key %q", specs[s].name, key)
			}
		}
	}
}

// TestFaults says of a file what is wrong with it.
func TestFaults(t *testing.T) {
	whole, err := files.ReadFile("sv.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{"name: Swedish\n", "", "the head has no name"},
		{"script: Latin", "script: Latn", `script: "Latn" is no script of Unicode`},
		{"order: 120\n", "", "order: write a number above 0 that no other file has"},
		{"[denials]\n", "[denials]\ninte inte\n", `[denials] "inte" stands twice, at "" and ""`},
		{"[denials]\n", "[denials]\nx_y\n", `[denials] "x_y": nothing reads _ as a space in this section`},
		{"[months]\n", "[months]\n2: januari\n", `[months] "januari" stands twice, at "2" and "1"`},
		{"[units]\n", "[opposites]\na / b\n\n[units]\n", "[opposites] stands behind [scales]"},
		{"order: ", "order: x", `order: "x120" is no whole number`},
		{"script: Latin", "skript: Latin", `"skript: Latin" is no line of a head`},
		{"day first", "day frist", `"day frist" is no trait; doc/languages.md lists them`},
		{"[months]", "[mouths]", "[mouths is no section"},
		{"[months]", "[denials]", "[denials] stands twice"},
		{"[months]\n", "[months]\n0x: x\n", `[months] "0x" before "x" is no number`},
		{"[months]\n", "[months]\nx y\n", `[months] "" before "x y" is no number`},
		{"[denials]\n", "[denials]\nbehnid: x\n", `[denials] "behnid" is no key; keys are none, beside, before, behind`},
		{"[function words]\n", "[function words]\nx: y\n", `[function words] "x": words have no key`},
		{"[units]\n", "[units]\ny z\n", `[units] "y z" has no key`},
		{"[opposite pre", "[opposites]\na b\n\n[opposite pre", `[opposites] "a b": 1 sides of words`},
		{"[opposite pre", "[opposites]\na /  / b\n\n[opposite pre", "[opposites] : a side has no words"},
		{"none: ", "none: months, ", "[months] is there, and the line none says that it is not"},
		{"none: ", "none: moths, ", `none: "moths" is no section that is asked for`},
		{"opposites, small", "small", "[opposites] is missing: write it, or name it in the line none"},
	} {
		content := strings.Replace(string(whole), test.old, test.new, 1)
		got := ""
		all, err := load(fstest.MapFS{"sv.txt": {Data: []byte(content)}})
		if err != nil {
			got = err.Error()
		} else {
			got = strings.Join(all[0].check(), "\n")
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q for %q: %s\n\twant %s", test.new, test.old, got, test.want)
		}
	}
}

// TestOneFile adds a language by one file in a folder: it has a code, aliases, traits and words, and takes
// its place in its script.
func TestOneFile(t *testing.T) {
	all, err := load(os.DirFS("testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, fault := range l.check() {
			t.Errorf("%s.txt: %s", l.Code, fault)
		}
	}
	own, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	c := newCatalog(append(own, all...))
	eo := c.byCode["eo"]
	switch {
	case eo == nil || c.byCode["epo"] != eo:
		t.Fatal("eo is not found by its code and its alias")
	case !eo.Words(Denials)["ne"] || eo.Numbers(NumberWords)["dek"] != 10 || eo.Numbers(Months)["majo"] != 5:
		t.Error("words of eo are not read")
	case eo.Keys(Units)["metroj"] != "metre" || len(eo.Of(Abbreviations, "never last")) != 2:
		t.Error("keys of eo are not read")
	case !eo.Is(CommaDecimal) || eo.Is(Segments):
		t.Error("traits of eo are not read")
	}
	latin := c.byScript["Latin"]
	if at := len(latin) - 1; latin[at] != eo {
		t.Errorf("the last language in Latin letters is %s", latin[at].Code)
	}
}

// Nil languages do not occur, and unknown ones have nothing.
func TestOf(t *testing.T) {
	for code, want := range map[string]string{
		"de": "de", "de-AT": "de", "DE_at": "de", "nb": "no", "nn-NO": "no", "": "", "xx": "", "und": "",
	} {
		l := Of(code)
		if l.Code != want {
			t.Errorf("Of(%q) is %q, want %q", code, l.Code, want)
		}
		known := l.Words(FunctionWords) != nil || l.Rows(Units) != nil || l.Numbers(Scales) != nil ||
			l.Keys(Units) != nil
		if want == "" && (known || l.Is(Segments) || l.Knows(Denials)) {
			t.Errorf("Of(%q) knows something", code)
		}
	}
}
