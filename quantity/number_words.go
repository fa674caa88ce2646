package quantity

import (
	"sync"

	"github.com/citewell/citewell/text"
)

// numberWords are small numbers in words, by language. Words that are also articles
// (ein, un, uno) or that mean something else as often (the French neuf, the Turkish on)
// are read only within longer numbers, see withinNumbers.
var numberWords = sync.OnceValue(func() map[string]map[string]float64 {
	tables := map[string]map[string]float64{
		"en": {
			"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
			"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
			"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
		},
		"de": {"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19, "zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90, "hundert": 100, "tausend": 1000},
		"nl": {"twee": 2, "drie": 3, "vier": 4, "vijf": 5, "zes": 6, "zeven": 7, "acht": 8, "negen": 9, "tien": 10, "elf": 11, "twaalf": 12, "dertien": 13, "veertien": 14, "vijftien": 15, "zestien": 16, "zeventien": 17, "achttien": 18, "negentien": 19, "twintig": 20, "dertig": 30, "veertig": 40, "vijftig": 50, "zestig": 60, "zeventig": 70, "tachtig": 80, "negentig": 90, "honderd": 100, "duizend": 1000},
		"fr": {"deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "dix": 10, "onze": 11, "douze": 12, "treize": 13, "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "septante": 70, "octante": 80, "huitante": 80, "nonante": 90, "cent": 100, "mille": 1000},
		"es": {"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15, "dieciséis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veinte": 20, "veintiún": 21, "veintiuno": 21, "veintiuna": 21, "veintidós": 22, "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25, "veintiséis": 26, "veintisiete": 27, "veintiocho": 28, "veintinueve": 29, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80, "noventa": 90, "cien": 100, "ciento": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300, "trescientas": 300, "cuatrocientos": 400, "cuatrocientas": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600, "seiscientas": 600, "setecientos": 700, "setecientas": 700, "ochocientos": 800, "ochocientas": 800, "novecientos": 900, "novecientas": 900, "mil": 1000},
		"pt": {"dois": 2, "duas": 2, "três": 3, "quatro": 4, "cinco": 5, "seis": 6, "sete": 7, "oito": 8, "nove": 9, "dez": 10, "onze": 11, "doze": 12, "treze": 13, "catorze": 14, "quatorze": 14, "quinze": 15, "dezesseis": 16, "dezasseis": 16, "dezessete": 17, "dezassete": 17, "dezoito": 18, "dezenove": 19, "dezanove": 19, "vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "sessenta": 60, "setenta": 70, "oitenta": 80, "noventa": 90, "cem": 100, "cento": 100, "duzentos": 200, "duzentas": 200, "trezentos": 300, "trezentas": 300, "quatrocentos": 400, "quinhentos": 500, "quinhentas": 500, "seiscentos": 600, "setecentos": 700, "oitocentos": 800, "novecentos": 900, "mil": 1000},
		"it": {"due": 2, "tre": 3, "quattro": 4, "cinque": 5, "sette": 7, "otto": 8, "nove": 9, "dieci": 10, "undici": 11, "dodici": 12, "tredici": 13, "quattordici": 14, "quindici": 15, "sedici": 16, "diciassette": 17, "diciotto": 18, "diciannove": 19, "venti": 20, "trenta": 30, "quaranta": 40, "cinquanta": 50, "sessanta": 60, "settanta": 70, "ottanta": 80, "novanta": 90, "cento": 100, "mille": 1000, "duemila": 2000, "tremila": 3000, "quattromila": 4000, "cinquemila": 5000, "diecimila": 10000, "duecento": 200, "trecento": 300, "quattrocento": 400, "cinquecento": 500, "seicento": 600, "settecento": 700, "ottocento": 800, "novecento": 900},
		"ru": {"два": 2, "две": 2, "двух": 2, "двумя": 2, "три": 3, "трёх": 3, "трех": 3, "четыре": 4, "четырёх": 4, "четырех": 4, "пять": 5, "пяти": 5, "шесть": 6, "шести": 6, "семь": 7, "семи": 7, "восемь": 8, "восьми": 8, "девять": 9, "девяти": 9, "десять": 10, "десяти": 10, "одиннадцать": 11, "двенадцать": 12, "двенадцати": 12, "тринадцать": 13, "четырнадцать": 14, "пятнадцать": 15, "шестнадцать": 16, "семнадцать": 17, "восемнадцать": 18, "девятнадцать": 19, "двадцать": 20, "двадцати": 20, "тридцать": 30, "тридцати": 30, "сорок": 40, "пятьдесят": 50, "шестьдесят": 60, "семьдесят": 70, "восемьдесят": 80, "девяносто": 90, "сто": 100, "двести": 200, "триста": 300, "четыреста": 400, "пятьсот": 500, "шестьсот": 600, "семьсот": 700, "восемьсот": 800, "девятьсот": 900, "тысяча": 1000},
		"uk": {"два": 2, "дві": 2, "двох": 2, "три": 3, "трьох": 3, "чотири": 4, "чотирьох": 4, "шість": 6, "сім": 7, "вісім": 8, "десять": 10, "одинадцять": 11, "дванадцять": 12, "двадцять": 20, "тридцять": 30, "сорок": 40, "сто": 100, "двісті": 200, "триста": 300},
		"ar": {
			"ثلاثة": 3, "ثلاث": 3, "أربعة": 4, "اربعة": 4, "أربع": 4, "خمسة": 5, "خمس": 5, "ستة": 6, "سبعة": 7, "ثمانية": 8, "ثماني": 8, "تسعة": 9, "تسع": 9, "عشرة": 10,
			"عشرون": 20, "عشرين": 20, "ثلاثون": 30, "ثلاثين": 30, "أربعون": 40, "أربعين": 40, "خمسون": 50, "خمسين": 50, "ستون": 60, "ستين": 60, "سبعون": 70, "سبعين": 70, "ثمانون": 80, "ثمانين": 80, "تسعون": 90, "تسعين": 90,
			"مئة": 100, "مائة": 100, "مئتان": 200, "مئتين": 200, "مائتان": 200, "مائتين": 200, "مئتي": 200, "مائتي": 200, "ثلاثمئة": 300, "ثلاثمائة": 300, "أربعمئة": 400, "أربعمائة": 400, "خمسمئة": 500, "خمسمائة": 500, "ستمئة": 600, "ستمائة": 600, "سبعمئة": 700, "سبعمائة": 700, "ثمانمئة": 800, "ثمانمائة": 800, "تسعمئة": 900, "تسعمائة": 900,
			"ألفان": 2e3, "ألفين": 2e3, "ألفي": 2e3, "مليون": 1e6, "مليونان": 2e6, "مليونين": 2e6, "مليوني": 2e6, "مليار": 1e9, "ملياران": 2e9, "مليارين": 2e9, "ملياري": 2e9,
		},
		"fa": {"سه": 3, "چهار": 4, "پنج": 5, "شش": 6, "هفت": 7, "هشت": 8, "ده": 10, "یازده": 11, "دوازده": 12, "پانزده": 15, "بیست": 20, "چهل": 40, "پنجاه": 50, "شصت": 60, "هفتاد": 70, "هشتاد": 80, "نود": 90, "صد": 100, "هزار": 1000},
		"hi": {"तीन": 3, "चार": 4, "पांच": 5, "पाँच": 5, "सात": 7, "आठ": 8, "नौ": 9, "दस": 10, "ग्यारह": 11, "बारह": 12, "पंद्रह": 15, "बीस": 20, "पच्चीस": 25, "तीस": 30, "चालीस": 40, "पचास": 50},
		"tr": {"iki": 2, "üç": 3, "dört": 4, "beş": 5, "sekiz": 8, "dokuz": 9, "yirmi": 20, "otuz": 30, "kırk": 40, "elli": 50, "altmış": 60, "yetmiş": 70, "seksen": 80, "doksan": 90},
	}
	return tables
})

// withinNumbers are number words that count only behind another number word: "vingt et
// un", "quarante-neuf", "ثلاثة عشر".
var withinNumbers = map[string]map[string]float64{
	"fr": {"un": 1, "une": 1, "neuf": 9, "vingts": 20, "cents": 100},
	"es": {"uno": 1, "una": 1, "un": 1},
	"pt": {"um": 1, "uma": 1},
	"ru": {"один": 1, "одна": 1, "одного": 1, "одну": 1},
	"uk": {"один": 1, "одна": 1},
	"ar": {"عشر": 10, "عشرة": 10, "ثمان": 8, "ست": 6, "سبع": 7, "واحد": 1, "واحدة": 1, "اثنان": 2, "اثنين": 2, "آلاف": 1e3, "ألف": 1e3, "ملايين": 1e6, "مليارات": 1e9},
	"fa": {"یک": 1, "دو": 2, "نه": 9, "سی": 30},
	"tr": {"bir": 1, "altı": 6, "yedi": 7, "on": 10, "yüz": 100, "bin": 1000},
}

// numberJoiners stand between the words of one number.
var numberJoiners = map[string]string{"fr": "et", "es": "y", "pt": "e", "fa": "و"}

// compoundOnes are the ones of numbers written as one word, as in einundzwanzig.
var compoundOnes = map[string]map[string]float64{"de": {"ein": 1, "eine": 1, "eins": 1}, "nl": {"een": 1, "één": 1}}

// collectives are about as many as they say: une vingtaine de personnes. In French
// and Italian an article comes before them, which tells la quarantaine apart.
var collectives = map[string]map[string]float64{
	"fr": {"dizaine": 10, "douzaine": 12, "quinzaine": 15, "vingtaine": 20, "trentaine": 30, "quarantaine": 40, "cinquantaine": 50, "soixantaine": 60, "centaine": 100, "millier": 1000},
	"it": {"decina": 10, "dozzina": 12, "quindicina": 15, "ventina": 20, "trentina": 30, "quarantina": 40, "cinquantina": 50, "centinaio": 100, "migliaio": 1000},
	"es": {"decena": 10, "docena": 12, "quincena": 15, "veintena": 20, "treintena": 30, "cincuentena": 50, "centenar": 100, "millar": 1000},
	"pt": {"dezena": 10, "dúzia": 12, "centena": 100},
	"de": {"dutzend": 12},
	"nl": {"tiental": 10, "dozijn": 12, "twintigtal": 20, "honderdtal": 100},
}

// articles come before collectives.
var articles = text.SetOf("une un una uno uma um ein eine einem einer een")

// halves are parts of a scale or a unit that follows: medio millón, полтора года.
var halves = map[string]map[string]float64{
	"de": {"halbe": 0.5, "halben": 0.5, "halbes": 0.5, "anderthalb": 1.5, "eineinhalb": 1.5, "zweieinhalb": 2.5, "dreieinhalb": 3.5, "viereinhalb": 4.5},
	"fr": {"demi": 0.5, "demie": 0.5},
	"es": {"medio": 0.5, "media": 0.5},
	"pt": {"meio": 0.5, "meia": 0.5},
	"it": {"mezzo": 0.5, "mezza": 0.5},
	"nl": {"half": 0.5, "halve": 0.5, "anderhalf": 1.5, "anderhalve": 1.5, "tweeënhalf": 2.5},
	"ru": {"полтора": 1.5, "полторы": 1.5, "полутора": 1.5},
	"uk": {"півтора": 1.5, "півтори": 1.5},
	"ar": {"نصف": 0.5},
	"fa": {"نیم": 0.5},
	"hi": {"आधा": 0.5, "आधे": 0.5, "डेढ़": 1.5, "ढाई": 2.5},
	"tr": {"yarım": 0.5},
}

// wholeFigures are figures that are one word: a number with its scale or its unit.
var wholeFigures = map[string]map[string]struct {
	value float64
	unit  string
}{
	"ru": {"полмиллиона": {5e5, ""}, "полмиллиарда": {5e8, ""}, "полгода": {0.5, "год"}, "полугода": {0.5, "год"}, "полчаса": {0.5, "час"}, "полвека": {50, "год"}},
	"ar": { // the dual
		"يومان": {2, "أيام"}, "يومين": {2, "أيام"}, "أسبوعان": {2, "أسابيع"}, "أسبوعين": {2, "أسابيع"}, "شهران": {2, "شهور"}, "شهرين": {2, "شهور"}, "سنتان": {2, "سنوات"}, "سنتين": {2, "سنوات"}, "عامان": {2, "سنوات"}, "عامين": {2, "سنوات"},
		"ساعتان": {2, "ساعات"}, "ساعتين": {2, "ساعات"}, "دقيقتان": {2, "دقائق"}, "دقيقتين": {2, "دقائق"}, "كيلومتران": {2, "كم"}, "كيلومترين": {2, "كم"}, "متران": {2, "أمتار"}, "مترين": {2, "أمتار"}, "طنان": {2, "طن"}, "طنين": {2, "طن"},
	},
}

// halfAfter are what adds a half behind a number or its unit: trois ans et demi.
var halfAfter = map[string][]string{
	"en": {" and a half"}, "fr": {" et demi", " et demie"}, "es": {" y medio", " y media"}, "pt": {" e meio", " e meia"}, "it": {" e mezzo", " e mezza"},
	"ru": {" с половиной"}, "uk": {" з половиною"}, "ar": {" ونصف"}, "fa": {" و نیم"}, "tr": {" buçuk"}, "nl": {" en een half"},
	"zh": {"半"}, "ja": {"半"}, "ko": {" 반", "반"},
}
