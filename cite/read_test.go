package cite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/text"
)

// shown is a sentence as it was read: ! behind a word that denies, ~ before one that is denied, the
// sides that a word takes, and | where a clause ends.
func (s sentence) shown() string {
	var out strings.Builder
	for i, w := range s.words {
		if i > 0 {
			out.WriteString(" ")
			if w.clause != s.words[i-1].clause {
				out.WriteString("| ")
			}
		}
		if w.denied {
			out.WriteString("~")
		}
		out.WriteString(s.raw(i))
		if w.negation {
			out.WriteString("!")
		}
		var sides []string
		for _, p := range w.poles {
			sides = append(sides, fmt.Sprintf("%+d%s", p.sign, p.axis))
		}
		for name, is := range map[string]bool{"=neutral": w.neutral, "=relation": w.relation, "=proof": w.proof} {
			if is {
				sides = append(sides, name)
			}
		}
		slices.Sort(sides)
		out.WriteString(strings.Join(sides, ""))
	}
	return out.String()
}

// Each row has one rule of what a word of a sentence is, and of what a denial is about.
func TestReadWords(t *testing.T) {
	for _, test := range []struct{ rule, lang, text, want string }{
		{"the next directed word is denied", "en", "Tea does not in men lower stress.", "Tea does not! in men ~lower-1amount-1vertical stress"},
		{"of five words at most", "en", "It is not in the view of lower.", "It is not! in the view of ~lower-1amount-1vertical"},
		{"and of none further", "en", "It is not in the view of one lower.", "It is not! in the ~view of one lower-1amount-1vertical"},
		{"nor of one behind a comma", "en", "It did not, lower prices say, rise.", "It did not! lower-1amount-1vertical prices say rise+1amount"},
		{"nor of another clause", "en", "It is not; lower prices help.", "It is not! | lower-1amount-1vertical prices help+1quality"},
		{"a time of day parts nothing", "en", "It opens at 08:30.", "It opens+1opening at 08 30"},
		{"numbers of two clauses do", "en", "In 2019: 12 opened.", "In 2019 | 12 opened+1opening"},
		{"else the next content word, and the one behind it", "en", "He did not sign contracts there.", "He did not! ~sign ~contracts there"},
		{"and no word of a further clause with it", "en", "He did not sign: contracts help.", "He did not! ~sign | contracts help+1quality"},
		{"whoever did it is not denied", "en", "No one saw the gate.", "No! one ~saw the gate"},
		{"nor goes on with a denial", "en", "No rent nor price rises.", "No! rent nor! price ~rises+1amount"},
		{"in English a second denial lifts the first", "en", "It never does not rise.", "It never! does not! rise+1amount"},
		{"elsewhere it strengthens it", "fr", "Le bruit ne monte jamais.", "Le bruit ne! ~monte+1amount jamais!"},
		{"within eight words", "fr", "Le bruit ne monte dans la ville et la rue pas.", "Le bruit ne! ~monte+1amount dans la ville et la rue pas!"},
		{"and no further", "fr", "Le bruit ne monte dans la ville et dans la rue pas.", "Le bruit ne! ~monte+1amount dans la ville et dans la ~rue pas!"},
		{"nor in another clause", "fr", "Le bruit ne monte pas; la route ne monte pas.", "Le bruit ne! ~monte+1amount pas! | la route ne! ~monte+1amount pas!"},
		{"not only denies nothing", "en", "It not only rises.", "It not! only rises+1amount"},
		{"a verb that has the denial in it", "fr", "Le bruit n'augmente jamais.", "Le bruit ~n'augmente!+1amount jamais!"},
		{"a denial behind its word", "de", "Die Preise steigen dort nicht.", "Die Preise ~steigen+1amount dort nicht!"},
		{"five words behind it", "de", "Die Preise steigen in der ganzen Stadt nicht.", "Die Preise ~steigen+1amount in der ganzen Stadt nicht!"},
		{"and no further", "de", "Die Preise steigen in der ganzen Stadt dort nicht.", "Die Preise steigen+1amount in der ganzen ~Stadt dort nicht!"},
		{"before and after are no side there", "de", "Nach dem Fest kam er nicht.", "Nach-1order dem Fest ~kam er nicht!"},
		{"at least, in Arabic", "ar", "لا يقل عن مئة", "لا! ~يقل عن مئة"},
		{"is it denied by another word", "ar", "لا يقل الضجيج", "لا! ~يقل ~الضجيج"},
		{"but begins a clause", "en", "It rose but fell.", "It rose+1amount | but fell-1amount"},
		{"yet to denies and begins none", "en", "It has yet to rise.", "It has yet! to ~rise+1amount"},
		{"yet alone begins one", "en", "It rose yet fell.", "It rose+1amount | yet fell-1amount"},
		{"a cell of a table is a clause, and a row", "en", "price | rose\nrent | fell", "price | rose+1amount | rent | fell-1amount"},
		{"a line break alone is none", "en", "price rose\nrent fell", "price rose+1amount rent fell-1amount"},

		{"who failed to do it did not", "en", "It failed to lower rents.", "It failed! to ~lower-1amount-1vertical rents"},
		{"a failed thing denies nothing", "en", "The failed plan lowers rents.", "The failed-1success plan lowers-1amount-1vertical rents"},
		{"he refused a thing", "en", "He refused the plan.", "He refused-1agreeing-1permission the plan"},
		{"in German the verb stands far behind", "de", "Er weigerte sich, den Plan der vielen Leute dieser Stadt zu genehmigen.", "Er weigerte! sich den Plan der vielen Leute dieser Stadt zu ~genehmigen+1permission"},
		{"but not beyond ten words", "de", "Er weigerte sich, den Plan der vielen Leute dieser einen Stadt zu genehmigen.", "Er weigerte! sich den ~Plan der vielen Leute dieser einen Stadt zu genehmigen+1permission"},
		{"in Dutch no word stands between", "nl", "Hij weigerde het plan.", "Hij weigerde! het ~plan"},
		{"in French de may be elided", "fr", "Il a refusé d'augmenter le prix.", "Il a refusé! ~d'augmenter+1amount le prix"},
		{"lacks what takes a side", "en", "It lacks effective control.", "It lacks! ~effective=relation control=relation"},
		{"lacks less of a thing", "en", "It lacks more of it.", "It lacks-1amount more+1amount of it"},
		{"of the next two words alone", "en", "It lacks the one effective part.", "It lacks-1amount the one effective=relation part"},
		{"support that was dropped", "en", "They dropped the support.", "They dropped! the ~support+1backing"},
		{"a thing that was dropped", "en", "They dropped the ball.", "They dropped-1amount the ball"},
		{"who stopped paying does not", "en", "He stopped paying rent.", "He stopped! ~paying ~rent"},
		{"who stopped a thing", "en", "He stopped the car.", "He stopped-1amount the car"},
		{"no longer has no length", "en", "It is no longer red.", "It is no! longer ~red"},
		{"not longer has one", "en", "It is not longer.", "It is not! ~longer+1length"},
		{"no longer than compares", "en", "It is no longer than that.", "It is no! ~longer+1length than that"},
		{"nicht mehr", "de", "Er raucht nicht mehr.", "Er ~raucht nicht! mehr"},
		{"nicht mehr als", "de", "Er raucht nicht mehr als sie.", "Er raucht nicht! ~mehr+1amount als sie"},
		{"within three words", "fr", "Il ne fume presque plus.", "Il ne! ~fume ~presque plus"},
		{"not beyond", "fr", "Il ne fume ici presque plus.", "Il ne! fume ici presque ~plus+1amount"},

		{"a ratio above one is more", "en", "The hazard ratio was 1.4.", "The hazard-1danger ratio+1amount was 1.4"},
		{"one below is less", "en", "The hazard ratio was 0.7.", "The hazard-1danger ratio-1amount was 0.7"},
		{"one is neither", "en", "The hazard ratio was 1.0.", "The hazard-1danger ratio was 1.0"},
		{"an interval with one in it", "en", "The HR was 1.2 (0.9 to 1.5).", "The HR=neutral was 1.2 0.9 to 1.5"},
		{"an interval that ends at one", "en", "The HR was 0.8 (0.6 to 1.0).", "The HR-1amount was 0.8 0.6 to 1.0"},
		{"an interval that begins at one", "en", "The HR was 1.2 (1.0 to 1.5).", "The HR+1amount was 1.2 1.0 to 1.5"},
		{"or is a word", "en", "Men or boys 1.4.", "Men or boys 1.4"},
		{"OR is a ratio", "en", "The OR is 1.4.", "The OR+1amount is 1.4"},
		{"risk alone is none", "en", "The risk was 1.4.", "The risk was 1.4"},
		{"a relative risk", "en", "The relative risk was 1.4.", "The relative=relation risk+1amount was 1.4"},
		{"a whole number is none", "en", "The ratio was 4.", "The ratio was 4"},
		{"nor is one of thirty and more", "en", "The ratio was of 30.5 and 0.7.", "The ratio-1amount was of 30.5 and 0.7"},
		{"fourteen words behind it", "en", "The ratio that they found when all the men of the town were seen was 1.4.", "The ratio+1amount that they found when all the men of the town were seen was 1.4"},
		{"and no further", "en", "The ratio that they found when all the men of the old town were seen was 1.4.", "The ratio that they found when all the men of the old town were seen was 1.4"},
		{"the confidence interval's own words", "en", "The ratio was 1.2 (95% confidence interval 0.9 to 1.5).", "The ratio=neutral was 1.2 95 confidence interval 0.9 to 1.5"},
		{"another word ends it", "en", "The ratio was 1.2 for women 0.9 to 1.5.", "The ratio+1amount was 1.2 for women 0.9 to 1.5"},

		{"a particle gives the side", "de", "Der Lärm nahm hier stark ab.", "Der Lärm nahm-1amount hier stark ab"},
		{"at the end of its clause", "de", "Der Lärm nahm ab, wie alle wissen.", "Der Lärm nahm-1amount ab wie alle wissen"},
		{"before und", "de", "Der Lärm nahm zu und blieb.", "Der Lärm nahm+1amount zu und blieb"},
		{"no particle, no side", "de", "Er nahm das Buch.", "Er nahm das Buch"},
	} {
		if got := newSentence(test.text, test.lang).shown(); got != test.want {
			t.Errorf("%s: %s\n\twant %s", test.rule, got, test.want)
		}
	}
}

// What a directed word is about, by places in the sentence: what stands near it on the side where
// English has its noun, and on both sides elsewhere.
func TestTargets(t *testing.T) {
	for _, test := range []struct{ rule, lang, text, of, want string }{
		{"what it does something to", "en", "Coffee lowers headaches.", "lowers", "headaches"},
		{"four words at most", "en", "Coffee lowers headaches, stress, fever, pain, colds.", "lowers", "headaches stress fever pain"},
		{"nine words away at most", "en", "Coffee lowers all of the of the of the of headaches.", "lowers", "headaches"},
		{"and no further", "en", "Coffee lowers all of the of the of the of the headaches.", "lowers", "Coffee"},
		{"of its clause", "en", "Coffee lowers headaches; stress stays.", "lowers", "headaches"},
		{"what rose stands before", "en", "Rents rose in May.", "rose", "Rents"},
		{"a rise in rents", "en", "A rise in rents.", "rise", "rents"},
		{"a rise of rents", "en", "Towns saw a rise of rents.", "rise", "rents"},
		{"what it was lowered by stands behind", "en", "Stress was lowered by coffee.", "lowered", "Stress"},
		{"is said of what stands before", "en", "Rents are lower.", "lower", "Rents"},
		{"of it than of others", "en", "Rents lower than prices.", "lower", "Rents"},
		{"is with a noun behind it", "en", "These are lower rents.", "lower", "rents"},
		{"three words to is", "en", "Rents are so very lower there in towns.", "lower", "Rents"},
		{"and no further", "en", "Rents are so so very lower there in towns.", "lower", "towns"},
		{"a word between ends it", "en", "Rents are houses lower there in towns.", "lower", "towns"},
		{"but for one of manner", "en", "Rents are really lower there in towns.", "lower", "really Rents"},
		{"a hyphen ties it to one word", "en", "Stress and risk-lowering coffee.", "lowering", "risk"},
		{"nothing behind, so what is before", "en", "Rents in towns lower.", "lower", "towns Rents"},
		{"nothing before, so what is behind", "en", "Lower in towns.", "Lower", "towns"},
		{"both sides", "de", "Kaffee senkt Stress.", "senkt", "Kaffee Stress"},
	} {
		s := newSentence(test.text, test.lang)
		at := slices.IndexFunc(s.words, func(w word) bool { return s.text[w.start:w.end] == test.of })
		var got []string
		for _, i := range s.targets(at) {
			got = append(got, s.raw(i))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s\n\twant %s", test.rule, strings.Join(got, " "), test.want)
		}
	}
}

// Each row has one rule of what a statement's figures and dates are of.
func TestReadStatement(t *testing.T) {
	for _, test := range []struct{ rule, text, about, want string }{
		{"the nearest word", "The tower is 30 m high and 40 m wide.", "", "30 m of height high, 40 m of width wide | tower"},
		{"of a figure of its kind", "The high tower cost 30 euros.", "", "30 euros of cost | tower"},
		{"rather the one behind, of two as near", "It is deep 30 m wide.", "", "30 m of width wide | "},
		{"but for one two bytes nearer", "It is deep: 30 m as wide.", "", "30 m of depth wide | "},
		{"a comma makes it far", "It is deep, 30 m at the old stone wide.", "", "30 m of width old | stone | apart by old"},
		{"by fifteen bytes", "It is deep, 30 m at the old stone x wide.", "", "30 m of depth old | stone x | apart by old"},
		{"a semicolon makes it further", "It is deep; 30 m at the old stone gate of the town that the men of the north x wide.", "", "30 m of width old | stone gate town x | apart by men north old"},
		{"by sixty bytes", "It is deep; 30 m at the old stone gate of the town that the men of the north xxx wide.", "", "30 m of depth old | stone gate town xxx | apart by men north old"},
		{"another sentence makes it too far", "It is deep. The side is 30 m.", "", "30 m of  | side"},
		{"a figure of its kind between makes it far", "It is deep 20 m then 30 m at the old stone gate of the town that the men ofs wide.", "", "20 m of depth 30, 30 m of width old | stone gate town of | apart by men old"},
		{"by forty bytes", "It is deep 20 m then 30 m at the old stone gate of the town that the men of xx wide.", "", "20 m of depth 30, 30 m of depth old | stone gate town xx | apart by men old"},
		{"but none of another kind", "It is deep 20 kg then 30 m at the old xx wide.", "", "20 kg of 30, 30 m of depth old | xx | apart by old"},
		{"nothing is of a word beyond 120 bytes", "The wide at the old stone gate of the town that the men of the north made of red oak in the days of the king who came to see its 30 m.", "", "30 m of  | stone gate town make red oak day king come see | apart by men north old"},
		{"of one at 120 it is", "The wide at the old stone gate of the town that the men of the north made of red oak in the days of the king who came to see it 30 m.", "", "30 m of width | stone gate town make red oak day king come see | apart by men north old"},
		{"what a count counts", "The hall has 300 seats of oak.", "", "300 of capacity seat | hall oak"},
		{"within four words", "The hall has 300 of the very seats.", "", "300 of capacity seat | hall"},
		{"and no further", "The hall has 300 of all of the seats.", "", "300 of capacity | hall"},
		{"and in the clause", "The hall has 300; seats are red.", "", "300 of capacity | hall red"},
		{"a kilowatt-hour is no attribute", "It used 30 kilowatt-hours.", "", "30 kilowatt-hours of  | use"},
		{"a 30-metre wall is one", "It has a 30-metre wall.", "", "30-metre of wall attribute | wall"},
		{"a date of no event says when", "In 1990 it had 30 rooms.", "", "30 of room | room | 1990"},
		{"by a year", "It was built by 1990.", "", "1990 of built loose |  | 1990"},
		{"in the early months of one", "It was built in early 1990.", "", "1990 of built loose | earli | 1990"},
		{"a word that ends so is none", "The hobby began in nearby 1990.", "", "1990 of begun | hobbi nearbi | 1990"},
		{"a number of a name tells it apart", "Python 3.11 has 30 modules.", "", "30 of modul | *python 3.11 modul | apart by 3.11"},
		{"it is what the heading says", "It is 30 m high.", "Harrow Tower", "30 m of height high | *harrow *tower"},
		{"one term more is not enough", "Today the keeper says it is 30 m high.", "Harrow Tower", "30 m of height high | keeper *harrow *tower | apart by today"},
		{"two terms are", "The old keeper of the gate says it is 30 m high.", "Harrow Tower", "30 m of height high | keeper gate under *harrow under *tower | apart by old"},
		{"names come from the heading where it has none", "The old keeper of the gate sees 30 m high walls.", "Harrow Tower", "30 m of height high | keeper gate see wall under *harrow under *tower | apart by old"},
		{"of any one year", "It makes 30 GWh a year.", "", "30 GWh of year yearly | make"},
		{"before all figures", "In an average year it makes 30 GWh for 200 homes.", "", "30 GWh of 200 yearly, 200 of home yearly | make home"},
		{"of the figure before it alone", "It makes 30 GWh for 200 homes a year.", "", "30 GWh of 200, 200 of home yearly | make home"},
		{"and of its clause", "It makes 30 GWh; a year it rests.", "", "30 GWh of  | make rest"},
		{"a year ago is when", "It made 30 GWh a year ago.", "", "30 GWh of year | make ago"},
	} {
		if got := (Statement{Text: test.text, About: test.about, Lang: "en"}).Read(); got != test.want {
			t.Errorf("%s: %s\n\twant %s", test.rule, got, test.want)
		}
	}
}

func TestNumbersIn(t *testing.T) {
	for s, want := range map[string]string{
		"At 07:30 or 7.30, port 8080.": "07:30 7.30 8080",
		"CD8 and x86 and 12a":          "", // parts of words
		"3..4 5-":                      "3 4 5",
		"1,2:3/4-5":                    "1,2:3/4-5",
		"水12村":                         "12",
		"IL-6 GPL_3":                   "6 3",
		"７７ and ٣":                     "７７ ٣",
		"is 12":                        "12",
	} {
		var got []string
		for _, n := range numbersIn(s) {
			got = append(got, s[n.Start:n.End])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"07:30": "7:30", "7.30": "7:30", "00": "0", "007-010": "7:10", "٣": "3", "9": "9"} {
		if got := sameNumber(s); got != want {
			t.Errorf("%q is %q, want %q", s, got, want)
		}
	}
	if got := fmt.Sprint(numberSet("3-5 and 10-12")); got != "map[10:true 10:12:true 12:true 3:true 3:5:true 5:true]" {
		t.Error(got)
	}
}

// Words that stand in the evidence say there what they say alone, but for a denial or a doubt before
// them in their sentence, and for a sentence that disowns them.
func TestSaysVerbatim(t *testing.T) {
	for _, test := range []struct {
		rule, lang, claim, evidence string
		want                        bool
	}{
		{"alone", "en", "all ships sank", "At last all ships sank.", true},
		{"denied", "en", "all ships sank", "Not all ships sank.", false},
		{"denied in a language with a region", "en-GB", "all ships sank", "Not all ships sank.", false},
		{"denied three words before", "en", "all ships sank", "Not one of all ships sank.", false},
		{"denied four words before", "en", "all ships sank", "Not one of the all ships sank.", true},
		{"denied in the sentence before", "en", "All ships sank", "It did not rain. All ships sank.", true},
		{"doubted", "en", "all ships sank", "Perhaps all ships sank.", false},
		{"asked", "en", "all ships sank", "They ask of it whether all ships sank.", false},
		{"asked in the claim too", "en", "they ask of it whether all ships sank", "Here they ask of it whether all ships sank.", true},
		{"false", "en", "ships sank", "It is false that ships sank.", false},
		{"in a language that is guessed", "", "alle Schiffe sind gesunken", "Das ist so: nicht alle Schiffe sind gesunken, und das weiß hier jeder.", false},
		{"behind letters of several bytes", "en", "all ships sank", strings.Repeat("é", 50) + " all ships sank.", true},
	} {
		start, end, ok := saysVerbatim(test.claim, test.lang, test.evidence)
		if ok != test.want || ok && test.evidence[start:end] != test.claim {
			t.Errorf("%s: %v, %q", test.rule, ok, test.evidence[start:end])
		}
	}
}

func TestHasNames(t *testing.T) {
	for _, test := range []struct {
		rule, lang, claim, evidence string
		want                        bool
	}{
		{"a name", "en", "The head is Anna Berger.", "Anna Berger is it.", true},
		{"one of two", "en", "The head is Anna Berger.", "Anna Vogel is it.", false},
		{"a capital at the head of a sentence", "en", "Anna is it.", "He is it.", true},
		{"a weekday, which is written small", "fr", "Le choeur vient le mardi.", "Le choeur vient le jeudi.", false},
		{"a number of a name", "en", "The file GPL-2 is here.", "The file GPL-3 is here.", false},
		{"the same number", "en", "The file GPL-2 is here.", "Here is the file GPL-2.", true},
	} {
		if got := hasNames(test.claim, test.evidence, test.lang); got != test.want {
			t.Errorf("%s: %v", test.rule, got)
		}
	}
}

// A term that many passages have tells them apart by little; of fewer than four nothing is known.
func TestRarity(t *testing.T) {
	passages := from(1, "The gate of Corrin.", "The gate of gates.", "A gate.", "A red gate of Corrin.").Passages
	for _, test := range []struct {
		passages int
		term     string
		want     float64
	}{{4, "gate", 0.11}, {4, "corrin", 1.4 * 0.55}, {4, "other", 1.25}, {3, "gate", 1.1}} {
		if got := rarity("en", passages[:test.passages])(test.term); fmt.Sprintf("%.3f", got) != fmt.Sprintf("%.3f", test.want) {
			t.Errorf("%s among %d weighs %.3f, want %.3f", test.term, test.passages, got, test.want)
		}
	}
}

// A word that is not written as words are folded is never met.
func TestListsAreFolded(t *testing.T) {
	for _, lists := range []map[string]map[string]bool{negations, hedges, wholes, parts, furthers, disownings, opens, indirects, whethers, askings, exceptions, almosts, plans, turners, causes, attributions} {
		for lang, list := range lists {
			for word := range list {
				if folded := text.Fold(word); folded != word {
					t.Errorf("%s: %q is read as %q", lang, word, folded)
				}
			}
		}
	}
	for verb := range separables() {
		if folded := text.Fold(verb); folded != verb {
			t.Errorf("%q is read as %q", verb, folded)
		}
	}
}
