package weburl

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

func TestParse(t *testing.T) {
	tests := []struct {
		raw, want string
	}{
		{"http://example.com", "http://example.com"},
		{"HTTP://EXAMPLE.com/A?b=c#d", "http://example.com/A?b=c#d"},
		{"https://example.com:443/", "https://example.com/"},
		{"http://example.com:00080/", "http://example.com/"},
		{"http://example.com:/", "http://example.com/"},
		{"http://example.com:8080/", "http://example.com:8080/"},
		{"http://example.com./x", "http://example.com/x"},
		{"http://example。com/", "http://example.com/"},
		{"http://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ", "http://example.com"},
		{"http://bücher.example/straße", "http://xn--bcher-kva.example/stra%C3%9Fe"},
		{"http://%E4%BE%8B.example/", "http://xn--fsq.example/"},
		{"http://faß.example/", "http://xn--fa-hia.example/"},
		{"http://under_score.example/", "http://under_score.example/"},
		{"http://r3---sn-ab.example/", "http://r3---sn-ab.example/"},
		{"http://127.0.0.1/", "http://127.0.0.1/"},
		{"http://１２７.0.0.1/", "http://127.0.0.1/"},
		{"http://8.8.8.8./", "http://8.8.8.8/"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
		{"http://[0:0:0:0:0:ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"},
		{"http://[2001:DB8::0:1]/", "http://[2001:db8::1]/"},
		{"http://example.com/?q=größe\"<>", "http://example.com/?q=gr%C3%B6%C3%9Fe%22%3C%3E"},
		{"http://example.com/a@b", "http://example.com/a@b"},
	}
	for _, test := range tests {
		u, err := Parse(test.raw)
		if err != nil {
			t.Errorf("Parse(%q): %v", test.raw, err)
		} else if u.String() != test.want {
			t.Errorf("Parse(%q) = %s, want %s", test.raw, u, test.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const argument, bad, scheme = citewell.CodeInvalidArgument, citewell.CodeInvalidURL, citewell.CodeUnsupportedScheme
	tests := []struct {
		raw  string
		code citewell.Code
		says string
	}{
		{"", argument, "url is required"},
		{" \t\n", argument, "url is required"},
		{"example.com", bad, "no scheme"},
		{"example.com:8080/page", bad, "no scheme"},
		{"localhost:8080", bad, "no scheme"},
		{"//example.com/", bad, "no scheme"},
		{"/page", bad, "no scheme"},
		{"1http://example.com", bad, "no scheme"},
		{"file:///etc/passwd", scheme, "only http and https"},
		{`file://\/\/etc/passwd`, scheme, "only http and https"},
		{"javascript:alert(1)", scheme, "only http and https"},
		{"data:text/html,x", scheme, "only http and https"},
		{"jar:http://127.0.0.1!/", scheme, "only http and https"},
		{"http:example.com/", bad, "no host"},
		{"http:", bad, "no host"},
		{"http://", bad, "no host"},
		{"http:///path", bad, "no host"},
		{"http://:80/", bad, "host"},
		{"http://user:hunter2@example.com/", bad, "credentials"},
		{"http://@example.com/", bad, "credentials"},
		{"http://user:hunter2/x@example.com/", bad, "malformed"},
		{"http://example.com /", bad, "space"},
		{"http://example.com/a b", bad, "space"},
		{"http://example.com/a\u2003b", bad, "space"},
		{" http://example.com/", bad, "no scheme"},
		{"http://exam\tple.com/", bad, "control"},
		{"http://example.com/\x00", bad, "control"},
		{"http://example.com/\u0085", bad, "control"},
		{"http://example.com/\xff", bad, "UTF-8"},
		{`http://127.1.1.1:80\@127.2.2.2:80/`, bad, "backslash"},
		{"http://2130706433/", bad, "number"},
		{"http://0x7f000001/", bad, "number"},
		{"http://0X7F.1/", bad, "number"},
		{"http://127.1/", bad, "number"},
		{"http://0/", bad, "number"},
		{"http://0177.0.0.1/", bad, "number"},
		{"http://o177.0.0.1/", bad, "number"},
		{"http://425.510.425.510", bad, "number"},
		{"http://1.2.3.4.5/", bad, "number"},
		{"http://127.0.0.0x1/", bad, "number"},
		{"http://foo.0x/", bad, "number"},
		{"http://foo.1./", bad, "number"},
		{"http://[fe80::1%25eth0]/", bad, "zone"},
		{"http://[127.0.0.1]/", bad, "malformed"},
		{"http://[v1.x]/", bad, ""},
		{"http://[::1/", bad, ""},
		{"http://::1/", bad, ""},
		{"http://a..b/", bad, "host name"},
		{"http://./", bad, "host name"},
		{"http://example.com../", bad, "host name"},
		{"http://xn--a/", bad, "host name"},
		{"http://a%00b/", bad, ""},
		{"http://a%2eb/", bad, ""},
		{"http://a,b/", bad, "host name"},
		{"http://" + strings.Repeat("a", 64) + ".example/", bad, "host name"},
		{"http://" + strings.Repeat("a.", 130) + "example/", bad, "host name"},
		{"http://example.com:0/", bad, "port"},
		{"http://example.com:65536/", bad, "port"},
		{"http://example.com:-1/", bad, ""},
		{"http://example.com:80:80/", bad, ""},
		{"http://example.com/%zz", bad, "escape"},
		{"http://example.com/" + strings.Repeat("a", MaxLength), bad, "longer than 8192"},
	}
	for _, test := range tests {
		u, err := Parse(test.raw)
		if err == nil {
			t.Errorf("Parse(%q) = %s, want %s", test.raw, u, test.code)
			continue
		}
		if code := citewell.CodeOf(err); code != test.code {
			t.Errorf("Parse(%q): code %s, want %s", test.raw, code, test.code)
		}
		view := citewell.View(err)
		if !strings.Contains(view.Message, test.says) {
			t.Errorf("Parse(%q) says %q, want %q in it", test.raw, view.Message, test.says)
		}
		if strings.Contains(err.Error()+view.Message+view.Hint, "hunter2") {
			t.Errorf("Parse(%q) echoes the password: %v", test.raw, view)
		}
	}
}
