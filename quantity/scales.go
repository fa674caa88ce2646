package quantity

// scales are words that multiply the number before them. What a billion is depends
// on the language, so the table is asked by language first.
var scales = map[string]map[string]float64{
	"": {
		"hundred": 1e2, "thousand": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "mln": 1e6, "billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "trillion": 1e12, "tn": 1e12,
		"dozen": 12, "tsd": 1e3, "tausend": 1e3, "mio": 1e6, "mill": 1e6, "millionen": 1e6, "mrd": 1e9, "milliarde": 1e9, "milliarden": 1e9,
		"mille": 1e3, "milliard": 1e9, "milliards": 1e9, "md": 1e9, "mds": 1e9, "mil": 1e3, "millón": 1e6, "millones": 1e6, "mil millones": 1e9,
		"mila": 1e3, "milione": 1e6, "milioni": 1e6, "miliardo": 1e9, "miliardi": 1e9, "milhão": 1e6, "milhões": 1e6, "bilhão": 1e9, "bilhões": 1e9, "mil milhões": 1e9,
		"duizend": 1e3, "miljoen": 1e6, "miljard": 1e9, "tusen": 1e3, "miljon": 1e6, "miljoner": 1e6, "miljarder": 1e9,
		"тыс": 1e3, "тысяча": 1e3, "тысячи": 1e3, "тысяч": 1e3, "млн": 1e6, "миллион": 1e6, "миллиона": 1e6, "миллионов": 1e6, "млрд": 1e9, "миллиард": 1e9, "миллиарда": 1e9, "миллиардов": 1e9, "трлн": 1e12,
		"тысячу": 1e3, "тысячам": 1e3, "тысячами": 1e3, "миллионам": 1e6, "миллионами": 1e6, "миллионах": 1e6, "миллиардам": 1e9, "миллиардами": 1e9, "триллион": 1e12, "триллиона": 1e12, "триллионов": 1e12,
		"тис": 1e3, "мільйон": 1e6, "мільйона": 1e6, "мільйони": 1e6, "мільйонів": 1e6, "мільярд": 1e9, "мільярда": 1e9, "мільярди": 1e9, "мільярдів": 1e9, "трильйон": 1e12, "трильйонів": 1e12,
		"tys": 1e3, "tysięcy": 1e3, "milion": 1e6, "milionów": 1e6, "mld": 1e9, "miliard": 1e9, "miliardów": 1e9,
	},
	"en": {"lakh": 1e5, "lakhs": 1e5, "crore": 1e7, "crores": 1e7},
	"de": {"billion": 1e12, "billionen": 1e12, "bio": 1e12, "trillion": 1e18, "trillionen": 1e18, "dutzend": 12},
	"fr": {"billion": 1e12, "billions": 1e12, "mil": 1e3, "millier": 1e3, "milliers": 1e3, "trillion": 1e18, "trillions": 1e18, "douzaines": 12},
	"es": {"billón": 1e12, "billones": 1e12, "millardo": 1e9, "millardos": 1e9, "docenas": 12},
	"pt": {"bilião": 1e12, "biliões": 1e12, "trilhão": 1e12, "trilhões": 1e12, "mi": 1e6, "bi": 1e9, "dúzias": 12},
	"it": {"mrd": 1e9, "bilione": 1e12, "bilioni": 1e12, "migliaia": 1e3},
	"nl": {"biljoen": 1e12, "mln": 1e6, "mrd": 1e9, "mld": 1e9},
	"uk": {"тисяча": 1e3, "тисячі": 1e3, "тисяч": 1e3, "тисячу": 1e3},
	"tr": {"bin": 1e3, "milyon": 1e6, "milyar": 1e9, "trilyon": 1e12},
	"hi": {"सौ": 1e2, "हजार": 1e3, "हज़ार": 1e3, "लाख": 1e5, "करोड़": 1e7, "करोड़": 1e7, "अरब": 1e9, "मिलियन": 1e6, "बिलियन": 1e9},
	"ar": {"ألف": 1e3, "الف": 1e3, "ألفا": 1e3, "آلاف": 1e3, "الاف": 1e3, "مليون": 1e6, "مليونا": 1e6, "ملايين": 1e6, "مليار": 1e9, "مليارا": 1e9, "مليارات": 1e9, "بليون": 1e9, "بلايين": 1e9, "تريليون": 1e12, "ترليون": 1e12, "تريليونات": 1e12},
	"fa": {"صد": 1e2, "هزار": 1e3, "میلیون": 1e6, "میلیارد": 1e9, "تریلیون": 1e12},
}

// cjkScales follow a number without a space and may be chained: 1億2000万.
var cjkScales = map[rune]float64{'十': 10, '百': 100, '千': 1e3, '万': 1e4, '萬': 1e4, '만': 1e4, '亿': 1e8, '億': 1e8, '억': 1e8, '兆': 1e12, '조': 1e12, '천': 1e3, '백': 100, '십': 10}

// commaDecimal are the languages that write 1.234,5 where English writes 1,234.5.
var commaDecimal = map[string]bool{
	"de": true, "fr": true, "es": true, "it": true, "pt": true, "nl": true, "ru": true, "uk": true, "pl": true, "cs": true, "sk": true, "sv": true,
	"da": true, "no": true, "nb": true, "nn": true, "fi": true, "tr": true, "ro": true, "hu": true, "el": true, "bg": true, "hr": true, "sl": true, "sr": true, "id": true, "ca": true,
}

// pointDecimal are the languages known to write as English does.
var pointDecimal = map[string]bool{"en": true, "zh": true, "ja": true, "ko": true, "he": true, "th": true, "hi": true}
