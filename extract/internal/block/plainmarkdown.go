package block

import (
	"strings"
)

// Markdown writes blocks as Markdown without links and emphasis, for plain text and very large trees.
func Markdown(blocks []Block) string {
	var b strings.Builder
	for i, block := range blocks {
		if i > 0 {
			if adjoining(blocks[i-1], block) && block.Kind == Item {
				b.WriteByte('\n')
			} else {
				b.WriteString("\n\n")
			}
		}
		switch block.Kind {
		case Heading:
			b.WriteString(strings.Repeat("#", max(1, min(block.Level, 6))) + " " + escapeMarkdown(block.Text))
		case Code:
			b.WriteString(fence(block.Text))
		case Grid:
			writeGrid(&b, block.Text)
		case Term:
			b.WriteString("**" + escapeMarkdown(block.Text) + "**")
		case Item:
			b.WriteString(block.Text[:block.Marker] + escapeMarkdown(block.Text[block.Marker:]))
		default:
			b.WriteString(escapeMarkdown(block.Text))
		}
	}
	return b.String()
}

func writeGrid(b *strings.Builder, rows string) {
	for i, row := range strings.Split(rows, "\n") {
		cells := strings.Split(row, " | ")
		for j := range cells {
			cells[j] = strings.ReplaceAll(escapeMarkdown(cells[j]), "|", `\|`)
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |")
		if i == 0 {
			b.WriteString("\n|" + strings.Repeat("---|", len(cells)))
		}
	}
}

// fence writes code between fences that it does not hold itself.
func fence(s string) string {
	longest, run := 2, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	return marks + "\n" + s + "\n" + marks
}

var markdownMarks = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<",
	`\<`, "&", `\&`)

// escapeMarkdown keeps words from being read as Markdown or HTML.
func escapeMarkdown(s string) string {
	lines := strings.Split(markdownMarks.Replace(s), "\n")
	for i, line := range lines {
		if line != "" && strings.ContainsRune("#>+=~|-", rune(line[0])) {
			lines[i] = `\` + line
		}
	}
	return strings.Join(lines, "  \n")
}
