package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// termsOf are, by TermsVersion, the checksums of the terms below.
var termsOf = map[int]string{4: "445bb56dbfb39040057ad881cbb96c0ca3306b863ca8199a61b59c2ef07ff3a8"}

// TestTermsVersion fails when terms change and their version does not.
func TestTermsVersion(t *testing.T) {
	sum := sha256.New()
	for _, sample := range [][2]string{
		{"en", "The WHO's reports on running water: 330 m, 1,234.5 and ½ of it, naïve co-operation in U.S. ports; " +
			"state-of-the-art."},
		{"de", "Die Häuser am Fluß wurden größer, die Straßen nicht; 3,5 Mio. Euro."},
		{"fr", "L'eau de la manœuvre n'est pas celle du cœur, aujourd'hui moins qu'hier."},
		{"da", "Sejlskibene lå ved Køge bugt og i Tromsø med æbler."},
		{"pl", "Łódź stała w portach, łodzie też."},
		{"tr", "Işıklar İstanbul'un limanında yanıyordu."},
		{"ru", "Ёлки стояли в портах, ещё выше."},
		{"uk", "Об'єднані порти під'їзду."},
		{"el", "Τα λιμάνια της Αθήνας."},
		{"ar", "ارتفع الماء ٣٣٠ مترا في الميناء والكتاب."},
		{"fa", "کتاب\u200cهای بندر ۱۲۳ است."},
		{"hi", "बंदरगाह में १२३ नावें थीं।"},
		{"th", "ท่าเรือมีเรือหลายลำ"},
		{"ko", "항구에는 배가 있었다."},
		{"ja", "ﾄｳｷｮｳﾀﾜｰは港にある。東京タワー"},
		{"zh", "港口裡有三艘船。港口里有三艘船。"},
		{"en", "Hawai‘i, Hawaiʻi, O’Neill and O'Neill."},
		{"en", "WHO"},
		{"en", "The children fell; whoever LED them found it by LED light."},
		{"en", "WHO IT IS"},
		{"en", "A ratio of 0·71 · 12·5 mm."},
		{"", "Ｆｕｌｌ ｗｉｄｔｈ and ﬁne ligatures e\u0301tat x² 10⁶ C++ .NET #tag @name a@b.example"},
	} {
		sum.Write([]byte(sample[0] + "\n" + strings.Join(Terms(sample[1], sample[0]), " ") + "\n"))
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != termsOf[TermsVersion] {
		t.Errorf("terms are not those of version %d: raise TermsVersion and note its sum, %s", TermsVersion, got)
	}
}
