package quantity

import (
	"strings"
	"sync"

	"github.com/citewell/citewell/internal/text/lang"
)

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

// A unitTable holds the units by how they are written.
type unitTable struct {
	symbols map[string]unit // letter case matters: mW is not MW
	// words are units in words, lower case, in every language at once: none of them
	// means two things after a number.
	words map[string]unit
	// only are words that are units in one language and something else in another.
	only map[string]map[string]unit
}

// units are built when the first figure is read: most runs of the program read none.
var units = sync.OnceValue(func() unitTable {
	symbols, words := unitSymbols(), map[string]unit{}
	only := map[string]map[string]unit{}
	for _, l := range lang.All() {
		addUnitWords(words, l.Rows(lang.Units))
		if rows := l.Rows(lang.OwnUnits); rows != nil {
			only[l.Code] = map[string]unit{}
			addUnitWords(only[l.Code], rows)
		}
	}
	return unitTable{symbols, words, only}
})

func addUnitWords(to map[string]unit, rows []lang.Row) {
	for _, row := range rows {
		for _, word := range row.Words() {
			to[strings.ReplaceAll(word, "_", " ")] = unitNames[row.Key]
		}
	}
}

func unitSymbols() map[string]unit {
	symbols := map[string]unit{}
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
	for symbol, u := range currencySigns {
		symbols[symbol] = unit{dimension: u, factor: 1}
	}
	return symbols
}

// currencySigns are written before the number or after it. A bare $ is read as the
// dollar of the United States.
var currencySigns = map[string]string{
	"$": "money:USD", "US$": "money:USD", "USD": "money:USD", "€": "money:EUR", "EUR": "money:EUR", "£": "money:GBP", "GBP": "money:GBP",
	"¥": "money:JPY", "￥": "money:JPY", "JPY": "money:JPY", "CN¥": "money:CNY", "CNY": "money:CNY", "RMB": "money:CNY", "₽": "money:RUB", "RUB": "money:RUB",
	"₹": "money:INR", "Rs": "money:INR", "INR": "money:INR", "CHF": "money:CHF", "A$": "money:AUD", "AUD": "money:AUD", "C$": "money:CAD", "CA$": "money:CAD", "CAD": "money:CAD", "₩": "money:KRW",
	"NZ$": "money:NZD", "HK$": "money:HKD", "R$": "money:BRL", "kr": "money:krone", "zł": "money:PLN",
}
