package disagree

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
)

// A concept is what a figure or a date is said to be of: a height, a population, an
// opening. Two statements are compared only where they are of the same concept.
type concept struct {
	name       string
	dimensions string // of the figures it can be of; "date" for events
}

// concepts gives the concept of a word, lower case, in every language at once;
// those with spaces or in scripts without them are looked for in the text itself.
var concepts = sync.OnceValue(conceptTables)

type conceptTable struct {
	words   map[string]concept
	phrases []conceptPhrase
}

// conceptWords are the words for each concept, in all languages; _ stands for a space within words.
var conceptWords = []struct {
	concept concept
	words   string
}{
	{concept{"height", "length"}, "tall height high rises elevation altitude summit above_sea_level taller hoch " +
		"hohe höhe haut hauteur altitude alto alta altura высота высотой высоту высоты 高度 身高 高さ 海拔 高约 高达 高 " +
		"ارتفاع " +
		"ارتفاعه ارتفاعها علو طول_القامة висота висотою alto alta altezza altura hoog hoogte 높이 해발"},
	{concept{"length", "length"}, "long length longer stretches lang länge lange longueur longue largo larga " +
		"longitud длина длиной длину длины 长度 全长 全長 長さ 长约 长达 长 طول طوله طولها يمتد довжина довжиною lungo lunga " +
		"lunghezza comprimento extensão lengte 길이"},
	{concept{"depth", "length"}, "deep depth deepest tief tiefe tiefste profond profondeur profunda profundidad " +
		"глубина глубиной глубины 深度 深さ 水深 عمق عمقه عمقها"},
	{concept{"width", "length"}, "wide width broad breit breite large largeur ancho anchura ширина шириной 宽度 幅 " +
		"عرض عرضه عرضها"},
	{concept{"diameter", "length"}, "diameter durchmesser diamètre diámetro диаметр диаметром 直径 قطر قطره قطرها"},
	{concept{"distance", "length"}, "distance away far entfernung entfernt distancia lejos расстояние расстоянии " +
		"距离 距離 مسافة يبعد تبعد"},
	{concept{"weight", "mass"}, "weighs weigh weight weighed mass heavy heaviest wiegt gewicht schwer masse pèse " +
		"poids pesa peso весит вес весом масса массой 重量 重さ 重达 重约 وزن وزنه وزنها يزن تزن كتلة pesa peso 무게"},
	{concept{"area", "area"}, "area covers surface fläche umfasst superficie surface площадь площадью 面积 面積 " +
		"مساحة " +
		"مساحته مساحتها superficie área oppervlakte 면적"},
	{concept{"volume", "volume"}, "volume holds volumen объём объем 体积 容積 حجم حجمه"},
	{concept{"capacity", "count volume data power energy"},
		"capacity seats accommodates kapazität plätze capacité places capacidad вместимость ёмкость 容量 容纳 定員 سعة " +
			"سعته يتسع تتسع طاقة_استيعابية"},
	{concept{"population", "count"}, "population inhabitants residents einwohner einwohnern bevölkerung " +
		"habitants " +
		"population habitantes población население жителей 人口 居民 سكان سكانها سكانه نسمة населення мешканців " +
		"abitanti popolazione habitantes população inwoners bevolking 인구"},
	{concept{"visitors", "count"}, "visitors visited tourists guests besucher besuchern visiteurs visitantes " +
		"посетителей туристов 游客 访客 来場者 観光客 زائر زوار سائح سياح 访问量"},
	{concept{"deaths", "count"}, "killed deaths dead died victims casualties tote todesopfer toten getötet morts " +
		"tués muertos muertes погибших погибли погибло 死亡 死者 遇难 قتلى قتيلا قتيل وفيات وفاة مصرع ضحايا morti " +
		"vittime mortos mortes doden 身亡 丧生 犠牲"},
	{concept{"employees", "count"}, "employees employs staff workers mitarbeiter beschäftigte beschäftigt " +
		"employés empleados сотрудников 员工 従業員 موظف موظفا موظفين عامل عاملا عمال"},
	{concept{"students", "count"}, "students studierende studenten étudiants estudiantes студентов 学生 طالب طالبا " +
		"طلاب طلبة"},
	{concept{"cost", "money"}, "cost costs price priced budget kostete kosten preis kostet coûté coût coûte prix " +
		"costó coste costo precio стоимость стоил стоила стоит 耗资 费用 造价 費用 価格 تكلفة تكلفته تكلفتها كلف كلفت سعر " +
		"سعره سعرها ميزانية коштував коштувала вартість costa costato costo prezzo custou custo preço kostte " +
		"kosten prijs 비용 가격"},
	{concept{"revenue", "money"}, "revenue sales turnover umsatz chiffre_d'affaires ingresos выручка 营收 売上 " +
		"إيرادات عائدات مبيعات"},
	{concept{"speed", "length/duration data/duration data"}, "speed fast geschwindigkeit schnell vitesse velocidad " +
		"скорость скоростью 速度 时速 時速 سرعة سرعته سرعتها"},
	{concept{"lifetime", "duration"}, "lives lifespan lifetime lebensdauer lebt durée_de_vie vida_útil " +
		"срок_службы 寿命"},
	{concept{"duration", "duration"}, "lasts lasted takes took duration dauert dauerte dauer dure durée " +
		"dura duró " +
		"duración длится длился длилась 持续 かかる استغرق استغرقت يستغرق مدة 历时 需时"},
	{concept{"melting", "temperature"}, "melts melting schmelzpunkt schmilzt fusion fusión плавления 熔点 融点 انصهار"},
	{concept{"boiling", "temperature"}, "boils boiling siedepunkt siedet ébullition bout ebullición hierve " +
		"кипения кипит 沸点 غليان"},
	{concept{"power output", "power"}, "power output produces generates leistung puissance potencia мощность " +
		"мощностью 功率 出力 قدرة ينتج تنتج"},
	{concept{"built", "date"}, "built construction completed finished completion erbaut gebaut errichtet " +
		"fertiggestellt vollendet construite construit achevé achevée construida construido terminado построен " +
		"построена построено завершено завершён 建成 竣工 完成 完工 بني بنيت بناء شيد شيدت تشييد اكتمل побудовано " +
		"збудовано costruito costruita construído construída concluído gebouwd voltooid 완공"},
	{concept{"begun", "date"}, "began begun started starts start commenced beginn begann commencé début comenzó " +
		"empezó начался началась началось начато 开始 開始 动工 着工 بدأ بدأت"},
	{concept{"ended", "date"}, "ended ends endete beendet terminé fini terminó acabó закончился закончилась " +
		"окончание 结束 終了 انتهى انتهت"},
	{concept{"opened", "date"}, "opened opens opening inaugurated inauguration eröffnet eröffnung inauguré " +
		"inaugurée ouvert ouverte inaugurado inaugurada inauguró inauguraron abrió открыт открыта открыто " +
		"открылся 开放 开业 開業 開館 开幕 افتتح افتتحت افتتاح відкрито відкрили відкрився inaugurato inaugurata aperto " +
		"inaugurado inaugurada geopend 개관 개장"},
	{concept{"closed", "date"}, "closed closes closure shut geschlossen schließung fermé fermée fermeture cerró " +
		"cerrado закрыт закрыта 关闭 閉鎖 أغلق أغلقت إغلاق"},
	{concept{"founded", "date"}, "founded established foundation incorporated gegründet gründung fondé fondée " +
		"fondation fundado fundada fundación основан основана основано 成立 创立 設立 創業 تأسس تأسست أسس أسست تأسيس " +
		"засновано заснований fondato fondata fundado fundada opgericht gesticht 설립"},
	{concept{"born", "date"}, "born birth geboren né née naissance nació nacido родился родилась 出生 生まれ ولد ولدت " +
		"مواليد 출생"},
	{concept{"died", "date"}, "died death gestorben starb mort morte décédé murió falleció умер умерла 逝世 去世 死去 " +
		"توفي توفيت مات ماتت"},
	{concept{"published", "date"}, "published released release launched launch publication veröffentlicht " +
		"erschien erschienen publié publiée paru publicado publicada lanzado опубликован опубликована вышел " +
		"вышла " +
		"выпущен 发布 出版 发表 発売 公開 発表 نشر نشرت صدر صدرت إصدار أطلق أطلقت"},
	{concept{"discovered", "date"}, "discovered discovery entdeckt entdeckung découvert découverte descubierto " +
		"descubierta descubrió открытие обнаружен обнаружена 发现 発見 اكتشف اكتشفت اكتشاف"},
	{concept{"destroyed", "date"}, "destroyed demolished collapsed zerstört abgerissen détruit détruite démoli " +
		"destruido destruida разрушен разрушена 毁 拆除 倒壊 دمر دمرت هدم انهار انهارت"},
	{concept{"elected", "date"}, "elected gewählt élu élue elegido elegida избран избрана 当选 当選 انتخب انتخبت"},
	{concept{"signed", "date"}, "signed unterzeichnet signé signée firmado firmada подписан подписана 签署 署名 調印 " +
		"وقع وقعت توقيع"},
	{concept{"invented", "date"}, "invented erfunden inventé inventée inventado inventada изобретён изобретен 发明 " +
		"発明 اخترع اختراع"},
}

func conceptTables() conceptTable {
	words, phrases := map[string]concept{}, []conceptPhrase{}
	for _, entry := range conceptWords {
		for word := range strings.FieldsSeq(entry.words) {
			first, _ := utf8.DecodeRuneInString(word)
			if strings.Contains(word, "_") || first >= 0x2E80 {
				phrases = append(phrases, conceptPhrase{strings.ReplaceAll(word, "_", " "), entry.concept})
				continue
			}
			words[text.Fold(word)] = entry.concept
			if unicode.Is(unicode.Arabic, first) { // with its article and what else is written together with it
				for _, prefix := range [...]string{"ال", "و", "وال", "ب", "بال", "ل", "لل"} {
					words[prefix+text.Fold(word)] = entry.concept
				}
			}
		}
	}
	return conceptTable{words, phrases}
}

type conceptPhrase struct {
	phrase  string
	concept concept
}

// fits says whether a figure of that dimension, or a date, can be of the concept.
func (c concept) fits(dimension string) bool {
	if money, _, ok := strings.Cut(dimension, ":"); ok {
		dimension = money
	}
	for d := range strings.FieldsSeq(c.dimensions) {
		if d == dimension {
			return true
		}
	}
	return false
}

// Discriminators tell apart things of one name: where only one of two statements
// has one, they are not about the same thing.
var Discriminators = text.SetOf(
	`maximum minimum max min average mean median peak record total combined annual annually yearly daily weekly monthly hourly
 first second third last final original originally initial initially former formerly new old current currently now today planned proposed expected estimated
 projected forecast minimal maximal default recommended upper lower outer inner inside outside north south east west northern southern eastern western central
 male female men women boys girls children adults per each every without including excluding except only before after previous previously next
 gross net urban metropolitan rural replica model version main spire antenna roof tip underground surface day night summer winter
 untersten oberste durchschnittlich durchschnitt maximal minimal jährlich täglich insgesamt ursprünglich geplant früher heute neue alte neuer alter nördliche südliche je pro ohne
 maximale minimale moyenne annuel annuelle prévu ancien ancienne nouveau nouvelle nord sud est ouest par sans
 máximo mínimo promedio anual previsto antiguo nuevo norte sur este oeste por sin
 максимальная минимальная средняя средний ежегодно планируемая новый старый северная южная без
 أقصى الأقصى متوسط المتوسط سنويا شهريا يوميا إجمالي المخطط المتوقع السابق الجديد القديم الشمالي الجنوبي الشرقي الغربي باستثناء لكل
 massimo minimo medio media annuo previsto vecchio nuovo máxima mínima média anual antigo novo maximaal minimaal gemiddeld jaarlijks oude nieuwe`)
