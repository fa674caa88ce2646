package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

func TestCheck(t *testing.T) {
	const (
		supported, weak = citewell.VerdictSupported, citewell.VerdictWeak
		against, none   = citewell.VerdictContradicted, citewell.VerdictUnsupported
		tower           = "The Corrin Tower was finished on 31 March 1889. It is 330 m tall, weighs about 10,100 tonnes and draws 6 million visitors a year."
	)
	for _, test := range []struct {
		name, lang, claim, evidence string
		want                        citewell.Verdict
	}{
		{"word_for_word", "en", "It is 330 m tall", tower, supported},
		{"other_unit", "en", "The Corrin Tower is 0.33 km tall.", tower, supported},
		{"rounded", "en", "The Corrin Tower weighs 10,000 tonnes or about that.", tower, none},
		{"year_of_day", "en", "The Corrin Tower was finished in 1889.", tower, supported},
		{"figure_changed", "en", "The Corrin Tower is 350 m tall.", tower, against},
		{"date_changed", "en", "The Corrin Tower was finished on 31 March 1898.", tower, against},
		{"sharper_than_evidence", "en", "The Corrin Tower draws 6,104,233 visitors a year.", tower, none},
		{"something_else", "en", "Penguins breed on the southern ice shelf.", tower, none},
		{"direction", "en", "The drug increases the risk of stroke.", "The drug reduces the risk of stroke.", against},
		{"negated", "en", "The drug reduces the risk of stroke.", "The drug does not reduce the risk of stroke.", against},
		{"negated_twice", "en", "The drug did not increase the risk of stroke.", "The drug did not increase the risk of a stroke in adults.", supported},
		{"turned_twice", "en", "The drug does not increase the risk of stroke.", "The drug reduces the risk of stroke.", supported},
		{"not_only", "en", "The method reduces cost and time.", "The method reduces not only cost but also time.", supported},
		{"german", "de", "Die Brücke ist 1,2 km lang.", "Mit 1.200 Metern ist die Brücke sehr lang.", supported},
		{"german_changed", "de", "Die Brücke ist 1,3 km lang.", "Mit 1.200 Metern ist die Brücke sehr lang.", against},
		{"other_language", "en", "The bridge over the harbour is 1,200 m long and was built for the railway.", "Die Brücke über den Hafen ist 1.200 m lang und wurde für die Eisenbahn gebaut.", weak},
		{"aged", "en", "Infections were most common in people aged 16 to 24.", "Infections were most common in people of 16-24 years.", supported},
		{"compound_of_a_name", "en", "The level of IL_6 rises at night.", "The level of IL6 rises at night.", supported},
		{"aged_over", "en", "Infections were most common in people aged over 16.", "Infections were most common in people of 16-24 years.", supported},
		{"year_of_a_name", "en", "The oil crisis began in 1979.", "The 1979 oil crisis began in Iran.", supported},
		{"count_is_no_year", "en", "The school of Harrow opened in 1979.", "The school of Harrow opened with 1979 pupils.", none},
		{"year_before_an_agent", "de", "Asaph Hall entdeckte 1877 beide Monde.", "Beide Monde wurden 1877 von Asaph Hall entdeckt.", supported},
		{"monthly", "en", "The monthly rent in Leeds is $900.", "The rent in Leeds is $900 a month.", supported},
		{"month_for_year", "en", "The project costs $5 million a month.", "The project costs $5 million a year.", none},
		{"half_day_of_a_range", "en", "The shop of the mill opens at 2 pm.", "The shop of the mill opens 2-4 pm.", supported},
		{"not_more_than", "en", "Take at most 5 mg of it.", "Do not take more than 5 mg of it.", supported},
		{"month_of_a_year_alone", "en", "The oil crisis began in May 1979.", "The 1979 oil crisis began in Iran.", none},
		{"may_is_no_month", "en", "People who are 18 may vote in the election.", "People who are 18 or older may vote in the election.", supported},
		{"a_barrel", "en", "Oil fell below $10 a barrel.", "The price of oil fell to less than $10 per barrel.", supported},
		{"yearly", "en", "The town has an annual budget of $5 million.", "The town has a budget of $5 million a year.", supported},
		{"must_not_exceed", "en", "The limit is at least 1024.", "The limit must not exceed 1024.", none},
		{"half_day", "en", "The train leaves Harrow at 17:30.", "The train leaves Harrow at 5:30 pm.", supported},
		{"half_day_of_the_claim", "en", "The shop of the mill closes at 5 p.m.", "The shop of the mill closes at 17:00.", supported},
		{"midnight", "en", "The shop of the mill closes at 12 am.", "The shop of the mill closes at 00:00.", supported},
		{"half_days_of_a_range", "en", "The clinic is open from 08:00 to 17:30 on weekdays.", "The clinic is open on weekdays from 8 am to 5:30 pm.", supported},
		{"no_more_than_denies_nothing", "en", "The deposit must be at most five weeks' rent.", "The deposit must be no more than five weeks' rent.", supported},
		{"another_fraction", "en", "Halden paid a third of the price in cash.", "Halden paid half of the price in cash and the rest in shares.", weak},
		{"another_fraction_german", "de", "Halden bezahlte ein Drittel des Preises in bar.", "Halden bezahlte die Hälfte des Preises in bar.", weak},
		{"half_day_in_words", "en", "The train leaves Harrow at five pm.", "The train leaves Harrow at 5 pm.", supported},
		{"half_day_left_out", "en", "The train leaves Harrow at 5:30.", "The train leaves Harrow at 5:30 pm.", supported},
		{"other_half", "en", "The train leaves Harrow at 7.30 am.", "The train leaves Harrow at 7.30 pm.", none},
		{"empty_claim", "en", "  ", tower, none},
		{"empty_evidence", "en", "It is tall.", "", none},
	} {
		t.Run(test.name, func(t *testing.T) {
			j := cite.Check(test.claim, test.evidence, test.lang)
			if j.Verdict != test.want || j.Reason == "" || j.Score < 0 || j.Score > 1 {
				t.Errorf("%+v, want %s", j, test.want)
			}
			for _, missing := range j.Missing {
				if !strings.Contains(test.claim, missing) {
					t.Errorf("missing %q is not in the claim", missing)
				}
			}
		})
	}
}

// A byte that is no character takes its own width.
func TestCheckReadsBrokenCharacters(t *testing.T) {
	if j := cite.Check("( 予算は3億5000万円です。, The Har", "予算は3億5000万円です。, The Harrow Bridge is 1.2 km long., \t\t, \xa3た\xe3", "it"); j.Reason == "" {
		t.Errorf("%+v", j)
	}
}

func TestCheckSaysWhy(t *testing.T) {
	for _, test := range []struct{ claim, evidence, reason string }{
		{"Rents in the city rose last year.", "Rents in the city fell last year.", `the claim says "rose", the evidence "fell"`},
		{"The speed limit reduces traffic noise.", "The speed limit has no effect on traffic noise.", `the claim says "reduces", the evidence denies an effect ("effect")`},
		{"Anna is taller than Ben.", "Ben is taller than Anna.", `the claim says it the other way round than the evidence ("Anna")`},
		{"The bread contains gluten.", "The bread contains no gluten.", `the evidence denies "gluten"`},
		{"The fire was caused by lightning.", "The fire may have been caused by lightning.", `the evidence says it less surely ("may")`},
		{"All buses run on electricity.", "Some buses run on electricity.", `the claim says "all", the evidence "some"`},
		{"The tunnel is 12 km long.", "The tunnel is 15 km long.", "the evidence gives another figure than 12 km"},
		{"The company has 300 employees.", "The company has many employees.", "the evidence does not state 300"},
		{"The 300 members met, and the 300 members voted.", "The members met and voted.", "the evidence does not state 300"},
		{strings.Repeat("The gate was closed by 12 men. ", 300), "The gate was closed by 12 men.", "the claim is too long to be one statement, and the evidence does not say it word for word"},
		{"Penguins breed on ice.", "Bakers mix flour and water.", "the evidence is about something else"},
		{"Screening lowered hospital deaths.", "With screening, the hazard ratio for hospital deaths was 1.40 (95% CI 1.10 to 1.80).", `the claim says "lowered", the evidence "ratio"`},
		{"Screening lowered hospital deaths.", "With screening, the hazard ratio for hospital deaths was 0.95 (95% CI 0.80 to 1.10).", `the claim says "lowered", the evidence denies an effect ("ratio")`},
		{"Screening lowered hospital deaths.", "With screening, the relative risk of hospital deaths was 1.30.", `the claim says "lowered", the evidence "risk"`},
		{"Screening lowered hospital deaths.", "With screening, the OR for hospital deaths was 1.40.", `the claim says "lowered", the evidence "OR"`},
		{"Drinking coffee increases the risk of headaches in older adults.", "In the trial coffee lowered the risk of headaches for adults. Over years coffee reduced the risk of headaches for adults.", `the claim says "increases", the evidence "lowered"`},
		{"The WHO was founded after the war.", "The World Health Organization was founded after the war.", "the evidence has the words of the claim and says the same of them"},
	} {
		if j := cite.Check(test.claim, test.evidence, "en"); j.Reason != test.reason {
			t.Errorf("%s | %s: %s, %s, want %s", test.claim, test.evidence, j.Verdict, j.Reason, test.reason)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("It is 330 m tall.", "It is not 330 m tall.", "en")
	f.Add("\xff", "\xff\xfe", "")
	f.Add("不超过5公里", "5000米", "zh")
	f.Fuzz(func(t *testing.T, claim, evidence, lang string) {
		if j := cite.Check(claim, evidence, lang); j.Verdict == "" || !(j.Score >= 0 && j.Score <= 1) {
			t.Fatalf("%+v", j)
		}
		a, b := cite.Statement{Text: claim, Lang: lang}, cite.Statement{Text: evidence, Lang: lang}
		if _, ok := cite.Conflict(a, a); ok {
			t.Fatalf("%q conflicts with itself", claim)
		}
		_, ab := cite.Conflict(a, b)
		if _, ba := cite.Conflict(b, a); ab != ba {
			t.Fatalf("%q and %q: not symmetrical", claim, evidence)
		}
	})
}

func TestBind(t *testing.T) {
	doc := document(
		"The harbour froze in winter. The Corrin Tower is 330 m tall. Tickets are sold at the gate.",
		"A ferry leaves every hour.",
	)
	passages := doc.Passages
	for i := range passages {
		passages[i].Source, passages[i].ID = 1, string(rune('a'+i))
	}
	other := citewell.Passage{ID: "c", Source: 2, Start: 700, End: 741, Text: "Corrin Tower, with 0.33 km, is very tall."}
	passages = append(passages, other, citewell.Passage{ID: "d", Source: 1, Start: 900, End: 940, Text: "A board says the Corrin Tower is 330 m tall."})

	citations := cite.Bind("The Corrin Tower is 330 m tall.", "en", passages)
	if len(citations) != 2 {
		t.Fatalf("%d citations, not one of each source: %+v", len(citations), citations)
	}
	if c := citations[0]; c.N != 1 || c.Passage != "a" || c.Quote != "The Corrin Tower is 330 m tall." || doc.Text[c.Start:c.End] != c.Quote || c.Verdict != citewell.VerdictSupported {
		t.Errorf("the best is %+v", c)
	}
	if c := citations[1]; c.N != 2 || c.Start != 700 || c.End != 741 || c.Quote != other.Text {
		t.Errorf("the second is %+v", c)
	}

	against := cite.Bind("The Corrin Tower is 390 m tall.", "en", passages[:1])
	if len(against) != 1 || against[0].Verdict != citewell.VerdictContradicted {
		t.Errorf("a contradiction is shown: %+v", against)
	}
	if got := cite.Bind("Penguins breed on ice.", "en", passages); len(got) != 0 {
		t.Errorf("no passage speaks of penguins: %+v", got)
	}
	if got := cite.Bind("anything", "en", nil); len(got) != 0 {
		t.Errorf("no passages, no citations: %+v", got)
	}
}

// In passages about one subject its name proves nothing: what is said of it must be
// there too.
func TestBindLooksBeyondTheSubject(t *testing.T) {
	doc := document(
		"The Corrin harbour tidal plant opened on 14 May 2019.",
		"The Corrin harbour tidal plant belongs to three towns.",
		"The Corrin harbour tidal plant is painted white.",
		"Ships pass the Corrin harbour tidal plant by a lock.",
		"Everybody knows stories of the Corrin harbour tidal plant and its keeper.",
	)
	for i := range doc.Passages {
		doc.Passages[i].Source = i + 1
	}
	citations := cite.Bind("Everybody knows the Corrin harbour tidal plant.", "en", doc.Passages)
	if len(citations) != 1 || citations[0].N != 5 || citations[0].Verdict != citewell.VerdictSupported {
		t.Errorf("%+v", citations)
	}
}

// A claim whose words stand here and there in a passage is shown the whole of it, without
// the blanks around it, and is weak at best.
func TestBindOfSpreadWords(t *testing.T) {
	const page = "Corrin lies by the sea. Its harbour froze twice. The plant stands idle. Divers came once. Welders live there. Painters like the light. In winter it snows."
	citations := cite.Bind("The Corrin harbour plant employs divers, welders and painters in winter.", "en",
		[]citewell.Passage{{ID: "a", Source: 1, Start: 10, End: 13 + len(page), Text: "  " + page + "\n"}})
	if len(citations) != 1 || citations[0].Verdict != citewell.VerdictWeak || citations[0].Quote != page || citations[0].Start != 12 || citations[0].End != 12+len(page) ||
		citations[0].Reason != "the words of the claim are spread over the passage" {
		t.Errorf("%+v", citations)
	}
}

func BenchmarkBind(b *testing.B) {
	doc := document("The harbour froze in winter. The Corrin Tower is 330 m tall. Tickets are sold at the gate.")
	for b.Loop() {
		cite.Bind("The tower at Corrin has a height of 330 metres.", "en", doc.Passages)
	}
}

// TestFewWords holds that a claim of two words is not borne out by a text that knows its
// subject and says nothing of it.
func TestFewWords(t *testing.T) {
	const evidence = "The harbour of Larch was built in 1904. The wooden tower beside it was restored by the guild in 2010, and visitors may climb it from May to September. " +
		"The museum keeps three steam engines and a collection of maps. The festival takes place every summer."
	for claim, borne := range map[string]bool{
		"The museum is free.":      false,
		"The harbour is deep.":     false,
		"The festival is popular.": false,
		"The engines are broken.":  false,
		"The tower is new.":        false,
		"The tower was restored.":  true,
		"The tower is wooden.":     true,
		"The museum keeps maps.":   true,
		"Visitors may climb it.":   true,
	} {
		if j := cite.Check(claim, evidence, "en"); (j.Verdict == citewell.VerdictSupported) != borne {
			t.Errorf("%s: %s (%.2f), %s", claim, j.Verdict, j.Score, j.Reason)
		}
	}
}
