package cite_test

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// Pairs of everyday statements as in newspapers of each language, labelled by hand;
// English is in the table of everyday pairs.
var everydayAbroad = []labelled{
	{"contradicted", "de", "Die Arbeitslosigkeit ist im vergangenen Jahr gesunken.", "Die Arbeitslosigkeit ist im vergangenen Jahr gestiegen."},
	{"supported", "de", "Die Arbeitslosigkeit ist im vergangenen Jahr gesunken.", "Im vergangenen Jahr ging die Arbeitslosigkeit zurück; sie ist deutlich gesunken."},
	{"contradicted", "de", "Die Brücke wurde 1998 eröffnet.", "Die Brücke wurde 2003 eröffnet."},
	{"supported", "de", "Die Stadt hat 1,2 Millionen Einwohner.", "In der Stadt leben 1.200.000 Einwohner."},
	{"contradicted", "de", "Der Turm ist 120 Meter hoch.", "Der Turm ist 150 Meter hoch."},
	{"contradicted", "de", "Der Minister hat den Vertrag unterzeichnet.", "Der Minister hat den Vertrag nie unterzeichnet."},
	{"undecided", "de", "Alle Schulen der Stadt haben eine Bibliothek.", "Einige Schulen der Stadt haben eine Bibliothek."},
	{"undecided", "de", "Der Fahrer war betrunken.", "Der Fahrer war vermutlich betrunken."},
	{"unsupported", "de", "Die Firma hat 300 Mitarbeiter.", "Die Firma hat viele Mitarbeiter in mehreren Städten."},
	{"unsupported", "de", "Der Zoo hat ein neues Elefantenhaus.", "Die Zinsen bleiben nach Angaben der Notenbank vorerst gleich."},
	{"supported", "de", "Der Zug fährt um 14:30 Uhr ab.", "Um 14.30 Uhr fährt der Zug ab."},
	{"contradicted", "de", "Der Stadtrat genehmigte den Antrag.", "Der Stadtrat weigerte sich, den Antrag zu genehmigen."},
	{"contradicted", "de", "Das Museum ist montags geöffnet.", "Das Museum ist montags nicht mehr geöffnet."},
	{"undecided", "de", "Die Impfung verursacht Autismus.", "Es ist falsch, dass die Impfung Autismus verursacht."},
	{"undecided", "de", "Kaffee senkt den Blutdruck.", "Die Studie fragte, ob Kaffee den Blutdruck senkt."},
	{"undecided", "de", "Kaffee senkt den Blutdruck.", "Senkt Kaffee den Blutdruck?"},
	{"contradicted", "de", "Das Mittel senkt den Blutdruck.", "Das Mittel senkt nach dieser Studie nicht den Blutdruck."},
	{"undecided", "de", "Hamburg hat 1,8 Millionen Einwohner.", "Wien hat 1,8 Millionen Einwohner."},
	{"undecided", "de", "Die Einwohnerzahl von Lyon beträgt 348.000.", "Die Einwohnerzahl von Nizza beträgt 348.000."},
	{"supported", "de", "Der Zug nach Hamburg fährt montags.", "Montags fährt der Zug nach Hamburg."},
	{"supported", "de", "Die Einwohner von Hamburg zahlen keinen Eintritt.", "Hamburgs Einwohner zahlen im Museum keinen Eintritt."},
	{"undecided", "fr", "La population de Lyon est de 348 000 habitants.", "La population de Nice est de 348 000 habitants."},
	{"undecided", "es", "La población de Sevilla es de 348.000 habitantes.", "La población de Málaga es de 348.000 habitantes."},
	{"undecided", "ru", "Население Москвы составляет 400 тысяч человек.", "Население Твери составляет 400 тысяч человек."},
	{"undecided", "ru", "Москва стоит на Волге.", "Тверь стоит на Волге."},
	{"supported", "ru", "Население Москвы выросло.", "В Москве население выросло."},
	{"contradicted", "de", "Der Stadtrat genehmigte den Antrag.", "Der Stadtrat lehnt den Antrag ab."},
	{"contradicted", "de", "Die Arbeitslosigkeit stieg im letzten Jahr.", "Die Arbeitslosigkeit ging im letzten Jahr zurück."},
	{"supported", "de", "Die Arbeitslosigkeit sank im letzten Jahr.", "Die Arbeitslosigkeit ging im letzten Jahr zurück."},
	{"contradicted", "de", "Die Zahl der Gäste nahm im Sommer zu.", "Die Zahl der Gäste nahm im Sommer ab."},
	{"supported", "de", "Der Minister ging nach Berlin.", "Der Minister ging am Montag nach Berlin."},
	{"contradicted", "fr", "Le chômage a baissé l'année dernière.", "Le chômage a augmenté l'année dernière."},
	{"supported", "fr", "Le chômage a baissé l'année dernière.", "L'année dernière, le chômage a diminué dans toute la région."},
	{"contradicted", "fr", "Le pont a été inauguré en 1998.", "Le pont a été inauguré en 2003."},
	{"supported", "fr", "La ville compte 1,2 million d'habitants.", "La ville compte 1 200 000 habitants."},
	{"contradicted", "fr", "La tour mesure 120 mètres de haut.", "La tour mesure 150 mètres de haut."},
	{"contradicted", "fr", "Le ministre a signé le contrat.", "Le ministre n'a jamais signé le contrat."},
	{"undecided", "fr", "Toutes les écoles de la ville ont une bibliothèque.", "Certaines écoles de la ville ont une bibliothèque."},
	{"undecided", "fr", "L'incendie est dû à la foudre.", "L'incendie est probablement dû à la foudre."},
	{"unsupported", "fr", "L'entreprise emploie 300 personnes.", "L'entreprise emploie de nombreuses personnes dans plusieurs villes."},
	{"unsupported", "fr", "Le zoo possède un nouvel enclos pour les éléphants.", "La banque centrale laisse ses taux inchangés."},
	{"supported", "fr", "Quelque 212 grues ont été comptées.", "Les observateurs ont compté 212 grues dans le marais."},
	{"contradicted", "fr", "Le conseil a approuvé le projet.", "Le conseil n'a pas approuvé le projet."},
	{"contradicted", "fr", "Le conseil a approuvé le projet.", "Le conseil n’a pas approuvé le projet."},
	{"contradicted", "fr", "Le conseil a approuvé le projet.", "Le conseil n'a jamais approuvé le projet."},
	{"contradicted", "fr", "Le conseil a approuvé le projet.", "Le conseil a refusé d'approuver le projet."},
	{"supported", "fr", "Le conseil n'a pas approuvé le projet.", "Hier, le conseil n'a pas approuvé le projet."},
	{"contradicted", "fr", "Le musée est ouvert le lundi.", "Le musée n'est plus ouvert le lundi."},
	{"contradicted", "fr", "Le programme a réduit le chômage.", "Le programme n'a pas réduit le chômage."},
	{"undecided", "fr", "Le vaccin cause l'autisme.", "Il est faux que le vaccin cause l'autisme."},
	{"undecided", "fr", "Le musée est ouvert le lundi.", "Le musée est ouvert tous les jours sauf le lundi."},
	{"contradicted", "es", "El desempleo bajó el año pasado.", "El desempleo subió el año pasado."},
	{"supported", "es", "El desempleo bajó el año pasado.", "El año pasado el desempleo disminuyó en todo el país."},
	{"contradicted", "es", "El puente se inauguró en 1998.", "El puente se inauguró en 2003."},
	{"supported", "es", "La ciudad tiene 1,2 millones de habitantes.", "La ciudad tiene 1.200.000 habitantes."},
	{"contradicted", "es", "La torre mide 120 metros de altura.", "La torre mide 150 metros de altura."},
	{"contradicted", "es", "El ministro firmó el contrato.", "El ministro nunca firmó el contrato."},
	{"undecided", "es", "Todas las escuelas de la ciudad tienen biblioteca.", "Algunas escuelas de la ciudad tienen biblioteca."},
	{"undecided", "es", "El incendio fue causado por un rayo.", "El incendio probablemente fue causado por un rayo."},
	{"unsupported", "es", "La empresa tiene 300 empleados.", "La empresa tiene muchos empleados en varias ciudades."},
	{"unsupported", "es", "El zoológico tiene un nuevo recinto para elefantes.", "El banco central mantiene los tipos de interés."},
	{"undecided", "es", "La vacuna causa autismo.", "Es falso que la vacuna causa autismo."},
	{"contradicted", "es", "El alcalde firmó el contrato.", "El alcalde se negó a firmar el contrato."},
	{"undecided", "ru", "Вакцина вызывает аутизм.", "Неправда, что вакцина вызывает аутизм."},
	{"undecided", "ru", "Кофе снижает давление.", "Снижает ли кофе давление?"},
	{"contradicted", "ru", "Министр подписал договор.", "Министр отказался подписать договор."},
	{"contradicted", "ru", "Безработица в прошлом году снизилась.", "Безработица в прошлом году выросла."},
	{"supported", "ru", "Безработица в прошлом году снизилась.", "В прошлом году безработица в стране снизилась."},
	{"contradicted", "ru", "Мост открыли в 1998 году.", "Мост открыли в 2003 году."},
	{"supported", "ru", "В городе живёт 1,2 млн человек.", "В городе живёт 1 200 000 человек."},
	{"contradicted", "ru", "Высота башни — 120 метров.", "Высота башни — 150 метров."},
	{"contradicted", "ru", "Министр подписал договор.", "Министр не подписал договор."},
	{"undecided", "ru", "Все школы города имеют библиотеку.", "Некоторые школы города имеют библиотеку."},
	{"undecided", "ru", "Пожар вызвала молния.", "Пожар, возможно, вызвала молния."},
	{"unsupported", "ru", "В компании работает 300 сотрудников.", "В компании работает много сотрудников в разных городах."},
	{"unsupported", "ru", "В зоопарке открылся новый вольер для слонов.", "Центральный банк оставил ставку без изменений."},
	{"supported", "ru", "Население области составляет двадцать пять тысяч человек.", "Население области составляет 25 тысяч человек."},
	{"contradicted", "zh", "去年失业率下降了。", "去年失业率上升了。"},
	{"supported", "zh", "去年失业率下降了。", "去年全国失业率下降了。"},
	{"contradicted", "zh", "大桥于1998年建成。", "大桥于2003年建成。"},
	{"supported", "zh", "这座城市有120万人口。", "这座城市有一百二十万人口。"},
	{"contradicted", "zh", "这座塔高120米。", "这座塔高150米。"},
	{"contradicted", "zh", "部长签署了合同。", "部长没有签署合同。"},
	{"undecided", "zh", "所有学校都有图书馆。", "一些学校有图书馆。"},
	{"undecided", "zh", "火灾是由闪电引起的。", "火灾可能是由闪电引起的。"},
	{"unsupported", "zh", "公司有300名员工。", "公司在许多城市有员工。"},
	{"unsupported", "zh", "动物园新建了大象馆。", "中央银行维持利率不变。"},
	{"supported", "zh", "百分之五的居民参加了投票。", "5%的居民参加了投票。"},
	{"contradicted", "ja", "昨年、失業率は低下した。", "昨年、失業率は上昇した。"},
	{"supported", "ja", "昨年、失業率は低下した。", "昨年、全国の失業率は低下した。"},
	{"contradicted", "ja", "橋は1998年に完成した。", "橋は2003年に完成した。"},
	{"supported", "ja", "橋は平成10年に完成した。", "橋は1998年に完成した。"},
	{"supported", "ja", "予算は3億5000万円です。", "予算は3.5億円です。"},
	{"contradicted", "ja", "塔の高さは120メートルだ。", "塔の高さは150メートルだ。"},
	{"contradicted", "ja", "大臣は契約に署名した。", "大臣は契約に署名しなかった。"},
	{"undecided", "ja", "全ての学校に図書館がある。", "一部の学校に図書館がある。"},
	{"undecided", "ja", "火災は落雷が原因だ。", "火災は落雷が原因かもしれない。"},
	{"unsupported", "ja", "会社の従業員は300人だ。", "会社には多くの従業員がいる。"},
	{"unsupported", "ja", "動物園に新しい象舎ができた。", "中央銀行は金利を据え置いた。"},
	{"contradicted", "ja", "中央銀行は金利を上げた。", "中央銀行は金利を下げた。"},
	{"contradicted", "ja", "中央銀行は金利を引き上げた。", "中央銀行は金利を引き下げた。"},
	{"contradicted", "ja", "物価が上がった。", "物価が下がった。"},
	{"supported", "ja", "物価が上がった。", "昨年、物価が上がった。"},
	{"contradicted", "ja", "売り上げが上がった。", "売り上げが下がった。"},
	{"contradicted", "ar", "انخفضت البطالة في العام الماضي.", "ارتفعت البطالة في العام الماضي."},
	{"supported", "ar", "انخفضت البطالة في العام الماضي.", "في العام الماضي انخفضت البطالة في البلاد."},
	{"supported", "ar", "انخفضت البطالة في العام الماضي.", "تراجعت البطالة في العام الماضي."},
	{"contradicted", "ar", "افتتح الجسر عام 1998.", "افتتح الجسر عام 2003."},
	{"supported", "ar", "يبلغ عدد سكان المدينة 1.2 مليون نسمة.", "يبلغ عدد سكان المدينة ١٬٢٠٠٬٠٠٠ نسمة."},
	{"contradicted", "ar", "يبلغ ارتفاع البرج 120 مترا.", "يبلغ ارتفاع البرج 150 مترا."},
	{"contradicted", "ar", "وقع الوزير العقد.", "لم يوقع الوزير العقد."},
	{"contradicted", "ar", "المتحف مفتوح يوم الاثنين.", "المتحف مغلق يوم الاثنين."},
	{"contradicted", "ar", "يخفض القانون الضرائب.", "لا يخفض القانون الضرائب."},
	{"contradicted", "ar", "سمحت الحكومة بالصيد في البحيرة.", "حظرت الحكومة الصيد في البحيرة."},
	{"undecided", "ar", "كل المدارس في المدينة لديها مكتبة.", "بعض المدارس في المدينة لديها مكتبة."},
	{"undecided", "ar", "كان الحريق بسبب البرق.", "ربما كان الحريق بسبب البرق."},
	{"supported", "ar", "قتل 20 شخصا في الحادث.", "قتل عشرون شخصا في الحادث أمس."},
	{"unsupported", "ar", "تضم الشركة 300 موظف.", "تضم الشركة موظفين كثيرين في مدن عدة."},
	{"unsupported", "ar", "افتتحت حديقة الحيوان قسما جديدا للفيلة.", "أبقى البنك المركزي على أسعار الفائدة."},
	{"supported", "ar", "وَقَّعَ الوَزِيرُ العَقْدَ في مارس 2024.", "وقع الوزير العقد في ٣ مارس ٢٠٢٤."},
	{"contradicted", "it", "La disoccupazione è diminuita l'anno scorso.", "La disoccupazione è aumentata l'anno scorso."},
	{"contradicted", "it", "Il ministro ha firmato il contratto.", "Il ministro non ha firmato il contratto."},
	{"supported", "it", "La città ha 1,2 milioni di abitanti.", "La città ha 1.200.000 abitanti."},
	{"undecided", "it", "Tutte le scuole hanno una biblioteca.", "Alcune scuole hanno una biblioteca."},
	{"contradicted", "it", "Il museo è aperto la domenica.", "Il museo non è più aperto la domenica."},
	{"undecided", "pt", "A vacina causa autismo.", "É falso que a vacina causa autismo."},
	{"contradicted", "nl", "De winkel is op zondag geopend.", "De winkel is op zondag niet meer geopend."},
	{"contradicted", "pt", "O desemprego caiu no ano passado.", "O desemprego subiu no ano passado."},
	{"contradicted", "pt", "O ministro assinou o contrato.", "O ministro não assinou o contrato."},
	{"supported", "pt", "A cidade tem 1,2 milhão de habitantes.", "A cidade tem 1.200.000 habitantes."},
	{"undecided", "pt", "Todas as escolas têm biblioteca.", "Algumas escolas têm biblioteca."},
	{"contradicted", "nl", "De werkloosheid is vorig jaar gedaald.", "De werkloosheid is vorig jaar gestegen."},
	{"contradicted", "nl", "De minister heeft het contract ondertekend.", "De minister heeft het contract niet ondertekend."},
	{"supported", "nl", "De stad heeft 1,2 miljoen inwoners.", "De stad heeft 1.200.000 inwoners."},
	{"undecided", "nl", "Alle scholen hebben een bibliotheek.", "Sommige scholen hebben een bibliotheek."},
}

// What has two readings, or is of another calendar, neither contradicts nor is held
// against a claim as a figure that is not there.
func TestWhatCannotBeReadIsNoDisagreement(t *testing.T) {
	for _, pair := range []struct{ lang, a, b string }{
		{"en", "The bridge was opened on 03/04/2024.", "The bridge was opened on 4 March 2024."},
		{"en", "The bridge was opened on 03/04/2024.", "The bridge was opened on 7 May 2021."},
		{"ar", "افتتح الجسر في 12 رمضان 1445 هـ.", "افتتح الجسر في 22 مارس 2024."},
		{"fa", "پل در ۱۵ فروردین ۱۴۰۳ افتتاح شد.", "پل در ۳ آوریل ۲۰۲۴ افتتاح شد."},
		{"ar", "يبلغ عدد سكان البلدة 1,234 نسمة.", "يبلغ عدد سكان البلدة 5678 نسمة."},
		{"", "Zorbin 1.234 m.", "Zorbin 5 m."},
		{"es", "La torre mide 1,234 metros de altura.", "La torre mide 1.234 metros de altura."},
	} {
		for _, p := range [][2]string{{pair.a, pair.b}, {pair.b, pair.a}} {
			if j := hold(p[0], p[1], pair.lang); j.Verdict == citewell.VerdictContradicted {
				t.Errorf("%s | %s: %+v", p[0], p[1], j)
			}
		}
		if j := hold(pair.a, pair.b, pair.lang); j.Verdict == citewell.VerdictUnsupported {
			t.Errorf("%s | %s: %q is held against the claim", pair.a, pair.b, j.Reason)
		}
		a, b := cite.Statement{Text: pair.a, Lang: pair.lang}, cite.Statement{Text: pair.b, Lang: pair.lang}
		if clash, ok := cite.Conflict(a, b); ok {
			t.Errorf("%s | %s: %+v", pair.a, pair.b, clash)
		}
	}
}

// Different days, different figures: in every language they clash, and the same in
// another form do not.
func TestConflictOfLanguages(t *testing.T) {
	for _, pair := range []struct {
		clash      bool
		lang, a, b string
	}{
		{true, "ar", "يبلغ ارتفاع برج النور 120 مترا.", "يبلغ ارتفاع برج النور ١٥٠ مترا."},
		{false, "ar", "يبلغ ارتفاع برج النور 120 مترا.", "يبلغ ارتفاع برج النور ١٢٠ مترا."},
		{true, "ar", "افتتح جسر الملك فهد عام 1986.", "افتتح جسر الملك فهد عام 1990."},
		{true, "zh", "长江大桥全长1670米。", "长江大桥全长1900米。"},
		{false, "zh", "长江大桥全长一千六百七十米。", "长江大桥全长1670米。"},
		{true, "ja", "東京タワーの高さは333メートルです。", "東京タワーの高さは350メートルです。"},
		{false, "ja", "東京タワーは昭和33年に完成した。", "東京タワーは1958年に完成した。"},
		{true, "ru", "Длина моста составляет 12 километров.", "Длина моста составляет 15 километров."},
		{false, "ru", "Длина моста составляет двенадцать километров.", "Длина моста составляет 12 000 метров."},
		{true, "fr", "Le viaduc mesure 343 mètres de haut.", "Le viaduc mesure 270 mètres de haut."},
		{false, "fr", "La traversée dure trois heures et demie.", "La traversée dure 3,5 heures."},
		{true, "es", "El puente se inauguró el 3 de marzo de 1998.", "El puente se inauguró el 5 de mayo de 1998."},
		{false, "de", "Die Brücke kostete anderthalb Millionen Euro.", "Die Brücke kostete 1.500.000 Euro."},
	} {
		a, b := cite.Statement{Text: pair.a, Lang: pair.lang}, cite.Statement{Text: pair.b, Lang: pair.lang}
		if clash, ok := cite.Conflict(a, b); ok != pair.clash {
			t.Errorf("conflict %v: %s | %s %+v", ok, pair.a, pair.b, clash)
		}
	}
}
