package charset

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// A sentence is real text, and a character set that pages in its language come in.
type sentence struct{ name, charset, read, text string }

// undeclared are texts that say nothing of their character set; read is what they
// are to be read as.
var undeclared = []sentence{
	{"russian", "windows-1251", "windows-1251", "Приливная мельница в Лерхенвассере впервые с 1954 года снова " +
		"смолола " +
		"муку. Колесо весит 14 тонн."},
	{"russian", "koi8-r", "koi8-r", "Приливная мельница в Лерхенвассере впервые с 1954 года снова смолола муку. " +
		"Колесо весит 14 тонн."},
	{"russian_short", "windows-1251", "windows-1251", "Музей открыт ежедневно, кроме понедельника."},
	{"russian_technical", "windows-1251", "windows-1251", "Функция fmt.Println печатает аргументы; установите пакет " +
		"через apt install и запустите HTTP-сервер."},
	{"ukrainian", "windows-1251", "windows-1251", "Музей відкрито щодня, крім понеділка, з десятої години ранку. " +
		"Квиток коштує сто гривень."},
	{"ukrainian", "koi8-u", "koi8-u", "Музей відкрито щодня, крім понеділка, з десятої години ранку. Її вік " +
		"невідомий."},
	{"bulgarian", "windows-1251", "windows-1251", "Музеят е отворен всеки ден освен понеделник. Билетът струва десет " +
		"лева."},
	{"japanese", "shift_jis", "shift_jis", "この水車は一九五四年以来初めて粉を挽いた。車輪の重さは十四トンで、三時間動いた。"},
	{"japanese", "euc-jp", "euc-jp", "この水車は一九五四年以来初めて粉を挽いた。車輪の重さは十四トンで、三時間動いた。"},
	{"japanese_katakana", "shift_jis", "shift_jis", "サーバーのインストールにはコンピュータとネットワークが必要です。"},
	{"japanese_katakana", "euc-jp", "euc-jp", "サーバーのインストールにはコンピュータとネットワークが必要です。"},
	{"chinese", "gb18030", "gb18030", "这座潮汐磨坊自一九五四年以来第一次重新磨面。水轮重十四吨,运转了三个小时。"},
	{"chinese_news", "gb18030", "gb18030", "国务院总理昨天在北京会见了来访的法国总统,双方就经济合作和气候变化问题交换了意见。"},
	{"chinese_traditional", "big5", "big5", "這座潮汐磨坊自一九五四年以來第一次重新磨麵。水輪重十四噸,運轉了三個小時。"},
	{"chinese_news", "big5", "big5", "台北市政府昨天宣布,新的捷運路線將於明年三月開始營運,預計每天可以服務十萬人次。"},
	{"korean", "euc-kr", "euc-kr", "이 조수 방앗간은 1954년 이후 처음으로 다시 밀가루를 빻았다. 바퀴의 무게는 14톤이다."},
	{"korean_news", "euc-kr", "euc-kr", "서울시는 내년부터 시내버스 요금을 인상한다고 밝혔다. 박물관은 월요일을 제외하고 매일 문을 연다."},
	{"german", "windows-1252", "windows-1252", "Die Gezeitenmühle hat am 9. März wieder Mehl gemahlen; die Brücke " +
		"über den Fluß ist geöffnet. „Schön“, hieß es, größer als früher, für Ältere ermäßigt."},
	{"french", "windows-1252", "windows-1252", "Le musée est fermé à Noël ; l’entrée a été réévaluée à 5 €. La crème " +
		"brûlée créée à l’été dernier a déçu, où qu’elle fût goûtée."},
	{"spanish", "windows-1252", "windows-1252", "¿Cuánto cuesta la entrada? El museo está abierto también los " +
		"sábados; según la dirección, la exposición durará un año más. ¡Será fantástica, señor!"},
	{"english_quotes", "windows-1252", "windows-1252", "“It’s the mill’s first flour since 1954,” she said – “and it " +
		"won’t be the last… that’s what we’ve hoped for.” “Don’t touch,” reads the wheel’s sign."},
	{"french_alone", "windows-1252", "windows-1252", "Barbecue à gaz, barbecue à pellets, four à pizza : de 9 h à 12 " +
		"h et de 14 h à 17 h. De Paris à Lille, de Nice à Metz, de A à Z."},
	{"italian", "windows-1252", "windows-1252", "Il museo è aperto. La torre è alta, la strada è lunga, il ponte è " +
		"chiuso, la piazza è grande; il biglietto è caro, il vino è buono e la luna è piena."},
	{"icelandic", "windows-1252", "windows-1252", "Öll börn eiga rétt á því að þau séu vernduð. Það er ætíð gott að " +
		"vera í Þórshöfn á sumrin, þótt þar sé oft þoka."},
	{"greek", "windows-1253", "windows-1252", "Το μουσείο είναι ανοιχτό κάθε μέρα εκτός Δευτέρας. Το εισιτήριο " +
		"κοστίζει δέκα ευρώ."},
	{"hebrew", "windows-1255", "windows-1252", "המוזיאון פתוח בכל יום מלבד יום שני. מחיר הכרטיס הוא עשרה שקלים."},
	{"arabic", "windows-1256", "windows-1252", "المتحف مفتوح كل يوم ما عدا يوم الاثنين. سعر التذكرة عشرة دراهم."},
	{"thai", "windows-874", "windows-1252", "พิพิธภัณฑ์เปิดทุกวันยกเว้นวันจันทร์ ค่าเข้าชมหนึ่งร้อยบาท"},
	{"polish", "windows-1250", "windows-1252", "Zażółć gęślą jaźń. Muzeum jest otwarte każdego dnia oprócz " +
		"poniedziałku, także w święta."},
	{"too_short", "windows-1251", "windows-1252", "Привет, мир"},
	{"names_only", "windows-1251", "windows-1252", "ГОСТ СССР ХХХ ЩЩЩ ЪЪЪ ЫЫЫ"},
	{"utf8_with_a_stray_byte", "", "utf-8", strings.Repeat("Приливная мельница снова смолола муку. ", 4) + "\xe9 "},
}

func (s sentence) encode(t testing.TB) []byte {
	t.Helper()
	if s.charset == "" {
		return []byte(s.text)
	}
	e, _ := charset.Lookup(s.charset)
	body, err := e.NewEncoder().String(s.text)
	if err != nil && s.charset != "windows-1252" {
		t.Fatalf("%s: %v", s.charset, err)
	}
	return []byte(body)
}

func TestUndeclaredCharset(t *testing.T) {
	for _, s := range undeclared {
		t.Run(s.name+"_"+s.charset, func(t *testing.T) {
			body := string(s.encode(t))
			for _, page := range []struct {
				before, after string
				html          bool
			}{
				{"", "\n", false},
				{"<!DOCTYPE html><html><head><title>Mill and museum</title><script>var a = " +
					"'menu';</script></head><body><h1>News</h1><p class=lead>", "</p></body></html>", true},
			} {
				text, name, degraded := Decode([]byte(page.before+body+page.after), "", page.html)
				if name != s.read || degraded != "the character set is a guess: "+s.read {
					t.Errorf("HTML %v: read as %s, degraded %q, text %q", page.html, name, degraded, text)
				}
				if s.charset == s.read && !strings.Contains(text, s.text) {
					t.Errorf("HTML %v: text %q", page.html, text)
				}
			}
		})
	}
}

// What is declared is no guess, whatever the letters look like.
func TestDeclaredIsNoGuess(t *testing.T) {
	body := string(undeclared[0].encode(t))
	for name, page := range map[string]struct {
		declared, body, read string
		html                 bool
	}{
		"header":       {"koi8-r", body, "koi8-r", false},
		"utf8_lie":     {"utf-8", body, "windows-1252", false},
		"meta":         {"", "<meta charset=iso-8859-5><p>" + body, "iso-8859-5", true},
		"xml":          {"", `<?xml version="1.0" encoding='windows-1251'?><a>` + body + "</a>", "windows-1251", false},
		"ascii":        {"", "The mill grinds again.", "utf-8", false},
		"utf8":         {"", undeclared[0].text, "utf-8", false},
		"cut_utf8":     {"", "The mill costs 5 \xe2\x82", "utf-8", false},
		"utf8_far_off": {"", strings.Repeat("The mill grinds again. ", 4000) + undeclared[0].text, "utf-8", false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, read, degraded := Decode([]byte(page.body), page.declared, page.html); read != page.read ||
				degraded != "" {
				t.Errorf("read as %s, degraded %q", read, degraded)
			}
		})
	}
}

func TestGuessFarDown(t *testing.T) {
	body := strings.Repeat("The mill grinds again. ", 4000) + string(undeclared[0].encode(t))
	if name, known := charsetOf([]byte(body), "", false); name != "windows-1251" || known {
		t.Errorf("read as %s, known %v", name, known)
	}
}

func TestPrologCharset(t *testing.T) {
	for prolog, want := range map[string]string{
		`<?xml version="1.0" encoding="KOI8-R"?>`: "koi8-r", `<?xml encoding = 'shift_jis' standalone="yes" ?>`: "shift_jis", `<?xml version="1.0"?>`: "", `<?xml encoding=?>`: "", `<?xml encoding="koi8-r"`: "",
		`<p encoding="koi8-r"?>`:   "",
		`<?xml encoding="utf-8"?>`: "", `<?xml encoding="utf-16"?>`: "", `<?xml encoding="none"?>`: "",
		`<?xml encoding="iso-2022-cn"?>`: "", "": "",
	} {
		if got := prologCharset([]byte(prolog)); got != want {
			t.Errorf("%s: got %q, want %q", prolog, got, want)
		}
	}
}
