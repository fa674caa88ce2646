package program

import (
	"testing"

	"github.com/citewell/citewell"
)

// What sed's users write is let through; what starts programs, touches files, or cannot be
// read for sure is not. The fuzz target asks sed itself.
func TestJudgeSed(t *testing.T) {
	for script, through := range map[string]bool{
		"": true, "p": true, "  ;\n; p ; ; d ": true, "#n\np # all": true,
		"1p;$p;2,4d;1~2d;0,/x/d;2,+3d;2,~4d;/a/I,/b/Md;\\,a/b,d": true, "1 , 3 p": true, "1,/a/ !d": true, "$!N": true,
		"s/a/b/": true, "s|a|b|g2p": true, "s/a\\/b/c\\/d/I": true, "s,[^,]*,x,": true, "s/[^/]*$//": true,
		"s/[]/]/x/": true, "s/[^]/]/x/": true, "s/[[:alpha:]/]/x/": true, "s/[[.].]/]/x/": true, "s/[\\]/x/": true,
		"s/\\[/x/": true, "y/[/]/": true, "s/a/[/": true, "s/a/b\\\nc/": true, "y/abc/def/;p": true,
		"y/a\\/b/c\\/d/": true, ":a;N;$!ba;s/\\n/ /g": true, ": a\nb a\nt\nT end\n:end": true, "/a/{p;d}": true,
		"/a/{s/b/c/}": true,
		"a text":      true, "a\\\ntext\\\nmore\np": true, "$a\\  text": true, "i x\nd": true,
		"c\\\nw x": true, "q": true,
		"q 5": true, "Q5;l 3": true, "=;g;G;h;H;n;N;P;x;z;F;D": true, "v 4.2\np": true, "r in.txt": true,
		"R in.txt\np": true, "s/é/ü/": true,

		"e": false, "1e": false, "e id": false, "s/a/b/e": false, "s/a/b/ge": false, "s/a/b/2w x": false,
		"s/a/b/w x": false, "w x": false, "W x": false, "$!{w x": false, "p;w x": false, ":a;w x": false,
		"b;w x": false, ":a w x": false, "b a}w x": false, "a x\nw x": false,
		"a\\\nx\nw x": false, "}e": false, "{e": false, "! e": false, "/x/e": false, "\\,x,e": false, "/x/I e": false,
		"1,2 e": false, "1 , 2 e": false, "1,+2e": false, "0~3e": false, "y/a/b/;e": false, "q;e": false,
		"#x\ne": false, "t\ne": false, "v\ne": false, "s/a/b/;e": false,
		"r out": false, "R out": false, "1r  out": false, "p;r out": false,
		"s/a/b": false, "s/a": false, "s": false, "y/a": false, "y/a/b": false, "/a": false, "\\": false,
		"s\\a\\b\\": false, "s\na\nb\n": false, "séaébé": false, "s/a\nb/c/": false, "s/a/b\nc/": false,
		"s/[/]/x/": true, "s/[/x/": false, "s/[/]/x/e": false, "s/[[:]/]/x/;e": false, "s/[[:/]/x/": false,
		"s/a[]/b/": false, "s/[a\\]/]/e": false, "s/[\\]/w x/;e": false, "s/[\n]/x/": false, "s[a[b[": false,
		"s]a]b]": false, "s/[^]/x/": false, "s/\\[/]/w x": false, "s/[[=a\n=]]/x/": false, "a": false, "a\\": false,
		"a x\\": false, "1a ": false,
		"k": false, "p d": false, "s/a/b/x": false, "1": false, "ö": false, "p\xff": false, "s/\xff/x/": false,
		"q x": false, "yaabab": false,
	} {
		inside := func(name string) error {
			if name == "in.txt" {
				return nil
			}
			return &citewell.Error{Code: citewell.CodePathOutsideWorkdir}
		}
		if err := judgeSed(script, inside); (err == nil) != through {
			t.Errorf("%q: %v", script, err)
		}
	}
}
