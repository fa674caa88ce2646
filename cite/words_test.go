package cite_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/testing/golden"
)

// hold holds a claim against one passage.
func hold(claim, evidence, lang string) citewell.Citation {
	held := cite.Hold(cite.Claim{Text: claim, Lang: lang, Evidence: []cite.Evidence{
		{Passages: []citewell.Passage{{ID: "a", Source: 1, End: len(evidence), Text: evidence}}}}})
	return held.Citations[0]
}

// Words say only what they know: a near-copy in which one thing differs contradicts or is
// undecided, and what is said in other words is undecided.
func TestWordsSayWhatTheyKnow(t *testing.T) {
	const tower = "The Corrin Tower was finished on 31 March 1889. It is 330 m tall, weighs about 10,100 tonnes and " +
		"draws 6 million visitors a year."
	for _, test := range []struct {
		name, lang, claim, evidence string
		want                        citewell.Verdict
	}{
		{"a whole sentence", "en", "The Corrin Tower was finished on 31 March 1889.", tower, citewell.VerdictSupported},
		{"without its full stop", "en", "The Corrin Tower was finished on 31 March 1889", tower,
			citewell.VerdictSupported},
		{"part of a sentence", "en", "It is 330 m tall", tower, citewell.VerdictUndecided},
		{"in another unit", "en", "It is 0.33 km tall, weighs about 10,100 tonnes and draws 6 million visitors a year.",
			tower, citewell.VerdictSupported},
		{"another figure", "en", "It is 350 m tall, weighs about 10,100 tonnes and draws 6 million visitors a year.",
			tower, citewell.VerdictContradicted},
		{"another date", "en", "The Corrin Tower was finished on 31 March 1898.", tower, citewell.VerdictContradicted},
		{"a figure that stands nowhere", "en", "The Corrin Tower was finished on 31 March 1889 by 40 men.", tower,
			citewell.VerdictUnsupported},
		{"a half rounded down", "en", "It is 2 m tall.", "It is 2.5 m tall.", citewell.VerdictUnsupported},
		{"a finer figure", "en", "The barn on the hill is 2.46 m tall.", "The barn on the hill is 2 m tall.",
			citewell.VerdictUnsupported},
		{"a value within a range", "en", "A ticket to the island costs 12 crowns.",
			"A ticket to the island costs 10 to 12 crowns.", citewell.VerdictUndecided},
		{"more than what is nearly there", "en", "The line carried more than 4,000 riders last year.",
			"The line carried nearly 4,000 riders last year.", citewell.VerdictContradicted},
		{"a decade", "en", "The lighthouse was built in the 1990s.", "The lighthouse was built in 1994.",
			citewell.VerdictUndecided},
		{"another decade", "en", "The lighthouse was built in the 1980s.", "The lighthouse was built in 1994.",
			citewell.VerdictContradicted},
		{"a rate in other words", "en", "The plant treats 40,000 tonnes of water a year.",
			"The plant treats 40,000 tonnes of water in an average year.", citewell.VerdictSupported},
		{"another rate", "en", "The plant treats 40,000 tonnes of water a day.",
			"The plant treats 40,000 tonnes of water a year.", citewell.VerdictUndecided},
		{"an account in groups", "en", "Donations go to the account NO93 8601 1117 947.",
			"Donations go to the account NO9386011117947.", citewell.VerdictSupported},
		{"another account", "en", "Donations go to the account NO93 8601 1117 974.",
			"Donations go to the account NO9386011117947.", citewell.VerdictUnsupported},
		{"in other words", "en", "Builders completed the Corrin Tower at the end of March 1889.", tower,
			citewell.VerdictUndecided},
		{"something else", "en", "Penguins breed on the southern ice shelf.", tower, citewell.VerdictUndecided},
		{"a denial", "en", "The drug reduces the risk of stroke.", "The drug does not reduce the risk of stroke.",
			citewell.VerdictContradicted},
		{"a denial in the claim", "en", "The drug does not reduce the risk of stroke.",
			"The drug reduces the risk of stroke.", citewell.VerdictContradicted},
		{"a denial with a turn", "en", "The gate opens on Mondays.", "The gate opens not only on Mondays.",
			citewell.VerdictUndecided},
		{"an opposite", "en", "Rents in the city rose last year.", "Rents in the city fell last year.",
			citewell.VerdictContradicted},
		{"an opposite denied", "en", "The drug does not increase the risk of stroke.",
			"The drug reduces the risk of stroke.", citewell.VerdictUndecided},
		{"less sure", "en", "Coffee lowers the risk of headaches in adults.",
			"Coffee may lower the risk of headaches in adults.", citewell.VerdictUndecided},
		{"reported", "en", "The mayor resigned in spring.", "Reports that the mayor resigned in spring are false.",
			citewell.VerdictUndecided},
		{"left open", "en", "The wardens counted 312 herons.", "It is not known whether the wardens counted 312 " +
			"herons.", citewell.VerdictUndecided},
		{"a question", "en", "Coffee lowers the risk of headaches in adults.",
			"Coffee lowers the risk of headaches in adults?", citewell.VerdictUndecided},
		{"roles exchanged", "en", "The company migrates from PostgreSQL to MySQL.",
			"The company migrates from MySQL to PostgreSQL.", citewell.VerdictUndecided},
		{"an opening clause at the end", "en", "The company employs Lucia in Vienna.",
			"In Vienna, the company employs Lucia.", citewell.VerdictSupported},
		{"an aside left out", "en", "The council of the town met on Monday.",
			"The council of the town (all nine of it) met on Monday.", citewell.VerdictSupported},
		{"all for some", "en", "All schools of the town have a library.", "Some schools of the town have a library.",
			citewell.VerdictUndecided},
		{"one word for another", "en", "In spring the wardens of the lake counted herons from the western shore.",
			"In spring the wardens of the lake tallied herons from the western shore.", citewell.VerdictSupported},
		{"another name", "en", "The wardens of the lake counted herons from Lowmere.",
			"The wardens of the lake counted herons from Corrin.", citewell.VerdictUndecided},
		{"a small word and its opposite", "en", "The council voted for the bridge over the river.",
			"The council voted against the bridge over the river.", citewell.VerdictUndecided},
		{"contracted", "en", "It's not easy to say why herons nest there.",
			"It is not easy to say why herons nest there.", citewell.VerdictSupported},
		{"another language", "en", "The bridge over the harbour is 1,200 m long.",
			"Die Brücke über den Hafen ist 1.200 m lang und wurde für die Eisenbahn gebaut.",
			citewell.VerdictUndecided},
		{"a sum of what is there", "en", "The council of the town met, and 14 and 6 members make 20 of them.",
			"The council of the town met, and 14 women and 6 men voted.", citewell.VerdictUndecided},
		{"a claim of two sentences", "en", "The pump leaks. The valves are new.",
			"The pump leaks. The valves are new. Nobody came.", citewell.VerdictSupported},
	} {
		t.Run(test.name, func(t *testing.T) {
			if c := hold(test.claim, test.evidence, test.lang); c.Verdict != test.want || c.Reason == "" ||
				c.By != cite.ByWords {
				t.Errorf("%s (%s), want %s", c.Verdict, c.Reason, test.want)
			}
		})
	}
}

// Where Citewell has no list of a language's denials, a near-copy is undecided: it may be
// the denial of its source. A sentence that stands there word for word is supported.
func TestPlainDenialsOfEveryLanguage(t *testing.T) {
	for lang, pair := range map[string][2]string{
		"sv": {"Styrelsen godkände planen för den nya bron över sundet.",
			"Styrelsen godkände inte planen för den nya bron över sundet."},
		"no": {"Styret godkjente planen for den nye brua over sundet.",
			"Styret godkjente ikke planen for den nye brua over sundet."},
		"da": {"Bestyrelsen godkendte planen for den nye bro over sundet.",
			"Bestyrelsen godkendte ikke planen for den nye bro over sundet."},
		"fi": {"Hallitus hyväksyi suunnitelman uudesta sillasta salmen yli.",
			"Hallitus ei hyväksynyt suunnitelmaa uudesta sillasta salmen yli."},
		"pl": {"Rada zatwierdziła plan nowego mostu nad cieśniną.",
			"Rada nie zatwierdziła planu nowego mostu nad cieśniną."},
		"cs": {"Rada schválila plán nového mostu přes průliv.", "Rada neschválila plán nového mostu přes průliv."},
		"ro": {"Consiliul a aprobat planul pentru noul pod peste strâmtoare.",
			"Consiliul nu a aprobat planul pentru noul pod peste strâmtoare."},
		"ca": {"El consell va aprovar el pla del nou pont sobre l'estret.",
			"El consell no va aprovar el pla del nou pont sobre l'estret."},
		"hu": {"A tanács jóváhagyta az új híd tervét a szoros felett.",
			"A tanács nem hagyta jóvá az új híd tervét a szoros felett."},
		"tr": {"Meclis boğazın üzerindeki yeni köprünün planını onayladı.",
			"Meclis boğazın üzerindeki yeni köprünün planını onaylamadı."},
		"el": {"Το συμβούλιο ενέκρινε το σχέδιο για τη νέα γέφυρα πάνω από το στενό.",
			"Το συμβούλιο δεν ενέκρινε το σχέδιο για τη νέα γέφυρα πάνω από το στενό."},
		"id": {"Dewan menyetujui rencana jembatan baru di atas selat.",
			"Dewan tidak menyetujui rencana jembatan baru di atas selat."},
		"hi": {"परिषद ने जलडमरूमध्य पर नए पुल की योजना को मंजूरी दी।",
			"परिषद ने जलडमरूमध्य पर नए पुल की योजना को मंजूरी नहीं दी।"},
		"fa": {"شورا طرح پل جدید بر فراز تنگه را تصویب کرد.", "شورا طرح پل جدید بر فراز تنگه را تصویب نکرد."},
		"ko": {"의회는 해협 위의 새 다리 계획을 승인했다.", "의회는 해협 위의 새 다리 계획을 승인하지 않았다."},
		"uk": {"Рада схвалила план нового мосту через протоку.", "Рада не схвалила план нового мосту через протоку."},
		"bg": {"Съветът одобри плана за новия мост над пролива.", "Съветът не одобри плана за новия мост над пролива."},
		"en": {"The council approved the plan for the new bridge.",
			"The council did not approve the plan for the new bridge."},
		"de": {"Der Rat genehmigte den Plan für die neue Brücke.",
			"Der Rat genehmigte den Plan für die neue Brücke nicht."},
		"fr": {"Le conseil a approuvé le plan du nouveau pont.",
			"Le conseil n'a pas approuvé le plan du nouveau pont."},
		"es": {"El consejo aprobó el plan del nuevo puente.", "El consejo no aprobó el plan del nuevo puente."},
		"it": {"Il consiglio ha approvato il piano del nuovo ponte.",
			"Il consiglio non ha approvato il piano del nuovo ponte."},
		"pt": {"O conselho aprovou o plano da nova ponte.", "O conselho não aprovou o plano da nova ponte."},
		"nl": {"De raad keurde het plan voor de nieuwe brug goed.",
			"De raad keurde het plan voor de nieuwe brug niet goed."},
		"ru": {"Совет одобрил план нового моста через пролив.", "Совет не одобрил план нового моста через пролив."},
		"ar": {"وافق المجلس على خطة الجسر الجديد.", "لم يوافق المجلس على خطة الجسر الجديد."},
		"zh": {"市议会批准了新桥的计划。", "市议会没有批准新桥的计划。"},
		"ja": {"市議会は新しい橋の計画を承認した。", "市議会は新しい橋の計画を承認しなかった。"},
	} {
		for _, known := range []string{lang, ""} {
			for _, p := range [][2]string{{pair[0], pair[1]}, {pair[1], pair[0]}} {
				if c := hold(p[0], p[1], known); c.Verdict == citewell.VerdictSupported {
					t.Errorf("%s (%q): %q is said to be supported by its denial", lang, known, p[0])
				}
			}
			if c := hold(pair[0], pair[1]+" "+pair[0], known); c.Verdict != citewell.VerdictSupported {
				t.Errorf("%s (%q): %q stands there word for word and is %s", lang, known, pair[0], c.Verdict)
			}
		}
	}
}

// What is said of each labelled pair is written down, either way round: a change of a rule shows as
// a difference to read. Nothing is said that the label forbids.
func TestVerdictsOfEverydayPairs(t *testing.T) {
	var said strings.Builder
	pairs := slices.Concat(everyday, everydayAbroad)
	for _, d := range differing {
		pairs = append(pairs, labelled{d.want, d.lang, d.claim, d.evidence})
	}
	if len(pairs) < 250 {
		t.Fatalf("only %d pairs", len(pairs))
	}
	right := map[citewell.Verdict]int{}
	for _, pair := range pairs {
		c := hold(pair.claim, pair.evidence, pair.lang)
		right[c.Verdict]++
		fmt.Fprintf(&said, "%s | %s\n\t%s: %s\n", pair.claim, pair.evidence, c.Verdict, c.Reason)
		accused := c.Verdict == citewell.VerdictContradicted || c.Verdict == citewell.VerdictUnsupported
		if c.Verdict == citewell.VerdictSupported && pair.want != citewell.VerdictSupported || accused &&
			pair.want == citewell.VerdictSupported {
			t.Errorf("labelled %s, called %s (%s): %s | %s", pair.want, c.Verdict, c.Reason, pair.claim, pair.evidence)
		}
		turned := hold(pair.evidence, pair.claim, pair.lang)
		fmt.Fprintf(&said, "\tturned round %s: %s\n", turned.Verdict, turned.Reason)
	}
	t.Logf("%d pairs: %v", len(pairs), right)
	if right[citewell.VerdictContradicted] < len(pairs)/6 || right[citewell.VerdictSupported] < len(pairs)/25 {
		t.Errorf("of %d pairs: %v", len(pairs), right)
	}
	golden.Check(t, "testdata/verdicts.golden", said.String())
}

// Each of the numbers that a statement stands or falls with keeps near-copies apart.
func TestParticularsAreNeverMergedAsSupport(t *testing.T) {
	for _, pair := range [][2]string{
		{"The ferry leaves at 07:30 every day.", "The ferry leaves at 08:15 every day."},
		{"The service listens on port 8080.", "The service listens on port 9090."},
		{"The tool needs Python 3.9 or later.", "The tool needs Python 3.12 or later."},
		{"The treasurer of the club is Anna Berger.", "The treasurer of the club is Peter Vogel."},
		{"The choir meets on Tuesday evening in the hall.", "The choir meets on Thursday evening in the hall."},
		{"The text is in the file GPL-2 of the folder.", "The text is in the file GPL-3 of the folder."},
		{"Room 12 is on the second floor.", "Room 14 is on the second floor."},
	} {
		for _, p := range [][2]string{pair, {pair[1], pair[0]}} {
			if c := hold(p[0], p[1], ""); c.Verdict == citewell.VerdictSupported {
				t.Errorf("%q is said to support %q", p[1], p[0])
			}
		}
	}
}

// A figure in the place of another is named only where the same is said of the same thing.
func TestRivalFigureNeedsItsSubject(t *testing.T) {
	const evidence = "The parliament building was finished in 1990. Its architect was born in Oslo and studied law."
	for claim, want := range map[string]citewell.Verdict{
		"The parliament building was finished in 1975.":          citewell.VerdictContradicted,
		"The treaty on fishing rights was signed there in 1975.": citewell.VerdictUndecided,
	} {
		if c := hold(claim, evidence, "en"); c.Verdict != want {
			t.Errorf("%s: %s, %s", claim, c.Verdict, c.Reason)
		}
	}
}

// Sums, differences, shares, other units and dates in parts follow from what is there.
func TestFiguresThatFollow(t *testing.T) {
	const evidence = "The fleet has 14 ferries and 6 tugs. In 2019 it carried 400 tonnes, in 2020 600 tonnes. The " +
		"yard opened on April 9, and 2011 was its first year. 12 % of 300 berths are free."
	held := func(claim string) []string {
		return cite.Hold(cite.Claim{Text: claim, Lang: "en", Evidence: []cite.Evidence{
			{Passages: []citewell.Passage{{ID: "a", Source: 1, End: len(evidence), Text: evidence}}}}}).Missing
	}
	for claim, missing := range map[string]int{
		"The fleet has 20 vessels.":                            0,
		"It carried 1,000 tonnes in all.":                      0,
		"It carried 200 tonnes more in 2020.":                  0,
		"It carried 50 % more in 2020.":                        0,
		"It carried 0.4 million kilograms in 2019.":            0,
		"The yard opened on 9 April 2011.":                     0,
		"It carried 777 tonnes in 2019.":                       1,
		"The yard opened on 9 May 2011.":                       1,
		"The mast is 33 m tall, and the fleet has 14 ferries.": 1,
	} {
		if got := held(claim); len(got) != missing {
			t.Errorf("%s: missing %q, want %d", claim, got, missing)
		}
	}
}

// A quotation that stands nowhere is named; a title and words between two quotations are none.
func TestQuotations(t *testing.T) {
	const evidence = "The guide says that a warden explains the colony. It is called Lowmere."
	for claim, want := range map[string]string{
		"The guide says that “a warden explains the whole colony”.":                               cite.ProblemQuote,
		"The guide says that “a warden explains the colony”.":                                     "",
		"The guide says that “a warden […] the colony”.":                                          "",
		"The guide is \"The Warden of the Colony and His Friends\".":                              "",
		"They call it \"Lowmere\", since a warden lived there for years, and \"the colony\" too.": "",
	} {
		held := cite.Hold(cite.Claim{Text: claim, Lang: "en", Evidence: []cite.Evidence{
			{Passages: []citewell.Passage{{ID: "a", Source: 1, End: len(evidence), Text: evidence}}}}})
		if held.Problem.Code != want {
			t.Errorf("%s: %+v, want %q", claim, held.Problem, want)
		}
	}
}

// A claim is held against the rows of a table with the names of their columns.
func TestRows(t *testing.T) {
	const columns = "Model | Page size | Weight (kg)"
	p := citewell.Passage{ID: "1", Source: 1, Columns: columns,
		Text: columns + "\nModel A | 1024 | 12\nModel B | 4096 | 15"}
	p.End = len(p.Text)
	held := cite.Hold(cite.Claim{Text: "Model B weighs 15 kg.", Lang: "en",
		Evidence: []cite.Evidence{{Passages: []citewell.Passage{p}}}})
	if c := held.Citations[0]; c.Quote != "Model B | 4096 | 15" || c.Verdict != citewell.VerdictUndecided ||
		len(held.Missing) > 0 {
		t.Errorf("%+v", held)
	}
}

// Whatever texts are made of, a citation is of its source, and Hold comes back in time that grows with them.
func FuzzWords(f *testing.F) {
	f.Add("The drug lowers it by 5 %.", "The drug does not lower it by 5 %.", "en")
	f.Add("\xff\u202e(1.5 (n't l'l' 3–4 |\n", "cannot’s ((( 7\x00 n'est", "fr")
	f.Fuzz(func(t *testing.T, claim, evidence, lang string) {
		if len(claim)+len(evidence) > 4000 {
			return
		}
		if c := hold(claim, evidence, lang); c.Start < 0 || c.End > len(evidence) || c.Start > c.End ||
			evidence[c.Start:c.End] != c.Quote {
			t.Errorf("%+v", c)
		}
	})
}

func BenchmarkHold(b *testing.B) {
	const claim = "A lack of sleep increases the risk of accidents among drivers."
	const evidence = `Sleep and safety on the road. Between 2014 and 2018 the agency questioned drivers in four regions about their habits, their work and the accidents they had.
Drivers who slept for less than six hours had a higher risk of accidents than those who slept for eight, and the risk grew with every night. Age and distance made little difference.`
	for b.Loop() {
		hold(claim, evidence, "en")
	}
}
