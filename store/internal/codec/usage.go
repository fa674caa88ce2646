package codec

import (
	"strings"

	"github.com/citewell/citewell/internal/upkeep"
)

// tableParts says what the tables are for whose names begin so.
var tableParts = []struct{ name, prefix string }{
	{"runs with logs and journals", "run"}, {"records of snapshots", "snapshot"}, {"records of snapshots", "blob"},
	{"briefs and ledgers", "brief"}, {"briefs and ledgers", "source"}, {"briefs and ledgers", "passage"},
	{"text index", "text_"}, {"vectors", "vector"}, {"graph", "graph_"},
}

// TableParts adds up the tables of a database by what they are for.
type TableParts struct {
	parts []upkeep.UsagePart
	other int64
}

// NewTableParts has every part, of no bytes.
func NewTableParts() *TableParts {
	t := &TableParts{}
	for _, p := range tableParts {
		t.add(p.name, 0)
	}
	return t
}

func (t *TableParts) add(name string, bytes int64) {
	for i := range t.parts {
		if t.parts[i].Part == name {
			t.parts[i].Bytes += bytes
			return
		}
	}
	t.parts = append(t.parts, upkeep.UsagePart{In: "database", Part: name, Bytes: bytes})
}

// Add counts the bytes of a table, and says whether it is of a part.
func (t *TableParts) Add(table string, bytes int64) bool {
	for _, p := range tableParts {
		if strings.HasPrefix(table, p.prefix) {
			t.add(p.name, bytes)
			return true
		}
	}
	t.other += bytes
	return false
}

// Parts are all parts, last the tables that are of none under the name other, unless that is empty.
func (t *TableParts) Parts(other string) []upkeep.UsagePart {
	if other != "" {
		t.add(other, t.other)
	}
	return t.parts
}
