package browser

import (
	"strings"
	"unicode/utf8"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keys are those that print nothing, by the names that JavaScript has for them.
var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Space": " ", "Backspace": kb.Backspace, "Delete": kb.Delete,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
}

// modifiers are the keys that are held while another is pressed.
var modifiers = map[string]chromedp.Modifier{
	"Shift": chromedp.ModifierShift, "Control": chromedp.ModifierCtrl, "Alt": chromedp.ModifierAlt,
	"Meta": chromedp.ModifierMeta,
}

// Press presses keys one after the other, wherever the focus is: a character, or a name of
// JavaScript's like "Enter", with what is held before it, as in "Shift+Tab".
func (tab *Tab) Press(names ...string) {
	tab.t.Helper()
	for _, name := range names {
		held, key := chromedp.ModifierNone, name
		for {
			before, after, cut := strings.Cut(key, "+")
			modifier, known := modifiers[before]
			if !cut || !known {
				break
			}
			held, key = held|modifier, after
		}
		if named, ok := keys[key]; ok {
			key = named
		} else if _, size := utf8.DecodeRuneInString(key); size == 0 || size < len(key) {
			tab.t.Fatalf("there is no key %q", name)
		}
		tab.do("press "+name, chromedp.KeyEvent(key, chromedp.KeyModifiers(held)))
	}
}
