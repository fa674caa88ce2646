package text

import "strings"

// monthNames gives the number of a month by its name or short form, lower case,
// without a full stop, by language.
var monthNames = func() map[string]map[string]int {
	tables := map[string]map[string]int{}
	for lang, months := range map[string][12]string{
		"en": {"january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug", "september sept sep", "october oct", "november nov", "december dec"},
		"de": {"januar jänner jan", "februar feber feb", "märz mär mrz", "april apr", "mai", "juni jun", "juli jul", "august aug", "september sept sep", "oktober okt", "november nov", "dezember dez"},
		"fr": {"janvier janv", "février févr", "mars", "avril avr", "mai", "juin", "juillet juil", "août", "septembre sept", "octobre oct", "novembre nov", "décembre déc"},
		"es": {"enero ene", "febrero feb", "marzo mar", "abril abr", "mayo may", "junio jun", "julio jul", "agosto ago", "septiembre setiembre sept sep", "octubre oct", "noviembre nov", "diciembre dic"},
		"it": {"gennaio gen", "febbraio feb", "marzo mar", "aprile apr", "maggio mag", "giugno giu", "luglio lug", "agosto ago", "settembre set", "ottobre ott", "novembre nov", "dicembre dic"},
		"pt": {"janeiro jan", "fevereiro fev", "março mar", "abril abr", "maio mai", "junho jun", "julho jul", "agosto ago", "setembro set", "outubro out", "novembro nov", "dezembro dez"},
		"nl": {"januari jan", "februari feb", "maart mrt", "april apr", "mei", "juni jun", "juli jul", "augustus aug", "september sept sep", "oktober okt", "november nov", "december dec"},
		"ru": {"января январь январе янв", "февраля февраль феврале февр фев", "марта март марте мар", "апреля апрель апреле апр", "мая май мае", "июня июнь июне июн", "июля июль июле июл", "августа август августе авг", "сентября сентябрь сентябре сент сен", "октября октябрь октябре окт", "ноября ноябрь ноябре нояб ноя", "декабря декабрь декабре дек"},
		"pl": {"stycznia styczeń", "lutego luty", "marca marzec", "kwietnia kwiecień", "maja maj", "czerwca czerwiec", "lipca lipiec", "sierpnia sierpień", "września wrzesień", "października październik", "listopada listopad", "grudnia grudzień"},
		"sv": {"januari", "februari", "mars", "april", "maj", "juni", "juli", "augusti", "september", "oktober", "november", "december"},
	} {
		tables[lang] = map[string]int{}
		for i, names := range months {
			for name := range strings.FieldsSeq(names) {
				tables[lang][name] = i + 1
			}
		}
	}
	return tables
}()

// monthNumber returns 1 to 12 for a month's name in lang or English, and 0 for any
// other word. Without a language every table is asked; where tables differ, no
// month is meant for sure.
func monthNumber(lang, word string) int {
	if n := monthNames[lang][word]; n != 0 {
		return n
	}
	if n := monthNames["en"][word]; n != 0 {
		return n
	}
	if lang != "" {
		return 0
	}
	found := 0
	for _, table := range monthNames {
		if n := table[word]; n != 0 {
			if found != 0 && found != n {
				return 0
			}
			found = n
		}
	}
	return found
}

// yearWords stand before a number that is a year even where a noun follows.
var yearWords = setOf(`in since by until till during from after before between circa ca c early late mid around year fy spring summer autumn fall winter and to
 im jahr jahre jahres seit bis von ab nach vor um anfang ende mitte zwischen und frühjahr sommer herbst
 en depuis dès avant après jusqu'en année fin début entre et printemps été automne hiver
 desde hasta de del año antes después hacia y verano otoño invierno primavera
 nel dal anno fino em desde até ano sinds tot jaar
 в с до к от после между и около году года`)

// yearWordsAfter stand after a year: 2015 году, 2015 г., 2015年 is read on its own.
var yearWordsAfter = setOf("год году года годом гг г ad ce")

// dayFirstLanguages are those whose 03/04/2025 is the third of April.
var dayFirstLanguages = setOf("de fr es it pt nl ru pl cs sv da fi tr el ro")
