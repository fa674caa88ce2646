package cite_test

import "testing"

// Claims that take their subject, a name or a figure from another clause or sentence, and
// some that only leave out what stands between.
var borrowing = []named{
	{"subject_of_a_later_clause", "en", "Sand cools the kiln.", "Water cools the kiln, while sand heats it.", "weak", "Water"},
	{"subject_of_an_earlier_clause", "en", "Miners oppose the toll.", "Miners support the bridge; farmers oppose the toll.", "weak", "farmers"},
	{"subject_of_another_sentence", "en", "The lock was painted in May.", "The pier was painted in May. The lock was sold.", "weak", "pier"},
	{"subject_with_its_words", "en", "The old stone mill was sold to a miller.", "The old stone mill burned down, and the barn was sold to a miller.", "weak", "barn"},
	{"german_subject", "de", "Marden braucht für die Strecke 40 Minuten.", "Corrin braucht für die Strecke 40 Minuten, Marden 70 Minuten.", "weak", "Corrin"},
	{"french_subject", "fr", "Marden parcourt la ligne en 40 minutes.", "Corrin parcourt la ligne en 40 minutes, Marden en 70 minutes.", "weak", "Corrin"},
	{"spanish_subject", "es", "Marden recorre la línea en 40 minutos.", "Corrin recorre la línea en 40 minutos y Marden en 70 minutos.", "weak", "Corrin"},
	{"figure_of_another_clause", "en", "The grain price rose 8%.", "The oil price rose 8% and the grain price rose 6%.", "weak", "6%"},
	{"date_of_another_clause", "en", "The lock was finished in May 2011.", "The lock was begun in May 2011 and was finished in July 2014.", "weak", "July 2014"},
	{"name_of_another_clause", "en", "Halla was queen of Marden.", "Halla was queen of Corrin, and Brida was queen of Marden.", "weak", ""},
	{"french_name_of_another_clause", "fr", "La société exploite 14 moulins à Marden.", "La société exploite 14 moulins à Corrin et 6 à Marden.", "weak", "Corrin"},
	{"opposite_said_of_another", "en", "Sand heats the kiln.", "Water heats the kiln, while sand cools it.", "weak", "Water"},

	{"subject_from_afar", "en", "The pier was painted by monks in the last winter.", "The tower was painted by monks in the last winter. The lords came in June. The pier was sold.", "weak", "tower"},
	{"german_subject_from_afar", "de", "Brücken rosten im kalten Winter bei starkem salzigem Regen.", "Mühlen rosten im kalten Winter bei starkem salzigem Regen. Im Juni kamen die Herren. Viele Brücken verfielen.", "weak", "Mühlen"},
	{"subject_in_other_words", "en", "The steeple was painted by monks in the last cold winter.", "The tower was painted by monks in the last cold winter. The lords came in June. The pier was sold.", "supported", ""},
	{"lead_in_from_afar", "en", "It is said that, as reported, the tower was painted by monks in the last winter.", "The tower was painted by monks in the last winter. The lords came in June. It was reported widely.", "supported", ""},
	{"subject_said_before", "en", "The tower was painted by monks in the last winter.", "The tower is old. It was painted by monks in the last winter.", "supported", ""},
	{"opposite_of_another_in_the_same_words", "en", "Sand raises blood sugar.", "Water lowers blood sugar, while sand raises it.", "weak", "in the place of"},
	{"two_clauses_turned", "en", "Halla lost, and Brida won.", "Old Brida won, and Halla lost.", "supported", ""},
	{"short_form_in_brackets", "en", "The mutant harbour-beta has been reported to leak in rain.", "The mutant harbour-beta (mutant-har-beta) has been reported to leak in rain.", "supported", ""},
	{"two_predicates", "en", "The firm moved to Marden.", "The firm bought a mill and moved to Marden.", "supported", ""},
	{"two_subjects", "en", "The mill burns coal.", "The mill and the kiln burn coal.", "supported", ""},
	{"adverb_before_the_predicate", "en", "The firm moved to Marden.", "The firm bought a mill and slowly moved to Marden.", "supported", ""},
	{"aside_behind_the_subject", "en", "Halla opposes the toll.", "Halla, who voted for it, now opposes the toll.", "supported", ""},
	{"the_same_thing_by_its_noun", "en", "KEEP cannot be reset.", "Use the KEEP flag with care, since this flag cannot be reset.", "supported", ""},
	{"participle_with_its_small_word", "en", "The salt increased the risk of rust.", "The salt cleaned the hull, but was tied to increased risk of rust.", "supported", ""},
	{"passive_in_the_same_order", "en", "Halla defeated Brida at Marden.", "Halla was defeated by the Duke of Brida at Marden.", "weak", "passive"},
	{"active_in_the_same_order", "en", "Halla was defeated by Brida at Marden.", "Halla defeated Brida at Marden.", "weak", "passive"},
	{"french_passive_in_the_same_order", "fr", "La fondation a financé le musée.", "La fondation a été financé par le musée.", "weak", "passive"},
	{"spanish_passive_in_the_same_order", "es", "El ministro acusó al banco.", "El ministro fue acusado por el banco.", "weak", "passive"},
	{"passive_of_nobody", "en", "The lock was closed in Marden.", "The lock was closed by Brida in Marden.", "supported", ""},
	{"passive_in_the_other_order", "en", "Brida defeated Halla at Marden.", "Halla was defeated by Brida at Marden.", "supported", ""},
	{"converse_of_changed_parties", "en", "Brida bought the farm from Halla.", "Halla sold the farm to Brida.", "weak", "sold"},
	{"converse_of_the_same_parties", "en", "Brida bought the farm of Halla.", "Brida sold the farm to Halla.", "contradicted", "sold"},
	{"opposite_of_changed_names", "en", "Brida opened the gate of Halla.", "Halla saw Brida close the gate.", "contradicted", "close"},
	{"verb_said_once", "en", "Halla ordered tea in May.", "Brida ordered coffee in June and Halla tea in May.", "supported", ""},
	{"verb_said_once_with_figures", "en", "Net profit rose 6%.", "Revenue rose 8% and net profit 6%.", "supported", ""},
	{"verb_said_once_behind_a_comma", "de", "Marden braucht für die Strecke 70 Minuten.", "Corrin braucht für die Strecke 40 Minuten, Marden 70 Minuten.", "supported", ""},
	{"verb_said_once_and_one_of_its_own", "en", "Halla joined in 2004.", "Brida joined in 1999 and Halla left in 2004.", "weak", "Brida"},
	{"verb_said_once_of_the_other_figure", "en", "Net profit rose 8%.", "Revenue rose 8% and net profit 6%.", "weak", "Revenue"},
	{"head_said_once", "en", "The toll is $10 for carts.", "The toll is $5 for walkers and $10 for carts.", "supported", ""},
	{"head_said_once_of_names", "en", "Halla was queen of Marden.", "Halla was queen of Corrin and Marden.", "supported", ""},
	{"head_of_a_clause_of_its_own", "en", "Halla was queen of Marden.", "Halla was queen of Corrin, Marden burnt down.", "weak", "Corrin"},
	{"head_of_another_sentence", "en", "The toll is $10 for carts.", "The toll is $5 for walkers. It was $10 for carts.", "weak", "$5"},
	{"two_bare_figures", "en", "The lock was closed for repairs between 2014.", "The lock was closed for repairs between 2004 and 2014.", "weak", "2004"},
	{"subject_taken_up_by_what_it_is", "en", "Salt is mined in Marden.", "Salt keeps fish fresh. The mineral is mined in Marden.", "weak", "mineral"}, // as "The water is mined" would be
	{"figures_of_two_kinds", "en", "The lock was finished in 2014 after 12 delays.", "The lock had 12 delays, and it was finished in 2014 after them.", "supported", ""},
}

func TestBorrowedSubjectsAndFigures(t *testing.T) {
	wantEach(t, borrowing)
}
