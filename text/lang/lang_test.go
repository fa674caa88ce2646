package lang

import (
	"testing"
)

func TestFiles(t *testing.T) {
	all, err := load(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, fault := range l.check() {
			t.Errorf("%s.txt: %s", l.Code, fault)
		}
	}
}
