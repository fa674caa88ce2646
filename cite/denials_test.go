package cite_test

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text/lang"
)

// A denied is a sentence and its denial, as translators of programs wrote both.
type denied struct{ lang, sentence, denial, program string }

var translated = []denied{
	{"sv", "servern är i varmt standby-läge", "servern är inte i varmt standby-läge", "PostgreSQL"},
	{"sv", "sessionen är i readonly-läge", "sessionen är inte i readonly-läge", "PostgreSQL"},
	{"sv", "Vacuum-kostnad för en sida som hittas i buffer-cache:n.",
		"Vacuum-kostnad för en sida som inte hittas i buffer-cache:n.", "PostgreSQL"},
	{"da", "Filen er blevet opdateret.", "Filen er ikke blevet opdateret.", "make"},
	{"da", "Der er udført implicit regelsøgning.", "Der er ikke udført implicit regelsøgning.", "make"},
	{"da", "Administratorkommandoer er tilladt", "Administratorkommandoer er ikke tilladt", "gnupg"},
	{"no", "Hemmelig nøkkel er tilgjengelig.", "Hemmelig nøkkel er ikke tilgjengelig.", "gnupg"},
	{"no", "denne meldingen bør definere flertallsformer",
		"denne meldingen bør ikke definere flertallsformer", "gettext"},
	{"no", "Forespørselen ble avbrutt", "Forespørselen ble ikke avbrutt", "coreutils"},
	{"fi", "Pyyntö peruutettu", "Pyyntöä ei peruutettu", "glibc"},
	{"fi", "tämän viestin pitäisi määritellä monikkomuodot",
		"tämän viestin ei pitäisi määritellä monikkomuotoja", "gettext"},
	{"pl", "Plik został uaktualniony.", "Plik nie został uaktualniony.", "make"},
	{"pl", "Szukanie reguł domyślnych zostało wykonane.", "Szukanie reguł domyślnych nie zostało wykonane.", "make"},
	{"pl", "Polecenia dla administratora są dozwolone", "Polecenia dla administratora nie są dozwolone", "gnupg"},
	{"cs", "Soubor byl aktualizován.", "Soubor nebyl aktualizován.", "make"},
	{"cs", "Hledalo se za pomoci implicitních pravidel.", "Nehledalo se za pomoci implicitních pravidel.", "make"},
	{"cs", "příkazy správce jsou povoleny", "příkazy správce nejsou povoleny", "gnupg"},
	{"ro", "Sunt permise comenzi administrare", "Nu sunt permise comenzi administrare", "gnupg"},
	{"ro", "acest mesaj ar trebui să definească formele plurale",
		"acest mesaj nu ar trebui să definească formele plurale", "gettext"},
	{"ro", "Adresarea DSBT este utilizată", "Adresarea DSBT nu este utilizată", "binutils"},
	{"ca", "La petició ha estat cancel·lada", "La petició no ha estat cancel·lada", "glibc"},
	{"ca", "mostra l'indicador de progrés", "no mostris l'indicador de progrés", "git"},
	{"hu", "Ezen a listán található alkalmazások találatai lesznek megjelenítve kereséskor.",
		"Ezen a listán található alkalmazások találatai nem lesznek megjelenítve kereséskor.", "GNOME"},
	{"tr", "Dosya güncelleştirilmişti.", "Dosya güncelleştirilmemişti.", "make"},
	{"tr", "Örtük kural araştırması yapılmıştı.", "Örtük kural araştırması yapılmamıştı.", "make"},
	{"tr", "İstem iptal edildi", "İstem iptal edilmedi", "glibc"},
	{"tr", "Yönetici komutlarına izin verilir", "Yönetici komutlarına izin verilmez", "gnupg"},
	{"el", "η περίοδος λειτουργίας είναι μόνο για ανάγνωση",
		"η περίοδος λειτουργίας δεν είναι μόνο για ανάγνωση", "PostgreSQL"},
	{"el", "Η αίτηση ακυρώθηκε", "Η αίτηση δεν ακυρώθηκε", "coreutils"},
	{"id", "Berkas sudah diperbarui.", "Berkas belum diperbarui.", "make"},
	{"id", "Permintaan dibatalkan", "Permintaan tidak dibatalkan", "glibc"},
	{"id", "instruksi ini akan menulis kembali base register",
		"instruksi ini tidak akan menulis kembali base register", "binutils"},
	{"vi", "Yêu cầu bị hủy bỏ", "Yêu cầu không bị hủy bỏ", "coreutils"},
	{"vi", "Yêu cầu bị hủy bỏ", "Yêu cầu chưa bị hủy bỏ", "glibc"},
	{"vi", "chuỗi này nên dùng ở dạng thức số nhiều", "chuỗi này không nên dùng ở dạng thức số nhiều", "gettext"},
	{"vi", "Đánh địa chỉ kiểu DSBT được sử dụng", "Đánh địa chỉ kiểu DSBT không được sử dụng", "binutils"},
	{"vi", "hiển thị bộ đo tiến trình", "không hiển thị bộ đo tiến trình", "git"},
	{"vi", "Sắp xếp các sự định vị lại động", "Đừng sắp xếp các sự định vị lại động", "gold"},
	{"uk", "сканування індексу потрібне", "сканування індексу не потрібне", "PostgreSQL"},
	{"uk", "Запит скасовано", "Запит не скасовано", "glibc"},
	{"uk", "ця інструкція виконає зворотний перезапис базового регістра",
		"ця інструкція не виконає зворотний перезапис базового регістра", "binutils"},
	{"bg", "Файлът е обновен.", "Файлът не е обновен.", "make"},
	{"bg", "Търсенето във вградените правила е извършено.", "Търсенето във вградените правила не е извършено.", "make"},
	{"bg", "извеждане на напредъка", "без извеждане на напредъка", "git"},
	{"de", "Server ist im Hot-Standby-Modus", "Server ist nicht im Hot-Standby-Modus", "PostgreSQL"},
	{"fr", "détecter les renommages", "ne pas détecter les renommages", "git"},
	{"es", "el servidor está en modo hot standby", "el servidor no está en modo hot standby", "PostgreSQL"},
	{"it", "la sessione è di sola lettura", "la sessione non è di sola lettura", "PostgreSQL"},
	{"pt", "O ficheiro foi actualizado.", "O ficheiro não foi actualizado.", "make"},
	{"nl", "Bestand is bijgewerkt.", "Bestand is niet bijgewerkt.", "make"},
	{"ru", "сервер работает в режиме горячего резерва", "сервер работает не в режиме горячего резерва", "PostgreSQL"},
	// Of these the denial is a translator's, and the sentence is it without the denial.
	{"hi", "डैरक्टरी खोल सकते है", "डैरक्टरी नहीं खोल सकते है", "GLib"},
	{"hi", "सार नामस्थान समर्थित है", "सार नामस्थान समर्थित नहीं है", "GLib"},
	{"hi", "रद्द करने योग्य आरंभीकरण समर्थित है", "रद्द करने योग्य आरंभीकरण समर्थित नहीं है", "GLib"},
	{"fa", "فضانام انتزاعی پشتیبانی می\u200cشود", "فضانام انتزاعی پشتیبانی نمی\u200cشود", "GLib"},
	{"fa", "جعل گواهی روی این سیستم\u200cعامل ممکن است", "جعل گواهی روی این سیستم\u200cعامل ممکن نیست", "GLib"},
	{"fa", "نام\u200cهای پرونده می\u200cتوانند شامل آن باشند",
		"نام\u200cهای پرونده نمی\u200cتوانند شامل آن باشند", "GLib"},
	{"fa", "شیء مقدار دهی اولیه شد", "شیء مقدار دهی اولیه نشد", "GLib"},
	{"fa", "پروندهٔ کلید گروه آن را دارد", "پروندهٔ کلید گروه آن را ندارد", "GLib"},
}

// TestDenialsOfTranslators holds a sentence against its denial, and each against itself.
func TestDenialsOfTranslators(t *testing.T) {
	for _, pair := range translated {
		for _, p := range [][2]string{{pair.sentence, pair.denial}, {pair.denial, pair.sentence}} {
			if j := hold(p[0], p[1], pair.lang); j.Verdict != citewell.VerdictContradicted {
				t.Errorf("%s, %s: %q against %q is %s: %s", pair.lang, pair.program, p[0], p[1], j.Verdict, j.Reason)
			}
			if j := hold(p[0], p[0], pair.lang); j.Verdict != citewell.VerdictSupported {
				t.Errorf("%s: a copy of %q is %s: %s", pair.lang, p[0], j.Verdict, j.Reason)
			}
		}
	}
}

// Denials that words cannot tell for sure are left undecided: another word order, an imperative that is
// spelt like a noun, another word for the denied one.
func TestDenialsThatWordsCannotTell(t *testing.T) {
	for _, pair := range []denied{
		{"hu", "A(z) séma áthelyezhető", "A(z) séma nem helyezhető át", "GLib"},
		{"tr", "dosya adlarını göster", "dosya adlarını gösterme", "git"},
		{"tr", "yalnızca birleştirilen başvuruları yazdır", "yalnızca birleştirilmemiş başvuruları yazdır", "git"},
		{"pl", "krytyczny", "niekrytyczny błąd", "gnutls"},
		{"fi", "tämä käsky kirjoittaa takaisin perusrekisterin",
			"tämä käsky ei kirjoita takaisin perusrekisteriä", "binutils"},
		{"bg", "Съветът ще одобри плана", "Съветът няма да одобри плана", ""},
		{"pl", "Rada zatwierdziła plan nowego mostu.", "Rada nie zatwierdziła planu nowego mostu.", ""},
		{"sv", "Arbetslösheten steg i fjol.", "Arbetslösheten sjönk i fjol.", ""},
		{"ko", "시의회는 새 다리 계획을 승인했다.", "시의회는 새 다리 계획을 승인하지 않았다.", ""},
	} {
		for _, p := range [][2]string{{pair.sentence, pair.denial}, {pair.denial, pair.sentence}} {
			j := hold(p[0], p[1], pair.lang)
			if j.Verdict != citewell.VerdictUndecided && j.Verdict != citewell.VerdictContradicted {
				t.Errorf("%s: %q against %q is %s: %s", pair.lang, p[0], p[1], j.Verdict, j.Reason)
			}
		}
	}
}

// TestCouncil is one pair in all languages with denials that were told apart last.
func TestCouncil(t *testing.T) {
	for _, pair := range []denied{
		{"sv", "Styrelsen godkände planen för den nya bron över sundet.",
			"Styrelsen godkände inte planen för den nya bron över sundet.", ""},
		{"no", "Rådet godkjente planen for den nye broen over sundet.",
			"Rådet godkjente ikke planen for den nye broen over sundet.", ""},
		{"da", "Rådet godkendte planen for den nye bro over sundet.",
			"Rådet godkendte ikke planen for den nye bro over sundet.", ""},
		{"fi", "Valtuusto hyväksyi suunnitelman uudesta sillasta salmen yli.",
			"Valtuusto ei hyväksynyt suunnitelmaa uudesta sillasta salmen yli.", ""},
		{"pl", "Rada zatwierdziła projekt nowego mostu przez cieśninę.",
			"Rada nie zatwierdziła projektu nowego mostu przez cieśninę.", ""},
		{"cs", "Rada schválila plán nového mostu přes úžinu.", "Rada neschválila plán nového mostu přes úžinu.", ""},
		{"ro", "Consiliul a aprobat planul noului pod peste strâmtoare.",
			"Consiliul nu a aprobat planul noului pod peste strâmtoare.", ""},
		{"ro", "Consiliul a aprobat planul noului pod peste strâmtoare.",
			"Consiliul n-a aprobat planul noului pod peste strâmtoare.", ""},
		{"ca", "El consell va aprovar el pla del nou pont sobre l'estret.",
			"El consell no va aprovar el pla del nou pont sobre l'estret.", ""},
		{"hu", "A tanács elfogadta a szoros feletti új híd tervét.",
			"A tanács nem elfogadta a szoros feletti új híd tervét.", ""},
		{"tr", "Belediye meclisi yeni köprünün planını onayladı.",
			"Belediye meclisi yeni köprünün planını onaylamadı.", ""},
		{"el", "Το συμβούλιο ενέκρινε το σχέδιο για τη νέα γέφυρα.",
			"Το συμβούλιο δεν ενέκρινε το σχέδιο για τη νέα γέφυρα.", ""},
		{"id", "Dewan kota menyetujui rencana jembatan baru di atas selat.",
			"Dewan kota tidak menyetujui rencana jembatan baru di atas selat.", ""},
		{"vi", "Hội đồng thành phố đã phê duyệt kế hoạch xây cầu mới qua eo biển.",
			"Hội đồng thành phố đã không phê duyệt kế hoạch xây cầu mới qua eo biển.", ""},
		{"hi", "परिषद ने नए पुल की योजना को मंज़ूरी दी।", "परिषद ने नए पुल की योजना को मंज़ूरी नहीं दी।", ""},
		{"fa", "شورا طرح پل جدید روی تنگه را تصویب کرد.", "شورا طرح پل جدید روی تنگه را تصویب نکرد.", ""},
		{"uk", "Міська рада схвалила цей план, що його склали для нового мосту.",
			"Міська рада не схвалила цей план, що його склали для нового мосту.", ""},
		{"bg", "Съветът одобри плана за новия мост над пролива.",
			"Съветът не одобри плана за новия мост над пролива.", ""},
	} {
		if j := hold(pair.sentence, pair.denial, pair.lang); j.Verdict != citewell.VerdictContradicted {
			t.Errorf("%s: %s: %s", pair.lang, j.Verdict, j.Reason)
		}
	}
}

// Every language with function words has denials, and a test of them.
func TestEveryLanguageHasDenials(t *testing.T) {
	tested := map[string]bool{"en": true, "ar": true} // in the everyday pairs
	for _, pair := range translated {
		tested[pair.lang] = true
	}
	for _, l := range lang.All() {
		words, denials := l.Knows(lang.FunctionWords), l.Knows(lang.Denials) && !l.Is(lang.Segments)
		if words != denials || words != tested[l.Code] {
			t.Errorf("%s: function words %v, denials %v, tested %v", l.Code, words, denials, tested[l.Code])
		}
	}
}
