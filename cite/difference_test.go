package cite_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/score"
)

// A named row is a claim with its evidence, the verdict that is wanted, and a word of the reason.
type named struct {
	name, lang, claim, evidence string
	want                        citewell.Verdict
	reason                      string
}

// Claims that differ from their evidence in one thing.
var differing = []named{
	{"magnitude", "en", "Dengue infects 390 billion people each year.", "Dengue infects 390 million people each year.", "contradicted", "390 billion"},
	{"magnitude_of_count", "en", "The city has 3 thousand inhabitants.", "The city has 3 million inhabitants.", "contradicted", "3 thousand"},
	{"maximum_percent", "en", "Save up to 105 % on shipping.", "Save up to 80 % on shipping.", "unsupported", "105 %"},
	{"maximum_length", "en", "The cable is up to 300 m long.", "The cable is up to 200 m long.", "unsupported", "300 m"},
	{"at_most", "en", "At most 3 percent of the seeds fail.", "At most 2 percent of the seeds fail.", "unsupported", "3 percent"},
	{"count", "en", "The fleet has 13 ships.", "The fleet has 12 ships.", "contradicted", "13"},
	{"opposite_bounds", "en", "At least 50 people died.", "At most 50 people died.", "unsupported", "50"},
	{"opposite_bounds_of_a_long_claim", "en", "The flooding of the valley killed at least 50 people in the spring.", "The flooding of the valley killed at most 50 people in the spring.", "contradicted", "50"},
	{"names_exchanged", "en", "The company migrates from PostgreSQL to MySQL.", "The company migrates from MySQL to PostgreSQL.", "undecided", "other way round"},
	{"names_moved", "en", "In Vienna the company employs Lucia.", "The company employs Lucia in Vienna.", "supported", ""},
	{"names_in_a_list", "en", "The company runs PostgreSQL and MySQL.", "The company runs MySQL and PostgreSQL.", "supported", ""},
	{"only_added", "en", "Only SQLite supports partial indexes.", "SQLite supports partial indexes.", "undecided", "only"},
	{"only_elsewhere", "en", "The timeout works for FTP connections only.", "The timeout only works for FTP connections.", "supported", ""},
	{"word_in_anothers_place", "en", "The boat house is blue.", "The boat house is grey and stands by the lake.", "undecided", "grey"},
	{"word_in_anothers_place_said_elsewhere", "en", "The boat house is blue.", "The boat house is old. It is blue.", "supported", ""},
	{"word_of_the_same_side", "en", "The library is smaller than the kernel.", "The library is less than the kernel.", "supported", ""},
	{"word_written_apart", "en", "The team deployed WebAssembly.", "The team deployed Web Assembly.", "supported", ""},
	{"name_said_elsewhere_and_no_name_in_its_place", "en", "Yesterday Lucia paid the bill.", "Yesterday managers paid the bill. Lucia left early.", "supported", ""},
	{"name_in_anothers_place", "en", "Lucia will not attend the conference in Vienna.", "Tom will not attend the conference in Vienna. Lucia books the flights.", "undecided", "Lucia"},
	{"name_in_anothers_place_inside", "en", "Yesterday Lucia paid the bill.", "Yesterday Tom paid the bill. Lucia left early.", "undecided", "Lucia"},
	{"reports_are_false", "en", "The mayor resigned.", "Reports that the mayor resigned are false.", "undecided", "false"},
	{"relative_clause_of_the_wrong", "en", "The mayor signed the treaty.", "The mayor that signed the treaty was wrong.", "supported", ""},
	{"no_evidence_that", "en", "Coffee causes cancer.", "There is no evidence that coffee causes cancer.", "contradicted", "evidence"},
	{"no_evidence_of_what_has_no_direction", "en", "The painter lived in the old mill.", "There is no evidence that the painter lived in the old mill.", "contradicted", "evidence"},
	{"before_for_since", "en", "Before January 2021 every deployment needed two approvals.", "Since January 2021 every deployment needed two approvals.", "contradicted", "Since"},
	{"until_for_from", "en", "The ferry ran until 1990.", "The ferry ran after 1990.", "contradicted", "after"},
	{"second_denial", "en", "Readers never block writers, and the log is always kept.", "Readers do not block writers, and the log is not kept.", "contradicted", "denies"},
	{"denial_beside_another", "en", "The gate is shown to hold and does not leak.", "The gate is not shown to hold and does not leak.", "contradicted", "denies"},
	{"order_of_parties", "en", "Alice Smith paid Bob Jones 400 dollars.", "Bob Jones paid Alice Smith 400 dollars.", "undecided", "other way round"},
	{"order_of_names_in_a_comparison", "en", "Germany exported more steel to France than Italy.", "France exported more steel to Germany than Italy.", "undecided", "other way round"},
	{"few_for_most", "en", "Few users were affected.", "Most users were affected.", "undecided", "few"},
	{"none_for_many", "en", "No users were affected.", "Many users were affected.", "contradicted", "denies"},
	{"passive_turned", "en", "The row was replaced by the column.", "The column was replaced by the row.", "undecided", "other way round"},
	{"small_words_are_no_passive", "en", "Smith paid and praised Jones in May.", "Jones then also paid and praised Smith in May.", "undecided", "other way round"},
	{"german_passive_for_active", "de", "Brightcorp kaufte Lumen.", "Lumen wurde von Brightcorp gekauft.", "supported", ""},
	{"german_names_exchanged", "de", "Brightcorp verklagte Lumen.", "Lumen verklagte Brightcorp.", "undecided", "other way round"},
	{"words_before_the_copy_are_no_difference", "en", "The row replaced the column.", "As they have said in the long report, the column replaced the row.", "undecided", "other way round"},
	{"two_words_in_the_place_of_two", "en", "The boat house is blue and pretty.", "The boat house is grey and quiet.", "undecided", "part of the claim's words"},
	{"exception_of_several_words", "en", "The museum is open on Mondays.", "The museum is open except on all of the Mondays.", "undecided", "except on all of the Mondays"},
	{"was_alone_is_no_passive", "en", "Smith paid and praised Jones in May.", "Jones who was ill paid and praised Smith in May.", "undecided", "other way round"},
	{"all_is_a_title_and_nothing_follows", "en", "The Corrin bridge is green.", "The green Corrin bridge\n\n", "supported", ""},
	{"german_passive_of_the_same_verb", "de", "Brightcorp verklagte Lumen.", "Lumen wurde von Brightcorp verklagt.", "supported", ""},
	{"passive_for_active", "en", "Brightcorp acquired Lumen.", "Lumen was acquired by Brightcorp.", "supported", ""},
	{"clause_moved", "en", "The plant was closed for repairs in the spring of the second year.", "In the spring of the second year, the plant was closed for repairs.", "supported", ""},
	{"no_more_than_is_a_bound", "en", "A table can have no more than 1,600 columns.", "A table can have at most 1,600 columns.", "supported", ""},
	{"digits_for_a_word", "en", "The clinic treats type two diabetes.", "The clinic treats type 2 diabetes.", "supported", ""},
	{"contraction", "en", "The valve doesn't leak at night.", "The valve does not leak at night.", "supported", ""},
	{"aside_with_a_denial", "en", "The value is unknown and taken from the table.", "The value is unknown (it was not given) and taken from the table.", "supported", ""},
	{"name", "en", "The rest of the troops sailed to Gaspe.", "The rest of the troops sailed to Halifax.", "undecided", "Gaspe"},
	{"german_denial_at_the_end", "de", "Die Datei existiert nach dem Neustart.", "Die Datei existiert nach dem Neustart nicht.", "contradicted", "denies"},
	{"french_denial", "fr", "Le fichier est lu au démarrage.", "Le fichier n'est pas lu au démarrage.", "contradicted", "denies"},
	{"russian_denial", "ru", "Программа может читать этот файл.", "Программа не может читать этот файл.", "contradicted", "denies"},
	{"french_denial_at_the_head", "fr", "Le pain contient du gluten.", "Pas de gluten dans le pain.", "undecided", ""},
	{"arabic_may", "ar", "يخفض القانون الضرائب.", "قد يخفض القانون الضرائب.", "undecided", "less surely"},
	{"arabic_has", "ar", "خفض القانون الضرائب.", "قد خفض القانون الضرائب.", "supported", ""},
	{"arabic_has_of_nothing", "ar", "خفض القانون الضرائب.", "خفض القانون الضرائب قد", "supported", ""},
	{"arabic_at_least", "ar", "طول الجسر لا يقل عن 50 مترا.", "طول الجسر لا يقل عن 50 مترا ويزيد كل عام.", "supported", ""},
	{"arabic_at_least_for_less_than", "ar", "طول الجسر لا يقل عن 50 مترا.", "طول الجسر يقل عن 50 مترا.", "contradicted", ""},
	{"arabic_denied_direction", "ar", "لا يقل الضجيج على المدينة.", "يقل الضجيج على المدينة.", "contradicted", "denies"},
	{"arabic_denied_at_the_end", "ar", "الضجيج في المدينة لا يقل.", "الضجيج في المدينة يقل.", "contradicted", "denies"},
	{"chinese_denial", "zh", "系统会删除这个文件。", "系统不会删除这个文件。", "contradicted", "denies"},
	{"title_bears_nothing_out", "en", "The Corrin bridge is in good shape.", "Corrin bridge\n\nThe first stone was laid by monks, and the toll fed the town.", "unsupported", ""},
	{"title_says_of_what", "en", "The Corrin bridge was painted in green by monks.", "Corrin bridge\n\nIt was painted in green by monks.", "supported", ""},
	{"lead_in", "en", "All in all, the plant generates 640 GWh a year.", "The plant generates 640 GWh a year.", "supported", ""},
	{"whole_behind_a_lead_in", "en", "All in all, every plant in the valley generates clean power.", "A plant in the valley generates clean power.", "undecided", "all"},
	{"exception_before_a_comma", "en", "The harbour is open to boats.", "Except on Mondays, the harbour is open to boats.", "supported", ""},
	{"opposed_prefixes", "en", "The drug caused severe hypertension in older patients.", "The drug caused severe hypotension in older patients.", "contradicted", "hypotension"},
	{"opposed_prefixes_turned", "en", "The drug caused severe hypotension in older patients.", "The drug caused severe hypertension in older patients.", "contradicted", "hypertension"},
	{"next_row_of_a_table", "en", "The barrage is 2.4 km long.", "Length of the barrage | 2.4 km\nArea of the basin | 31 square kilometres", "supported", ""},
	{"cell_of_a_table", "en", "SQLite , foreign keys off", "sqlite> PRAGMA foreign_keys;", "undecided", "off"},
	{"chinese_opposites_in_other_words", "zh", "咖啡增加头痛的风险。", "在这项研究中，头痛的风险随着咖啡而减少。", "undecided", "减少"},
	{"chinese_quantity", "zh", "用户必须有调用的一些函数的权限。", "用户必须有调用的所有函数的权限。", "undecided", "一些"},
	{"word_of_another_clause_is_in_nobodys_place", "en", "Towers shine.", "Towers; rust spreads below.", "undecided", "part of the claim's words"},
	{"one_word_of_six_may_be_in_other_words", "en", "The boat house in the old harbour of Brannock is blue.", "The boat house in the old harbour of Brannock is grey.", "supported", ""},
	{"one_word_of_five_is_another", "en", "The boat house in the harbour of Brannock is blue.", "The boat house in the harbour of Brannock is grey.", "undecided", "grey"},
	{"one_word_of_one_is_another_statement", "en", "It is blue.", "It is grey.", "unsupported", ""},
	{"name_that_begins_alike", "en", "The museum of Iceland is in Halifax.", "The museum of Icelanders is in Halifax.", "supported", ""},
	{"name_that_begins_with_three_letters_alike", "en", "The museum of Icela is in Halifax.", "The museum of Icons is in Halifax.", "undecided", "Icons"},
	{"abbreviation_spelled_out", "en", "The head of the WHO flew to Halifax in May.", "The head of the World Health Organization flew to Halifax in May.", "supported", ""},
	{"abbreviation_for_the_words", "en", "The head of the World Health Organization flew to Halifax in May.", "The head of the WHO flew to Halifax in May.", "supported", ""},
	{"denial_with_a_bound_behind_its_verb", "en", "The pump does stop after at most 5 hours.", "The pump does not stop after at most 5 hours.", "contradicted", "denies"},
	{"denial_with_a_bound_far_behind", "en", "The pump does stop after the at most 5 hours.", "The pump does not stop after the at most 5 hours.", "contradicted", "denies"},
	{"denial_behind_a_comma_in_few_words", "en", "The gate of the harbour leaks at night.", "The gate of the harbour leaks at night, it was not.", "contradicted", "night"},
	{"denial_at_the_end_behind_three_words", "en", "The gate of the harbour leaks at night.", "The gate of the harbour leaks at night so it is not.", "contradicted", "night"},
	{"denial_at_the_end_behind_four_words", "en", "The gate of the harbour leaks at night.", "The gate of the harbour leaks at night and so is it not.", "supported", ""},
	{"denial_at_the_head_before_three_words", "en", "The gate of the harbour leaks at night.", "Not so is that the gate of the harbour leaks at night.", "contradicted", "gate"},
	{"denial_at_the_head_before_four_words", "en", "The gate of the harbour leaks at night.", "Not so is it that the gate of the harbour leaks at night.", "supported", ""},
	{"opposite_among_three_words", "en", "The new law in town raises taxes on fuel.", "The new law in town lowers many odd taxes on fuel.", "contradicted", "lowers"},
	{"opposite_among_four_words_is_another_statement", "en", "The new law in town raises taxes on fuel.", "The new law in town lowers quickly many odd taxes on fuel.", "supported", ""},
	{"whole_of_a_near_copy", "en", "Users of the old stone harbour always pay a fee.", "Users of the harbour pay a fee in old stone.", "undecided", "always"},
	{"whole_of_no_copy", "en", "All users of the old stone harbour pay a fee.", "Users of the harbour of wood pay a fee.", "supported", ""},
	{"part_alone", "en", "Most users of the harbour pay.", "Users of the harbour pay.", "supported", ""},
	{"other_thing_of_the_name", "en", "The second gate of the harbour is red.", "The third gate of the harbour is red.", "undecided", "third"},
	{"upper_for_lower", "en", "The upper gate of the harbour is red.", "The lower gate of the harbour is red.", "contradicted", "lower"},
	{"small_word_at_the_end_of_a_sentence", "en", "Foreign keys are off.", "Foreign keys.", "supported", ""},
	{"german_particle", "de", "Der Lärm nahm in der Stadt ab.", "Der Lärm nahm in der Stadt zu.", "contradicted", "direction"},
	{"german_words_that_moved", "de", "Heute schläft der Hund draußen gerne.", "Gerne schläft der Hund heute draußen.", "supported", ""},
	{"passive_by_the_other", "en", "Alice was paid by Bob in May.", "Bob paid Alice in May.", "supported", ""},
	{"names_exchanged_around_a_date", "en", "It flew from Oslo in May to Bergen.", "It flew to Bergen in May from Oslo.", "undecided", "Oslo"},
	{"years_exchanged", "en", "In 1990 it closed, in 1995 it opened.", "In 1995 it closed, in 1990 it opened.", "undecided", "other way round"},
	{"rival_figure_that_the_evidence_has_elsewhere", "en", "The fleet of Brannock has 13 ships and 5 boats.", "The fleet of Brannock has 12 ships and 13 boats.", "unsupported", "5"},
	{"denial_in_the_first_of_two_clauses", "en", "The plan was not approved in the spring by the council, but the mayor signed it.", "The plan was approved in the spring by the council, but the mayor signed it.", "contradicted", "approved"},
	{"few_for_none", "en", "There were few users of the gate.", "There were no users of the gate.", "contradicted", "denies"},
	{"neither_nor", "en", "The old tower rises.", "The old tower neither rises nor falls.", "contradicted", "denies"},
	{"denied_direction_and_its_opposite", "en", "The price does not rise.", "The price falls.", "supported", ""},
	{"no_effect_and_an_effect", "en", "The drug has no effect on sleep.", "The drug changes sleep.", "undecided", "changes"},
	{"no_effect_and_nothing_of_one", "en", "The drug has no effect on sleep.", "The drug and sleep were studied.", "undecided", "denies nothing"},
	{"effect_and_none", "en", "The drug affects sleep.", "The drug has no effect on sleep.", "undecided", "denies an effect"},
	{"opposite_in_other_words", "en", "Sleep rises with tea.", "In a study tea was drunk, and sleep was seen to fall.", "undecided", "fall"},
	{"almost", "en", "The buses of the town are empty.", "The buses of the town are almost empty.", "undecided", "almost empty"},
	{"almost_in_the_claim", "en", "The buses of the town are almost empty.", "The buses of the town are empty.", "supported", ""},
	{"almost_a_number", "en", "The hall has 300 seats.", "The hall has almost 300 seats.", "supported", ""},
	{"instead_of", "en", "The museum opens on Sundays.", "The museum opens instead of the Sundays on Mondays.", "undecided", "instead of the Sundays"},
	{"exception_far_behind", "en", "The museum opens on Sundays.", "The museum opens, except in the cold, dark, long winters of old Sundays.", "supported", ""},
	{"exception_said_before", "en", "The museum of Sundays opens on Sundays.", "The museum of Sundays opens on all days except Sundays.", "supported", ""},
	{"regardless_of_whether", "en", "Regardless of age it helps.", "It helps regardless of whether age counts.", "supported", ""},
	{"whether", "en", "The mayor resigned.", "They ask whether the mayor resigned.", "undecided", "leaves it open"},
	{"no_matter_whether", "en", "The mayor resigned.", "No matter, whether the mayor resigned, it rained.", "supported", ""},
	{"whether_behind_it", "en", "The mayor who resigned asked.", "The mayor who resigned asked whether it rained.", "supported", ""},
	{"french_asking_if", "fr", "Le maire a démissionné.", "On demande si le maire a démissionné.", "undecided", "leaves it open"},
	{"french_if", "fr", "Le maire a démissionné.", "Le maire a démissionné, si on veut.", "supported", ""},
}

// A megabyte without a full stop is read to its end, and a claim of many pages is no
// statement. A check that compared every word with every other would not come back.
func TestCheckOfLongTexts(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("one goroutine that takes seconds")
	}
	long := strings.Repeat("the gate of the harbour was not closed by 12 men in 1990, ", 18_000)
	for _, test := range []struct {
		name, claim, evidence string
		want                  citewell.Verdict
	}{
		{"at_the_end", "Penguins were counted on the southern ice shelf.", long + "and penguins were counted on the southern ice shelf again", "undecided"},
		{"denied_at_the_end", "Penguins were counted on the southern ice shelf.", long + "and penguins were not counted on the southern ice shelf", "undecided"},
		{"long_claim", long, "The gate was closed by 13 men.", "undecided"},
		{"long_claim_word_for_word", long, "Once " + long, "undecided"},
		{"many_sentences_alike", long[:longestRead], strings.ReplaceAll(long, ",", "."), "undecided"},
		{"no_spaces", strings.Repeat("水", longestRead/3), strings.Repeat("水不", 150_000), "undecided"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if j := hold(test.claim, test.evidence, ""); j.Verdict != test.want {
				t.Errorf("%s, %s, want %s", j.Verdict, j.Reason, test.want)
			}
		})
	}
}

const longestRead = 7_900 // bytes, less than a claim may have
