package provider

import (
	"testing"
	"time"
)

func TestDateOf(t *testing.T) {
	tests := []struct{ in, lang, want string }{
		{"2026-02-11T08:30:00.000Z", "en", "2026-02-11"},
		{"Wed, 11 Feb 2026 08:30:00 GMT", "en", "2026-02-11"},
		{"Feb 11, 2026", "de", "2026-02-11"},
		{"11. Februar 2026", "de", "2026-02-11"},
		{"11.02.2026", "de", "2026-02-11"},
		{"11 février 2026", "fr", "2026-02-11"},
		{"2026年2月11日", "ja", "2026-02-11"},
		{"3 days ago", "en", "2026-02-09"},
		{"1 day ago", "", "2026-02-11"},
		{"13 hours ago", "en", "2026-02-11"},
		{"50 mins ago", "en", "2026-02-12"},
		{"2 weeks ago", "en", ""},   // no day
		{"5 months ago", "en", ""},  // likewise
		{"03/04/2026", "en", ""},    // two readings
		{"February 2026", "en", ""}, // no day
		{"99999999999999999999 days ago", "en", ""},
		{"yesterday", "en", ""},
		{"", "", ""},
	}
	for _, test := range tests {
		if got := dateOf(test.in, test.lang, now()); got != test.want {
			t.Errorf("%q in %q is %q, want %q", test.in, test.lang, got, test.want)
		}
	}
	if got := dateOf("1000 days ago", "en", time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC)); got != "2023-05-19" {
		t.Errorf("1000 days ago is %q", got)
	}
}

func TestPlainText(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", "<strong>tidal</strong> power": "tidal power", "a<br>b<br/>c": "a b c",
		"R&amp;D &#x27;x&#39;": "R&D 'x'",
		"1 < 2 & 3":            "1 < 2 & 3", "open <b": "open ", "<script>x</script>y": "y", "": "",
		`An <span class="searchmatch">amber</span> crane &amp; its nest`: "An amber crane & its nest",
		"<jats:title>Abstract</jats:title><jats:p>We count H<jats:sub>2</jats:sub>O.</jats:p><jats:p>Twice." +
			"</jats:p>": "   We count H2O.  Twice. ",
		"<h4>Aim</h4>We count.<h4>Abstract</h4>": " Aim We count.  ",
		`of <jats:inline-formula><jats:tex-math>\alpha</jats:tex-math><mml:math><mml:mi>α</mml:mi></mml:math></jats:inline-formula>-cranes`: "of α-cranes",
		"</script>a<script": "a",
	} {
		if got := plainText(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestPlainTwice(t *testing.T) {
	for in, want := range map[string]string{"a &amp;lt;b&amp;gt; &amp;amp; c": "a <b> & c", "a &lt; b": "a < b",
		"&amp;lt;i&amp;gt;x": "<i>x", "R&D": "R&D"} {
		if got := plainTwice(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
