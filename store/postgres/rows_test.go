package postgres

import (
	"cmp"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEscape(f *testing.F) {
	f.Add("", "a\x00b")
	f.Add("\x01", "\xff\xfe\uFFFD")
	f.Add("\x00", "\x01a")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := escape(a), escape(b)
		if unescape(x) != a || unescape(y) != b {
			t.Errorf("%q and %q come back as %q and %q", a, b, unescape(x), unescape(y))
		}
		if !utf8.ValidString(x) || strings.IndexByte(x, 0) >= 0 {
			t.Errorf("%q becomes %q", a, x)
		}
		if utf8.ValidString(a) && utf8.ValidString(b) && cmp.Compare(a, b) != cmp.Compare(x, y) {
			t.Errorf("%q and %q stand in another order than %q and %q", a, b, x, y)
		}
		unescape(a) // whatever it is
	})
}
