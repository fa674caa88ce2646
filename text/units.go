package text

import "strings"

// A unit says what dimension a written unit measures and how many base units one
// of it is. Offset is for temperatures: base = value*factor + offset. Spread is the
// share by which people differ about the factor: a kilobyte is 1000 bytes to some
// and 1024 to others.
type unit struct {
	dimension string
	factor    float64
	offset    float64
	spread    float64
}

// Dimensions that code outside the tables names.
const (
	DimensionCount   = "count"
	DimensionPercent = "percent"
	DimensionPoints  = "percentage points"
	DimensionTimes   = "times"
	dimensionLength  = "length"
	dimensionTime    = "duration"
)

// baseUnit is the unit that Figure.Value is in, by dimension.
var baseUnit = map[string]string{
	DimensionCount: "", DimensionPercent: "%", DimensionPoints: "pp", DimensionTimes: "×",
	dimensionLength: "m", "mass": "kg", dimensionTime: "s", "temperature": "K", "data": "B",
	"area": "m²", "volume": "m³", "speed": "m/s", "power": "W", "energy": "J", "frequency": "Hz",
	"pressure": "Pa", "voltage": "V", "current": "A", "amount": "mol", "angle": "°", "force": "N",
	"data rate": "B/s", "temperature difference": "K", "sound": "dB",
}

const (
	secondsPerDay  = 86400
	secondsPerYear = 365.25 * secondsPerDay
)

// symbols are unit symbols, whose letter case matters: mW is not MW.
//
// unitWords are units in words, lower case, in every language at once: none of them
// means two things after a number.
var symbols, unitWords = unitTables()

func unitTables() (symbols, unitWords map[string]unit) {
	symbols, unitWords = map[string]unit{}, map[string]unit{}
	type prefix struct {
		symbol string
		factor float64
	}
	giga := []prefix{{"n", 1e-9}, {"µ", 1e-6}, {"μ", 1e-6}, {"u", 1e-6}, {"m", 1e-3}, {"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}}
	for _, of := range []struct {
		symbol, dimension string
		factor            float64
		prefixes          string
	}{
		{"m", dimensionLength, 1, "nµμumk"}, {"g", "mass", 1e-3, "nµμumk"}, {"s", dimensionTime, 1, "nµμum"},
		{"W", "power", 1, "mkMGT"}, {"Wh", "energy", 3600, "kMGT"}, {"J", "energy", 1, "mkMGT"}, {"Hz", "frequency", 1, "kMGT"},
		{"Pa", "pressure", 1, "kMG"}, {"V", "voltage", 1, "µmk"}, {"A", "current", 1, "µm"}, {"mol", "amount", 1, "nµμmk"},
		{"L", "volume", 1e-3, "µμmk"}, {"l", "volume", 1e-3, "µμmk"}, {"M", "amount/volume", 1e3, "nµμm"}, {"N", "force", 1, "kM"},
		{"eV", "energy", 1.602176634e-19, "kMGT"},
	} {
		for _, p := range giga {
			if p.symbol == "" && of.symbol != "M" || p.symbol != "" && strings.Contains(of.prefixes, p.symbol) {
				symbols[p.symbol+of.symbol] = unit{dimension: of.dimension, factor: of.factor * p.factor}
			}
		}
	}
	for symbol, metres := range map[string]float64{
		"cm": 1e-2, "dm": 1e-1, "ft": 0.3048, "yd": 0.9144, "mi": 1609.344, "nmi": 1852, "Å": 1e-10, "″": 0.0254, "′": 0.3048, "km": 1e3,
	} {
		symbols[symbol] = unit{dimension: dimensionLength, factor: metres}
	}
	data := []string{"K", "M", "G", "T", "P", "E"}
	decimal, binary := 1.0, 1.0
	for _, p := range data {
		decimal, binary = decimal*1000, binary*1024
		spread := binary/decimal - 1
		symbols[p+"B"] = unit{dimension: "data", factor: decimal, spread: spread}
		symbols[p+"iB"] = unit{dimension: "data", factor: binary}
		symbols[p+"bit"] = unit{dimension: "data", factor: decimal / 8}
		symbols[p+"bps"] = unit{dimension: "data rate", factor: decimal / 8}
		symbols[p+"bit/s"] = symbols[p+"bps"]
		symbols[p+"b/s"] = symbols[p+"bps"]
		symbols[p+"B/s"] = unit{dimension: "data rate", factor: decimal, spread: spread}
	}
	symbols["kB"], symbols["kbit"], symbols["kbps"] = symbols["KB"], symbols["Kbit"], symbols["Kbps"]
	for symbol, u := range map[string]unit{
		"%": {dimension: DimensionPercent, factor: 1}, "％": {dimension: DimensionPercent, factor: 1}, "‰": {dimension: DimensionPercent, factor: 0.1},
		"pp": {dimension: DimensionPoints, factor: 1}, "p.p.": {dimension: DimensionPoints, factor: 1},
		"×": {dimension: DimensionTimes, factor: 1}, "x": {dimension: DimensionTimes, factor: 1}, "X": {dimension: DimensionTimes, factor: 1},
		"t": {dimension: "mass", factor: 1000}, "kt": {dimension: "mass", factor: 1e6}, "Mt": {dimension: "mass", factor: 1e9}, "Gt": {dimension: "mass", factor: 1e12},
		"lb": {dimension: "mass", factor: 0.45359237}, "lbs": {dimension: "mass", factor: 0.45359237}, "oz": {dimension: "mass", factor: 0.028349523125},
		"min": {dimension: dimensionTime, factor: 60}, "mins": {dimension: dimensionTime, factor: 60}, "sec": {dimension: dimensionTime, factor: 1}, "secs": {dimension: dimensionTime, factor: 1},
		"h": {dimension: dimensionTime, factor: 3600}, "hr": {dimension: dimensionTime, factor: 3600}, "hrs": {dimension: dimensionTime, factor: 3600},
		"d": {dimension: dimensionTime, factor: secondsPerDay}, "yr": {dimension: dimensionTime, factor: secondsPerYear}, "yrs": {dimension: dimensionTime, factor: secondsPerYear},
		"°C": {dimension: "temperature", factor: 1, offset: 273.15}, "℃": {dimension: "temperature", factor: 1, offset: 273.15}, "ºC": {dimension: "temperature", factor: 1, offset: 273.15},
		"°F": {dimension: "temperature", factor: 5.0 / 9, offset: 273.15 - 32*5.0/9}, "℉": {dimension: "temperature", factor: 5.0 / 9, offset: 273.15 - 32*5.0/9}, "ºF": {dimension: "temperature", factor: 5.0 / 9, offset: 273.15 - 32*5.0/9},
		"K": {dimension: "temperature", factor: 1}, "°": {dimension: "angle", factor: 1},
		"B":  {dimension: "data", factor: 1},
		"m²": {dimension: "area", factor: 1}, "m2": {dimension: "area", factor: 1}, "km²": {dimension: "area", factor: 1e6}, "km2": {dimension: "area", factor: 1e6}, "cm²": {dimension: "area", factor: 1e-4}, "cm2": {dimension: "area", factor: 1e-4}, "mm²": {dimension: "area", factor: 1e-6},
		"ha": {dimension: "area", factor: 1e4}, "ac": {dimension: "area", factor: 4046.8564224}, "qm": {dimension: "area", factor: 1}, "㎡": {dimension: "area", factor: 1}, "㎢": {dimension: "area", factor: 1e6},
		"m³": {dimension: "volume", factor: 1}, "m3": {dimension: "volume", factor: 1}, "km³": {dimension: "volume", factor: 1e9}, "km3": {dimension: "volume", factor: 1e9}, "cm³": {dimension: "volume", factor: 1e-6}, "cm3": {dimension: "volume", factor: 1e-6},
		"cl": {dimension: "volume", factor: 1e-5}, "dl": {dimension: "volume", factor: 1e-4}, "dL": {dimension: "volume", factor: 1e-4}, "hl": {dimension: "volume", factor: 0.1}, "gal": {dimension: "volume", factor: 0.003785411784},
		"mph": {dimension: "speed", factor: 0.44704}, "kph": {dimension: "speed", factor: 1 / 3.6}, "kmh": {dimension: "speed", factor: 1 / 3.6}, "kt.": {dimension: "speed", factor: 1852.0 / 3600}, "kn": {dimension: "speed", factor: 1852.0 / 3600},
		"hp": {dimension: "power", factor: 745.69987}, "PS": {dimension: "power", factor: 735.49875}, "kcal": {dimension: "energy", factor: 4184}, "cal": {dimension: "energy", factor: 4.184},
		"bar": {dimension: "pressure", factor: 1e5}, "mbar": {dimension: "pressure", factor: 100}, "hPa": {dimension: "pressure", factor: 100}, "psi": {dimension: "pressure", factor: 6894.757}, "mmHg": {dimension: "pressure", factor: 133.322}, "atm": {dimension: "pressure", factor: 101325},
		"dB": {dimension: "sound", factor: 1}, "rpm": {dimension: "frequency", factor: 1.0 / 60},
		"км": {dimension: dimensionLength, factor: 1e3}, "м": {dimension: dimensionLength, factor: 1}, "см": {dimension: dimensionLength, factor: 1e-2}, "мм": {dimension: dimensionLength, factor: 1e-3},
		"кг": {dimension: "mass", factor: 1}, "г": {dimension: "mass", factor: 1e-3}, "мг": {dimension: "mass", factor: 1e-6}, "т": {dimension: "mass", factor: 1000},
		"ч": {dimension: dimensionTime, factor: 3600}, "мин": {dimension: dimensionTime, factor: 60}, "с": {dimension: dimensionTime, factor: 1}, "мс": {dimension: dimensionTime, factor: 1e-3},
		"л": {dimension: "volume", factor: 1e-3}, "мл": {dimension: "volume", factor: 1e-6}, "га": {dimension: "area", factor: 1e4},
		"Вт": {dimension: "power", factor: 1}, "кВт": {dimension: "power", factor: 1e3}, "МВт": {dimension: "power", factor: 1e6}, "ГВт": {dimension: "power", factor: 1e9},
	} {
		symbols[symbol] = u
	}
	for words, u := range map[string]unit{
		"percent per_cent pct prozent procent percento porcentaje porciento процент процента процентов パーセント":                                                                                    {dimension: DimensionPercent, factor: 1},
		"percentage_points percentage_point prozentpunkte prozentpunkten prozentpunkt points_de_pourcentage puntos_porcentuales процентных_пункта процентных_пунктов процентный_пункт 个百分点 ポイント": {dimension: DimensionPoints, factor: 1},
		"times fold mal fois veces раз раза": {dimension: DimensionTimes, factor: 1},

		"nanometre nanometres nanometer nanometers":                    {dimension: dimensionLength, factor: 1e-9},
		"micron microns micrometre micrometres micrometer micrometers": {dimension: dimensionLength, factor: 1e-6},
		"millimetre millimetres millimeter millimeters millimetern millimètre millimètres milímetro milímetros миллиметр миллиметра миллиметров 毫米 ミリメートル":                            {dimension: dimensionLength, factor: 1e-3},
		"centimetre centimetres centimeter centimeters zentimeter zentimetern centimètre centimètres centímetro centímetros сантиметр сантиметра сантиметров 厘米 センチメートル":              {dimension: dimensionLength, factor: 1e-2},
		"metre metres meter meters metern mètre mètres metro metros метр метра метров метрах метрами 米 メートル":                                                                          {dimension: dimensionLength, factor: 1},
		"kilometre kilometres kilometer kilometers kilometern kilomètre kilomètres kilómetro kilómetros chilometro chilometri quilômetros километр километра километров 公里 千米 キロメートル": {dimension: dimensionLength, factor: 1e3},
		"inch inches zoll pouce pouces pulgada pulgadas 英寸":        {dimension: dimensionLength, factor: 0.0254},
		"foot feet fuß fuss pied pieds pie pies фут фута футов 英尺": {dimension: dimensionLength, factor: 0.3048},
		"yard yards": {dimension: dimensionLength, factor: 0.9144},
		"mile miles meile meilen milla millas миля мили миль 英里 マイル":                     {dimension: dimensionLength, factor: 1609.344},
		"nautical_mile nautical_miles seemeile seemeilen":                                {dimension: dimensionLength, factor: 1852},
		"light-year light-years lichtjahre lichtjahren":                                  {dimension: dimensionLength, factor: 9.4607304725808e15},
		"microgram micrograms mikrogramm":                                                {dimension: "mass", factor: 1e-9},
		"milligram milligrams milligramm milligrammes miligramos миллиграмм 毫克":          {dimension: "mass", factor: 1e-6},
		"gram grams gramme grammes gramm gramo gramos grammi грамм грамма граммов 克 グラム": {dimension: "mass", factor: 1e-3},
		"kilogram kilograms kilogramm kilogrammes kilo kilos kilogramo kilogramos килограмм килограмма килограммов 公斤 千克 キログラム": {dimension: "mass", factor: 1},
		"tonne tonnes ton tons tonnen tonelada toneladas tonnellate metric_ton metric_tons тонна тонны тонн 吨 トン":               {dimension: "mass", factor: 1000, spread: 0.11},
		"pound_weight lbs. pfund 磅":              {dimension: "mass", factor: 0.45359237, spread: 0.11},
		"ounce ounces":                           {dimension: "mass", factor: 0.028349523125},
		"nanosecond nanoseconds nanosekunden":    {dimension: dimensionTime, factor: 1e-9},
		"microsecond microseconds mikrosekunden": {dimension: dimensionTime, factor: 1e-6},
		"millisecond milliseconds millisekunden millisekunde millisecondes milisegundos миллисекунд 毫秒 ミリ秒":                                         {dimension: dimensionTime, factor: 1e-3},
		"second seconds sekunde sekunden seconde secondes segundo segundos secondi секунда секунды секунд 秒":                                        {dimension: dimensionTime, factor: 1},
		"minute minutes minuten minuto minutos minuti минута минуты минут 分钟 分間":                                                                    {dimension: dimensionTime, factor: 60},
		"hour hours stunde stunden heure heures hora horas ora ore час часа часов 小时 時間":                                                            {dimension: dimensionTime, factor: 3600},
		"day days tag tage tagen jour jours día días giorno giorni dia dias день дня дней 天 日間":                                                     {dimension: dimensionTime, factor: secondsPerDay},
		"week weeks woche wochen semaine semaines semana semanas settimana settimane неделя недели недель 周 週間 星期":                                  {dimension: dimensionTime, factor: 7 * secondsPerDay},
		"month months monat monate monaten mois mes meses mese mesi месяц месяца месяцев 个月 ヶ月 か月":                                                  {dimension: dimensionTime, factor: secondsPerYear / 12},
		"year years jahr jahre jahren an ans année années año años anno anni ano anos год года лет 年間":                                              {dimension: dimensionTime, factor: secondsPerYear},
		"decade decades jahrzehnt jahrzehnte jahrzehnten décennie décennies década décadas десятилетий":                                             {dimension: dimensionTime, factor: 10 * secondsPerYear},
		"century centuries jahrhunderte jahrhunderten siècles siglos":                                                                               {dimension: dimensionTime, factor: 100 * secondsPerYear},
		"degrees_celsius degree_celsius celsius grad_celsius degrés_celsius grados_celsius градусов_цельсия градуса_цельсия grados_centígrados 摄氏度": {dimension: "temperature", factor: 1, offset: 273.15},
		"degrees_fahrenheit degree_fahrenheit fahrenheit grad_fahrenheit":                                                                           {dimension: "temperature", factor: 5.0 / 9, offset: 273.15 - 32*5.0/9},
		"kelvin": {dimension: "temperature", factor: 1},
		"degree degrees grad degré degrés grado grados": {dimension: "angle", factor: 1},
		"bit bits": {dimension: "data", factor: 0.125},
		"byte bytes octet octets байт байта байтов 字节 バイト": {dimension: "data", factor: 1},
		"kilobyte kilobytes": {dimension: "data", factor: 1e3, spread: 0.024},
		"megabyte megabytes": {dimension: "data", factor: 1e6, spread: 0.048576},
		"gigabyte gigabytes": {dimension: "data", factor: 1e9, spread: 0.073741824},
		"terabyte terabytes": {dimension: "data", factor: 1e12, spread: 0.099511627776},
		"kibibyte kibibytes": {dimension: "data", factor: 1 << 10},
		"mebibyte mebibytes": {dimension: "data", factor: 1 << 20},
		"gibibyte gibibytes": {dimension: "data", factor: 1 << 30},
		"square_metre square_metres square_meter square_meters quadratmeter quadratmetern mètres_carrés metros_cuadrados квадратных_метров 平方米":                                                   {dimension: "area", factor: 1},
		"square_kilometre square_kilometres square_kilometer square_kilometers quadratkilometer quadratkilometern sq_km kilomètres_carrés kilómetros_cuadrados квадратных_километров кв._км 平方公里": {dimension: "area", factor: 1e6},
		"square_mile square_miles sq_mi quadratmeilen": {dimension: "area", factor: 2589988.110336},
		"square_foot square_feet sq_ft":                {dimension: "area", factor: 0.09290304},
		"hectare hectares hektar hectárea hectáreas гектар гектара гектаров 公顷 ヘクタール": {dimension: "area", factor: 1e4},
		"acre acres": {dimension: "area", factor: 4046.8564224},
		"cubic_metre cubic_metres cubic_meter cubic_meters kubikmeter kubikmetern mètres_cubes metros_cúbicos кубических_метров 立方米": {dimension: "volume", factor: 1},
		"cubic_kilometre cubic_kilometres cubic_kilometer cubic_kilometers kubikkilometer":                                           {dimension: "volume", factor: 1e9},
		"millilitre millilitres milliliter milliliters mililitros 毫升":                                                                {dimension: "volume", factor: 1e-6},
		"litre litres liter liters litern litro litros litri литр литра литров 升 リットル":                                               {dimension: "volume", factor: 1e-3},
		"gallon gallons gallonen": {dimension: "volume", factor: 0.003785411784, spread: 0.21},
		"barrel barrels":          {dimension: "volume", factor: 0.158987294928},
		"knot knots knoten nœuds nudos узлов узла":                  {dimension: "speed", factor: 1852.0 / 3600},
		"watt watts ватт":                                           {dimension: "power", factor: 1},
		"kilowatt kilowatts киловатт":                               {dimension: "power", factor: 1e3},
		"megawatt megawatts mégawatts megavatios мегаватт 兆瓦 メガワット": {dimension: "power", factor: 1e6},
		"gigawatt gigawatts gigavatios гигаватт 吉瓦":                 {dimension: "power", factor: 1e9},
		"terawatt terawatts":                                        {dimension: "power", factor: 1e12},
		"horsepower":                                                {dimension: "power", factor: 745.69987, spread: 0.02},
		"kilowatt-hour kilowatt-hours kilowatt_hours kilowatt_hour kilowattstunden kilowattstunde": {dimension: "energy", factor: 3.6e6},
		"megawatt-hour megawatt-hours megawatt_hours megawattstunden":                              {dimension: "energy", factor: 3.6e9},
		"gigawatt-hour gigawatt-hours gigawatt_hours gigawattstunden":                              {dimension: "energy", factor: 3.6e12},
		"terawatt-hour terawatt-hours terawatt_hours terawattstunden":                              {dimension: "energy", factor: 3.6e15},
		"joule joules":                         {dimension: "energy", factor: 1},
		"kilojoule kilojoules":                 {dimension: "energy", factor: 1e3},
		"kilocalories kilokalorien":            {dimension: "energy", factor: 4184},
		"hertz":                                {dimension: "frequency", factor: 1},
		"kilohertz":                            {dimension: "frequency", factor: 1e3},
		"megahertz":                            {dimension: "frequency", factor: 1e6},
		"gigahertz":                            {dimension: "frequency", factor: 1e9},
		"volt volts":                           {dimension: "voltage", factor: 1},
		"ampere amperes amp amps":              {dimension: "current", factor: 1},
		"pascal pascals":                       {dimension: "pressure", factor: 1},
		"hectopascal hectopascals hektopascal": {dimension: "pressure", factor: 100},
		"decibel decibels dezibel":             {dimension: "sound", factor: 1},
		"mole moles":                           {dimension: "amount", factor: 1},

		"dollar dollars usd us-dollar dólar dólares доллар доллара долларов 美元 ドル": {dimension: "money:USD", factor: 1},
		"cent cents": {dimension: "money:cent", factor: 1},
		"euro euros eur евро 欧元 ユーロ": {dimension: "money:EUR", factor: 1},
		"pence": {dimension: "money:GBP", factor: 0.01},
		"pound pounds sterling gbp libra libras фунтов_стерлингов 英镑": {dimension: "money:GBP", factor: 1},
		"yen jpy иен 日元 円":                                             {dimension: "money:JPY", factor: 1},
		"yuan rmb cny renminbi юаней 元 人民币":                            {dimension: "money:CNY", factor: 1},
		"franken chf swiss_francs schweizer_franken":                   {dimension: "money:CHF", factor: 1},
		"rub rouble roubles ruble rubles rubel рубль рубля рублей руб": {dimension: "money:RUB", factor: 1},
		"rupee rupees inr":          {dimension: "money:INR", factor: 1},
		"won krw 원":                 {dimension: "money:KRW", factor: 1},
		"kroner kronor nok sek dkk": {dimension: "money:krone", factor: 1},
	} {
		for word := range strings.FieldsSeq(words) {
			unitWords[strings.ReplaceAll(word, "_", " ")] = u
		}
	}
	for symbol, u := range currencySigns {
		symbols[symbol] = unit{dimension: u, factor: 1}
	}
	return symbols, unitWords
}

// currencySigns are written before the number or after it. A bare $ is read as the
// dollar of the United States.
var currencySigns = map[string]string{
	"$": "money:USD", "US$": "money:USD", "USD": "money:USD", "€": "money:EUR", "EUR": "money:EUR", "£": "money:GBP", "GBP": "money:GBP",
	"¥": "money:JPY", "￥": "money:JPY", "JPY": "money:JPY", "CN¥": "money:CNY", "CNY": "money:CNY", "RMB": "money:CNY", "₽": "money:RUB", "RUB": "money:RUB",
	"₹": "money:INR", "Rs": "money:INR", "INR": "money:INR", "CHF": "money:CHF", "A$": "money:AUD", "AUD": "money:AUD", "C$": "money:CAD", "CA$": "money:CAD", "CAD": "money:CAD", "₩": "money:KRW",
	"NZ$": "money:NZD", "HK$": "money:HKD", "R$": "money:BRL", "kr": "money:krone", "zł": "money:PLN",
}

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
		"tys": 1e3, "tysięcy": 1e3, "milion": 1e6, "milionów": 1e6, "mld": 1e9, "miliard": 1e9, "miliardów": 1e9,
	},
	"de": {"billion": 1e12, "billionen": 1e12, "bio": 1e12},
	"fr": {"billion": 1e12, "billions": 1e12, "mil": 1e3},
	"es": {"billón": 1e12, "billones": 1e12},
	"nl": {"biljoen": 1e12},
}

// cjkScales follow a number without a space and may be chained: 1億2000万.
var cjkScales = map[rune]float64{'十': 10, '百': 100, '千': 1e3, '万': 1e4, '萬': 1e4, '만': 1e4, '亿': 1e8, '億': 1e8, '억': 1e8, '兆': 1e12}

// commaDecimal are the languages that write 1.234,5 where English writes 1,234.5.
var commaDecimal = map[string]bool{
	"de": true, "fr": true, "es": true, "it": true, "pt": true, "nl": true, "ru": true, "uk": true, "pl": true, "cs": true, "sk": true, "sv": true,
	"da": true, "no": true, "nb": true, "nn": true, "fi": true, "tr": true, "ro": true, "hu": true, "el": true, "bg": true, "hr": true, "sl": true, "sr": true, "id": true, "ca": true,
}

// pointDecimal are the languages known to write as English does.
var pointDecimal = map[string]bool{"en": true, "zh": true, "ja": true, "ko": true, "he": true, "th": true}

// numberWords are small numbers in words. Words that are also articles (ein, un,
// uno) are left out: they would be read as figures where nobody counted.
var numberWords = map[string]map[string]float64{
	"en": {
		"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
		"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
		"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	},
	"de": {"zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80, "neunzig": 90, "hundert": 100, "tausend": 1000},
	"fr": {"deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "dix": 10, "onze": 11, "douze": 12, "vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "cent": 100, "mille": 1000},
	"es": {"dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "once": 11, "doce": 12, "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "cien": 100, "mil": 1000},
	"ru": {"два": 2, "две": 2, "двух": 2, "три": 3, "трёх": 3, "трех": 3, "четыре": 4, "четырёх": 4, "четырех": 4, "пять": 5, "пяти": 5, "шесть": 6, "шести": 6, "семь": 7, "восемь": 8, "девять": 9, "десять": 10, "двенадцать": 12, "двадцать": 20, "тридцать": 30, "сорок": 40, "пятьдесят": 50, "сто": 100, "тысяча": 1000},
}
