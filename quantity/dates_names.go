package quantity

import (
	"strings"
	"sync"

	"github.com/citewell/citewell/text"
)

// monthNames gives the number of a month by its name or short form, lower case,
// without a full stop, by language.
var monthNames = sync.OnceValue(func() map[string]map[string]int {
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
		"sv": {"januari jan", "februari feb", "mars", "april apr", "maj", "juni", "juli", "augusti aug", "september sept", "oktober okt", "november nov", "december dec"},
		"da": {"januar jan", "februar feb", "marts", "april apr", "maj", "juni", "juli", "august aug", "september sept", "oktober okt", "november nov", "december dec"},
		"no": {"januar jan", "februar feb", "mars", "april apr", "mai", "juni", "juli", "august aug", "september sept", "oktober okt", "november nov", "desember des"},
		"fi": {"tammikuuta tammikuussa", "helmikuuta helmikuussa", "maaliskuuta maaliskuussa", "huhtikuuta huhtikuussa", "toukokuuta toukokuussa", "kesäkuuta kesäkuussa", "heinäkuuta heinäkuussa", "elokuuta elokuussa", "syyskuuta syyskuussa", "lokakuuta lokakuussa", "marraskuuta marraskuussa", "joulukuuta joulukuussa"},
		"cs": {"ledna leden lednu", "února únor únoru", "března březen březnu", "dubna duben dubnu", "května květen květnu", "června červen červnu", "července červenec červenci", "srpna srpen srpnu", "září", "října říjen říjnu", "listopadu listopad", "prosince prosinec prosinci"},
		"uk": {"січня січень січні", "лютого лютий лютому", "березня березень березні", "квітня квітень квітні", "травня травень травні", "червня червень червні", "липня липень липні", "серпня серпень серпні", "вересня вересень вересні", "жовтня жовтень жовтні", "листопада листопад листопаді", "грудня грудень грудні"},
		"tr": {"ocak", "şubat", "mart", "nisan", "mayıs", "haziran", "temmuz", "ağustos", "eylül", "ekim", "kasım", "aralık"},
		"ro": {"ianuarie", "februarie", "martie", "aprilie", "mai", "iunie", "iulie", "august", "septembrie", "octombrie", "noiembrie", "decembrie"},
		"id": {"januari", "februari", "maret", "april", "mei", "juni", "juli", "agustus", "september", "oktober", "november", "desember"},
		"ca": {"gener", "febrer", "març", "abril", "maig", "juny", "juliol", "agost", "setembre", "octubre", "novembre", "desembre"},
		"hi": {"जनवरी", "फरवरी फ़रवरी", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त", "सितंबर सितम्बर", "अक्टूबर अक्तूबर", "नवंबर नवम्बर", "दिसंबर दिसम्बर"},
		"fa": {"ژانویه", "فوریه", "مارس", "آوریل", "مه", "ژوئن", "ژوئیه جولای", "اوت آگوست", "سپتامبر", "اکتبر", "نوامبر", "دسامبر"},
		// Egypt's names, those of the Levant, and those of the Maghreb.
		"ar": {"يناير كانون_الثاني جانفي", "فبراير شباط فيفري", "مارس آذار اذار", "أبريل ابريل إبريل نيسان أفريل", "مايو أيار ايار ماي", "يونيو حزيران جوان", "يوليو تموز جويلية", "أغسطس اغسطس آب أوت", "سبتمبر أيلول ايلول", "أكتوبر اكتوبر تشرين_الأول", "نوفمبر تشرين_الثاني", "ديسمبر كانون_الأول"},
	} {
		tables[lang] = map[string]int{}
		for i, names := range months {
			for name := range strings.FieldsSeq(names) {
				tables[lang][name] = i + 1
			}
		}
	}
	return tables
})

// monthNumber returns 1 to 12 for a month's name in lang or English, and 0 for any
// other word. Without a language every table is asked; where tables differ, no
// month is meant for sure.
func monthNumber(lang, word string) int {
	if n := monthNames()[lang][word]; n != 0 {
		return n
	}
	if n := monthNames()["en"][word]; n != 0 {
		return n
	}
	if lang != "" {
		return 0
	}
	found := 0
	for _, table := range monthNames() {
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
var yearWords = text.SetOf(`in since by until till during from after before between circa ca c early late mid around year fy spring summer autumn fall winter and to
 im jahr jahre jahres seit bis von ab nach vor um anfang ende mitte zwischen und frühjahr sommer herbst
 en depuis dès avant après jusqu'en année fin début entre et printemps été automne hiver
 desde hasta de del año antes después hacia y verano otoño invierno primavera
 nel dal anno fino em desde até ano sinds tot jaar
 в с до к от после между и около году года у з від після між близько
 عام سنة العام السنة لعام بعام وعام فعام لسنة وسنة بسنة منذ بحلول أعوام سال در
 सन yılı`)

// yearWordsAfter stand after a year: 2015 году, 2015 г., 2015年 is read on its own.
var yearWordsAfter = text.SetOf("год году года годом гг г ad ce рік року році роком рр р yılında yılı yılından yılının م ميلادي ميلادية میلادی")

// dayFirstLanguages are those whose 03/04/2025 is the third of April.
var dayFirstLanguages = text.SetOf("de fr es it pt nl ru uk bg pl cs sv da no fi tr el ro ca id ar hi")

// otherCalendar are months of calendars that are not turned into ours: a date with one
// is recognised, and is no figure, but is compared with nothing.
var otherCalendar = sync.OnceValue(func() map[string]bool {
	return text.SetOf(`محرم المحرم صفر ربيع جمادى رجب شعبان رمضان شوال ذو ذي
 فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند
 muharram safar rabi jumada rajab shaaban ramadan shawwal`)
})

// otherYears stand behind a year of another calendar.
var otherYears = text.SetOf("هـ ه هجري هجرية هجريا شمسی خورشیدی قمری ah")

// eras are the names before a year that is counted from another beginning, with the
// year before the first.
var eras = []struct {
	name   string
	before int
}{
	{"令和", 2018}, {"平成", 1988}, {"昭和", 1925}, {"大正", 1911}, {"明治", 1867},
	{"民国", 1911}, {"民國", 1911}, {"中華民國", 1911}, {"中华民国", 1911},
}
