package quantity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citewell/citewell/quantity"
	"github.com/citewell/citewell/text"
)

// The figures of each language, written as in its newspapers. What can be read in two
// ways is no figure.
func TestFiguresOfLanguages(t *testing.T) {
	for _, test := range []struct{ lang, in, want string }{
		{"de", "Es kostet 1.234,56 Euro, rund 1,2 Tsd. Dollar, 3 Mrd. Euro, 20 Prozent.", "1234.56 EUR | ~1200 USD | 3e+09 EUR | 20 %"},
		{"de", "zwölf Personen, einundzwanzig Tage, zweihundertfünfzig Menschen, dreitausendzweihundert Meter", "12 | 1814400 s | 250 | 3200 m"},
		{"de", "anderthalb Jahre, eine halbe Million Euro, ein Dutzend Eier, eineinhalb Stunden", "4.73364e+07 s | 500000 EUR | 12 | 5400 s"},
		{"de", "um 14:30 Uhr, um 14.30 Uhr, 14 Uhr 30, das 3. Kapitel, 1'234.50 Franken", "1234.5 CHF"},
		{"fr", "Il y a 1 234,56 euros et 12 345 habitants, 5 M€, 3,5 millions d’habitants, 45 %.", "1234.56 EUR | 12345 | 5000000 EUR | 3500000 | 45 %"},
		{"fr", "Quelque 212 grues. Seules 48 sont restées. Près de 3 milliards d'euros.", "~212 | 48 | ~3e+09 EUR"},
		{"fr", "vingt personnes, une vingtaine de pays, quatre-vingt-dix-sept jours, cent vingt et un ans, deux cents grues, trois ans et demi", "20 | ~20 | 8380800 s | 3.81847e+09 s | 200 | 1.104516e+08 s"},
		{"fr", "à 14h30, à 14 h 30, à 9 heures, pendant 9 heures, le 2e étage, la quarantaine", "32400 s"},
		{"es", "Cuesta 1.234,56 euros, pesa 2,5 kg, el 20 por ciento, 5 millones de habitantes, 1,5 billones de euros", "1234.56 EUR | 2.5 kg | 20 % | 5000000 | 1.5e+12 EUR"},
		{"es", "treinta y cinco años, doscientos kilómetros, dos mil euros, medio millón de personas, una docena, tres millones y medio", "1.104516e+09 s | 200000 m | 2000 EUR | 500000 | 12 | 3500000"},
		{"es", "mil doscientos euros, a las 3, el 1.º, unos 300 km²", "1200 EUR | ~3e+08 m²"},
		{"ru", "Население 12 345 человек, 1 234,5 тыс. км, 3,2 млрд долл, 20 процентов, 45 кв. км", "12345 | 1.2345e+09 m | 3.2e+09 USD | 20 % | 4.5e+07 m²"},
		{"ru", "двадцать пять лет, сто двадцать километров, полтора миллиона, полмиллиона, два с половиной миллиона рублей, полгода", "7.8894e+08 s | 120000 m | 1500000 | 500000 | 2500000 RUB | 1.57788e+07 s"},
		{"ru", "в 14 часов, за 14 часов, 3-й этаж, более 500 человек, от 5 до 10 километров", "50400 s | ≥500 | 5000..10000 m"},
		{"zh", "人口约一亿二千万人，三十五公里，两千三百五十元，百分之五，百分之12.5，增长了5个百分点，三万亿元", "~1.2e+08 | 35000 m | 2350 CNY | 5 % | 12.5 % | 5 pp | 3e+12 CNY"},
		{"zh", "约500人，500多人，3.2万亿元，2千米，5兆瓦，7成，一半的人，三年半，两个半小时，半年", "~500 | ≥500 | 3.2e+12 CNY | 2000 m | 5000000 W | 70 % | ~50 % | 9000 s | 1.57788e+07 s"},
		{"zh", "第三章，3月，21世纪，下午2点30分，三分之一，数百万人，一个人，万一，十分好，一般来说，千万不要", ""},
		{"ja", "人口は約1億2,500万人、面積は37万8000平方キロメートル、3億5000万円、約3割、半分、三百五十人", "~1.25e+08 | 3.78e+11 m² | 3.5e+08 JPY | ~30 % | ~50 % | 350"},
		{"ja", "午後3時30分、3時間、2時間半、第3回、3月に、21世紀、3位、2人以上、二人、千葉県、三重県、一方、百貨店", "10800 s | 9000 s | ≥2 | 2"},
		{"ar", "يبلغ الطول ١٢٣٤٫٥ متر، وعدد السكان ١٬٢٣٤٬٥٦٧ نسمة، بنسبة ٥٪ و 3.5 في المئة و٤ بالمئة", "1234.5 m | 1234567 | 5 % | 3.5 % | 4 %"},
		{"ar", "3 ملايين دولار، 5.2 مليار يورو، مليون شخص، نصف مليون، عشرون كيلومترا، ٢٠ كم²", "3000000 USD | 5.2e+09 EUR | 1000000 | 500000 | 20000 m | 2e+07 m²"},
		{"ar", "خمسة وعشرون كيلومترا، مئة وعشرون عاما، ثلاثة عشر يوما، ثلاثة آلاف شخص، يومين، ثلاث سنوات ونصف", "25000 m | 3.786912e+09 s | 1123200 s | 3000 | 172800 s | 1.104516e+08 s"},
		{"ar", "أكثر من 500 شخص، حوالي 30 كم، ما لا يقل عن 20 قتيلا، بين 5 و10 سنوات، من 5 إلى 10 أمتار، الساعة 3", "≥500 | ~30000 m | ≥20 | 1.57788e+08..3.15576e+08 s | 5..10 m"},
		{"ar", "يقل عن 30 كم، تقل عن 5 سنوات، لا يقل عن 20 قتيلا، لا تقل عن 7 أمتار", "≤30000 m | ≤1.57788e+08 s | ≥20 | ≥7 m"},
		{"ar", "1,234 شخصا و1.234 كم", ""},
		{"fa", "جمعیت ۱٬۲۳۴٬۵۶۷ نفر، ۱۲٫۵ درصد، ۳ میلیون دلار، بیش از ۵۰۰ کیلومتر، بیست و سه سال", "1234567 | 12.5 % | 3000000 USD | ≥500000 m | 7.258248e+08 s"},
		{"it", "venti persone, trentacinque anni, duecento chilometri, 3,5 milioni di euro, il 20 per cento, mezzo milione, due ore e mezza", "20 | 1.104516e+09 s | 200000 m | 3500000 EUR | 20 % | 500000 | 9000 s"},
		{"pt", "vinte pessoas, 3,5 milhões de reais, 20 por cento, R$ 1.234,56, vinte e cinco anos, meio milhão", "20 | 3500000 BRL | 20 % | 1234.56 BRL | 7.8894e+08 s | 500000"},
		{"nl", "twintig mensen, 3,5 miljoen euro, 20 procent, tweehonderd jaar, vijfentwintig jaar, anderhalf miljoen, een half miljoen", "20 | 3500000 EUR | 20 % | 6.31152e+09 s | 7.8894e+08 s | 1500000 | 500000"},
		{"ko", "인구 5천만 명, 3억 5천만 원, 20퍼센트, 약 5만 명, 30킬로미터를, 오후 2시 30분, 2시간 반, 3층, 500명 이상", "5e+07 | 3.5e+08 KRW | 20 % | ~50000 | 30000 m | 9000 s | ≥500"},
		{"hi", "१२३ लोग, १,२३,४५६ रुपये, 5 लाख लोग, 3 करोड़ रुपये, 20 प्रतिशत, लगभग 30 किलोमीटर, 3.5 मीटर", "123 | 123456 INR | 500000 | 3e+07 INR | 20 % | ~30000 m | 3.5 m"},
		{"uk", "5 млн гривень, 20 відсотків, 3,5 тисячі кілометрів, понад 500 людей, двадцять дві години", "5000000 UAH | 20 % | 3500000 m | ≥500 | 79200 s"},
		{"tr", "5 milyon lira, yüzde 20, %20, 3,5 milyar dolar, 1.234,5 km, yaklaşık 300 kişi, 2 buçuk saat", "5000000 lira | 20 % | 20 % | 3.5e+09 USD | 1234500 m | ~300 | 9000 s"},
		{"en", "two and a half years, 2½ hours, 5 lakh voters, in 12 months, at 3 o'clock", "7.8894e+07 s | 9000 s | 500000 | 3.15576e+07 s"},
		{"", "1.234", ""},
		{"", "1,234 ", ""},
		{"", "12.345", ""},
		{"en", "at 3 p.m., at 11 am, 3 p.m.", ""},
		{"ar", "وارتفع بـ5% وبنسبة 7% وال20 شخصا", "5 % | 7 % | 20"},
	} {
		if got := shown(quantity.Figures(text.Read(test.in, test.lang))); got != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.lang, test.in, got, test.want)
		}
	}
}

// Dates of other calendars and those with two readings are neither dates nor figures.
func TestDatesOfLanguages(t *testing.T) {
	for _, test := range []struct{ lang, in, want string }{
		{"de", "am 3. März 2024, 03.04.2024, Ende 2023, am 3. 4. 2024, im Mai 2020", "2024-3-3 2024-4-3 2023-0-0 2024-4-3 2020-5-0"},
		{"fr", "le 3 mars 2024, 1er janvier 2020, en 1998, 3 févr. 2021", "2024-3-3 2020-1-1 1998-0-0 2021-2-3"},
		{"es", "el 3 de marzo de 2024, el 1.º de enero de 2020, mayo de 2001", "2024-3-3 2020-1-1 2001-5-0"},
		{"ru", "3 марта 2024 г., 3-го мая 2020 года, в 2024 году, 03.04.2024, в марте 2021 года", "2024-3-3 2020-5-3 2024-0-0 2024-4-3 2021-3-0"},
		{"zh", "2024年3月3日，二〇二四年三月三日，民国113年3月3日，5月1日，1998年，2024年3月上旬", "2024-3-3 2024-3-3 2024-3-3 0-5-1 1998-0-0 2024-3-0"},
		{"ja", "令和6年3月3日、平成元年1月8日、昭和20年、2024年3月、三月三日", "2024-3-3 1989-1-8 1945-0-0 2024-3-0 0-3-3"},
		{"ar", "٣ مارس ٢٠٢٤، 3 آذار 2024، 3 يناير/كانون الثاني 2024، 3 كانون الأول 2023، عام 1990، سنة ٢٠١٠م، وفي مارس 2021، 3/4/2024", "2024-3-3 2024-3-3 2024-1-3 2023-12-3 1990-0-0 2010-0-0 2021-3-0 2024-4-3"},
		{"ar", "في 12 رمضان 1445 هـ، سنة 1445هـ، عام 1445", ""},
		{"fa", "۱۵ فروردین ۱۴۰۳، ۳ مارس ۲۰۲۴، در سال ۲۰۱۰، سال ۱۴۰۳، ۱۴۰۳/۰۱/۱۵", "2024-3-3 2010-0-0"},
		{"en", "12 Ramadan 1445 AH, 03/04/2024, 1445 AH", ""},
		{"it", "il 3 marzo 2024, nel 1990, 1º maggio 2020, 1° maggio 2021", "2024-3-3 1990-0-0 2020-5-1 2021-5-1"},
		{"pt", "em 3 de março de 2024, em 1990", "2024-3-3 1990-0-0"},
		{"nl", "op 3 maart 2024, in 1990", "2024-3-3 1990-0-0"},
		{"ko", "2024년 3월 3일, 1998년, 5월 1일", "2024-3-3 1998-0-0 0-5-1"},
		{"hi", "3 मार्च 2024 को, १५ अगस्त १९४७, 2024 में", "2024-3-3 1947-8-15 2024-0-0"},
		{"uk", "3 березня 2024 року, у 1990 році, 03.04.2024", "2024-3-3 1990-0-0 2024-4-3"},
		{"tr", "3 Mart 2024'te, 1990 yılında, 03.04.2024", "2024-3-3 1990-0-0 2024-4-3"},
		{"sv", "3 mars 2024, 3 maj 1998", "2024-3-3 1998-5-3"},
		{"fi", "3. maaliskuuta 2024", "2024-3-3"},
		{"cs", "3. března 2024", "2024-3-3"},
		{"", "03/04/2024, 3.4.2024, 13/04/2024", "2024-4-3 2024-4-13"},
	} {
		var got []string
		for _, d := range quantity.Dates(text.Read(test.in, test.lang)) {
			got = append(got, fmt.Sprintf("%d-%d-%d", d.Year, d.Month, d.Day))
		}
		if joined := strings.Join(got, " "); joined != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.lang, test.in, joined, test.want)
		}
		if figures := quantity.Figures(text.Read(test.in, test.lang)); len(figures) > 0 {
			t.Errorf("%s %q has the figures %s", test.lang, test.in, shown(figures))
		}
	}
}
