package xmltree

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/deadline"
)

// What can be read is read: to where the document breaks, without what nests too deep, with
// no entity of its own.
func TestRead(t *testing.T) {
	for _, test := range []struct{ name, xml, want string }{
		{"whole", "<a>x<b>y</b>z</a>", "xyz"},
		{"no end", "<a>x<b>y", "xy"},
		{"broken", "<a>x</a><", "x"},
		{"ends of none", "x</a></b>y", "x"},
		{"entities", "<!DOCTYPE a [<!ENTITY e 'no'>]><a>&amp;&eacute;&#65;</a>", "&éA"},
		{"data", "<a><![CDATA[<x>]]></a>", "<x>"},
		{"as deep as is read", strings.Repeat("<a>", maxDepth) + "x" + strings.Repeat("</a>", maxDepth) + "y", "xy"},
		{"too deep", strings.Repeat("<a>", maxDepth+2) + "x" + strings.Repeat("</a>", 2) + "y" +
			strings.Repeat("</a>", maxDepth) + "z", "yz"},
		{"another character set", "<?xml version='1.0' encoding='koi8-r'?><a>x</a>", "x"},
	} {
		root, err := Read(context.Background(), []byte(test.xml))
		if err != nil || root.Words() != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.name, root.Words(), err, test.want)
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := Read(ended, []byte("<a>x</a>")); !errors.Is(err, deadline.ErrCut) {
		t.Errorf("a reader whose time is over: %v", err)
	}
}

func TestNode(t *testing.T) {
	root, err := Read(context.Background(),
		[]byte(`<r><a k:id="1" href="/x?a&amp;b">one &lt;<b href="">two</b></a><a>three<c><a>four</a></c></a><n:d xmlns:n="space"/></r>`))
	if err != nil {
		t.Fatal(err)
	}
	r := root.Kid("r")
	first := r.Kid("a")
	for _, test := range []struct{ name, got, want string }{
		{"first kid", first.Words(), "one <two"}, {"kid of a kid", r.Kid("a", "b").Words(), "two"},
		{"no kid", r.Kid("x", "a").Words(), ""}, {"kid of another", r.Kid("a", "c").Name, ""},
		{"attribute", first.Attr("id"), "1"}, {"no attribute", first.Attr("x"), ""},
		{"space", r.Kid("d").Space, "space"},
		{"markup", first.Markup(), "one &lt;<b>two</b>"}, {"markup with an address", r.Markup()[:30],
			`<a href="/x?a&amp;b">one &lt;<`},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
		}
	}
	if all := r.All("a"); len(all) != 2 || len(root.All("b")) != 1 || len(root.All("a")) != 2 {
		t.Errorf("got %d elements, want the two that are in none of their name", len(all))
	}
	if !first.HoldsElements() || r.Kid("d").HoldsElements() || r.Kid("a", "b").HoldsElements() {
		t.Error("who holds elements is not told")
	}
	for xml, want := range map[string]bool{"<a>four<b>four</b></a>": true, "<a>fou<b>four</b></a>": false,
		"<a> xx <b>y</b> </a>": true, "<a/>": true, "<a><b>y</b></a>": false} {
		root, err := Read(context.Background(), []byte(xml))
		if got := root.Kid("a").IsProse(); err != nil || got != want {
			t.Errorf("%s: prose %v, want %v, %v", xml, got, want, err)
		}
	}
}
