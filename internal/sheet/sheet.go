// Package sheet holds the results of a measurement: tables of contestants side by side, as JSON and as text.
//
// Units: as a column's title says; a share is from 0 to 1.
package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Schema names the form of a Report as JSON.
const Schema = "citewell.bench/1"

// A Report is what one measurement found.
type Report struct {
	Schema string  `json:"schema"`
	Name   string  `json:"name"` // answers, qa, or a part that bench/ measures
	Data   string  `json:"data,omitempty"`
	Rounds int     `json:"rounds,omitempty"` // of timing; none where each question is asked once
	Tables []Table `json:"tables"`
}

// String lays the tables out one below the other.
func (r Report) String() string {
	texts := make([]string, len(r.Tables))
	for i, t := range r.Tables {
		texts[i] = t.String()
	}
	return strings.Join(texts, "\n")
}

// A Table holds the contestants side by side.
type Table struct {
	Title   string   `json:"title"`
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes,omitempty"` // what must be known to read it right
}

// A Column is one figure. Key is its name in Row.Figures.
type Column struct {
	Key      string `json:"key"`
	Title    string `json:"title"`
	Decimals int    `json:"-"`
}

// An Origin says where a row's figures are from.
type Origin string

// The origins of figures.
const (
	Measured  Origin = "measured"  // in this run
	Published Origin = "published" // by others, or by us at another time: the row's note says where
	Limit     Origin = "limit"     // measured in this run: what can at best be reached
	NoData    Origin = "no_data"   // what it needs was not given; the note says what
)

// A Row is one contestant. A column that Figures does not have was not measured.
type Row struct {
	Name    string             `json:"name"`
	Origin  Origin             `json:"origin"`
	Figures map[string]float64 `json:"figures,omitempty"`
	Note    string             `json:"note,omitempty"`
}

// String lays a table out in columns: names to the left, figures to the right, and after them their origin.
func (t Table) String() string {
	cells := [][]string{{""}}
	for _, c := range t.Columns {
		cells[0] = append(cells[0], c.Title)
	}
	cells[0] = append(cells[0], "")
	for _, row := range t.Rows {
		line := []string{row.Name}
		for _, c := range t.Columns {
			if figure, ok := row.Figures[c.Key]; ok {
				line = append(line, fmt.Sprintf("%.*f", c.Decimals, figure))
			} else {
				line = append(line, "–")
			}
		}
		cells = append(cells, append(line, row.about()))
	}
	widths := make([]int, len(t.Columns)+1)
	for _, line := range cells {
		for i := range widths {
			widths[i] = max(widths[i], displaywidth.String(line[i]))
		}
	}
	var b strings.Builder
	b.WriteString(t.Title + "\n")
	for _, line := range cells {
		for i, cell := range line[:len(widths)] {
			pad := strings.Repeat(" ", widths[i]-displaywidth.String(cell))
			if i == 0 {
				b.WriteString("  " + cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		if last := line[len(widths)]; last != "" {
			b.WriteString("  " + last)
		}
		b.WriteString("\n")
	}
	for _, note := range t.Notes {
		b.WriteString("  * " + note + "\n")
	}
	return b.String()
}

// about says where a row's figures are from, unless they were just measured.
func (r Row) about() string {
	parts := []string{r.Note}
	if slices.Contains([]Origin{Published, Limit}, r.Origin) {
		parts = []string{string(r.Origin), r.Note}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}
