package postgres

import (
	"strings"

	"github.com/citewell/citewell/store/internal/textsql"
)

// heads is the dialect of indexes that hold only the beginnings of keys and values, which may be too long for an index.
var heads = textsql.Dialect{
	KeyBegins: func(prefix string) (condition string, args []any) { return begins("key", prefix) },
	ValueIn: func(values []string) (condition string, args []any) {
		in, args := textsql.OneOf("value", values)
		return "head = ANY (?) AND " + in, append([]any{headsOf(values)}, args...)
	},
}

// begins is the condition that a column begins with a prefix. Nothing after the prefix is above four of the last
// character.
func begins(column, prefix string) (condition string, args []any) {
	head := headOf(prefix)
	return "head >= ? AND head <= ? AND starts_with(" + column +
		", ?)", []any{head, head + asIs(strings.Repeat("\U0010ffff", 4)), prefix}
}

// headOf is how the column head begins for what begins with a text: as the column has it, or less.
func headOf(text string) asIs {
	head := []rune(escape(text))
	return asIs(head[:min(len(head), headRunes)])
}

// headsOf are the heads of whole values.
func headsOf(values []string) []asIs {
	list := make([]asIs, len(values))
	for i, value := range values {
		list[i] = headOf(value)
	}
	return list
}

// headRunes is how long the beginning is that the columns head have.
const headRunes = 600
