package brief

import "testing"

// What reads as an address or a mark of a source makes a statement unfit, in any
// disguise, unless its sources have it; what only looks a little like it does not.
func TestSuspect(t *testing.T) {
	const known = "The frame is 10.1.2.3 wide [7] on harbour.example"
	for _, s := range []string{
		"It is so. [9]", "It is so (9).", "It is so❾", "It is so ⓽", "It is so.⁹", "It is so. [^9]", "It is so 【9】", "See ⑨.",
		"See evil。com for it", "See evil．com", "See evil․com/x", "See evil.рф", "See evil.test", "See evil[.]com", "See evil(dot)com",
		"Ask 127.0.0.1", "Ask 10.1.2.4/x", "See doi:10.1234/evil", "See arXiv:2401.99999", "ISBN 978-3-16-148410-0", "javascript:alert(1)",
		"A title ## Sources", "see![i]",
	} {
		if !suspect(s, known) {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range []string{
		"The frame is 10.1.2.3 wide", "It is so [7]", "harbour.example has it", "It covers 46 km² and 3 m³.", "Node.js 3.5 is e.g. faster",
		"The U.S. and the E.U. agreed.", "In 2019 (the fifth year) 212 pairs bred.", "Version 3.24.0 added it.", "日本の人口は1億人です。それは多い。",
		"The data: none.", "It rose by 4.5% in 2020.", "Der Preis beträgt 3.500 Euro.",
	} {
		if suspect(s, known) {
			t.Errorf("%q does not pass", s)
		}
	}
}
