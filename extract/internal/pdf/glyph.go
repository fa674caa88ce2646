package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// accents are what follows a letter in the name of a glyph with a mark, with the mark as a combining character.
var accents = []struct {
	name string
	mark rune
}{
	{"grave", 0x300}, {"acute", 0x301}, {"circumflex", 0x302}, {"tilde", 0x303}, {"macron", 0x304}, {"breve", 0x306},
	{"dotaccent", 0x307}, {"dieresis", 0x308}, {"ring", 0x30a}, {"hungarumlaut", 0x30b}, {"caron", 0x30c},
	{"cedilla", 0x327}, {"ogonek", 0x328}, {"commaaccent", 0x326},
}

// glyphNames are the names that no rule gives, as "name text" pairs.
var glyphNames = pairs(
	`space   exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright )
asterisk * plus + comma , hyphen - minus − period . slash / zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9
colon : semicolon ; less < equal = greater > question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^ underscore _
grave ` + "`" + ` braceleft { bar | braceright } asciitilde ~ quoteleft ‘ quoteright ’ quotedblleft “ quotedblright ” quotesinglbase ‚
quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹ guilsinglright › endash – emdash — bullet • periodcentered · ellipsis …
dagger † daggerdbl ‡ section § paragraph ¶ copyright © registered ® trademark ™ degree ° ordfeminine ª ordmasculine º onesuperior ¹
twosuperior ² threesuperior ³ onehalf ½ onequarter ¼ threequarters ¾ fraction ⁄ perthousand ‰ cent ¢ sterling £ yen ¥ Euro € currency ¤
florin ƒ exclamdown ¡ questiondown ¿ brokenbar ¦ logicalnot ¬ mu µ multiply × divide ÷ plusminus ± acute ´ dieresis ¨ circumflex ˆ tilde ˜
macron ¯ breve ˘ dotaccent ˙ ring ˚ cedilla ¸ ogonek ˛ hungarumlaut ˝ caron ˇ AE Æ ae æ OE Œ oe œ Oslash Ø oslash ø germandbls ß Eth Ð eth ð
Thorn Þ thorn þ dotlessi ı dotlessj ȷ Lslash Ł lslash ł Dcroat Đ dcroat đ Hbar Ħ hbar ħ kgreenlandic ĸ Ldot Ŀ ldot ŀ Eng Ŋ eng ŋ longs ſ
fi fi fl fl ff ff ffi ffi ffl ffl f_i fi f_l fl f_f ff f_f_i ffi f_f_l ffl Alpha Α Beta Β Gamma Γ Delta Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ
Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ
epsilon ε epsilon1 ϵ zeta ζ eta η theta θ theta1 ϑ iota ι kappa κ lambda λ nu ν xi ξ omicron ο pi π pi1 ϖ rho ρ rho1 ϱ sigma σ sigma1 ς tau τ
upsilon υ phi φ phi1 ϕ chi χ psi ψ omega ω omega1 ϖ infinity ∞ partialdiff ∂ summation ∑ product ∏ integral ∫ radical √ approxequal ≈
notequal ≠ equivalence ≡ lessequal ≤ greaterequal ≥ proportional ∝ element ∈ notelement ∉ existential ∃ universal ∀ emptyset ∅ gradient ∇
logicaland ∧ logicalor ∨ intersection ∩ union ∪ propersubset ⊂ propersuperset ⊃ reflexsubset ⊆ reflexsuperset ⊇ similar ∼ congruent ≅
therefore ∴ angle ∠ perpendicular ⊥ circleplus ⊕ circlemultiply ⊗ asteriskmath ∗ dotmath ⋅ arrowleft ← arrowright → arrowup ↑ arrowdown ↓
arrowboth ↔ arrowdblleft ⇐ arrowdblright ⇒ arrowdblboth ⇔ mapsto ↦ minute ′ second ″ prime ′ lozenge ◊ club ♣ diamond ♦ heart ♥ spade ♠
aleph ℵ weierstrass ℘ Ifraktur ℑ Rfraktur ℜ estimated ℮ numero № nbspace   nonbreakingspace   sfthyphen - hyphenminus - Idotaccent İ
angbracketleft ⟨ angbracketright ⟩ langle ⟨ rangle ⟩ lscript ℓ ell ℓ lessmuch ≪ greatermuch ≫ negationslash ̸ followsequal ≽ precedesequal ≼
visiblespace ␣ openbullet ◦ square □ filledbox ■ triangle △ check ✓`)

func pairs(s string) map[string]string {
	names := map[string]string{"space": " ", "nbspace": " ", "nonbreakingspace": " "}
	words := strings.Fields(s)
	for i := 0; i < len(words); i++ {
		if _, spaced := names[words[i]]; spaced {
			continue
		}
		names[words[i]] = words[i+1]
		i++
	}
	return names
}

// glyphText is what the name of a glyph stands for, or empty: a listed name, a letter with a mark, "uni" or "u" with a
// code point, a name with a suffix for its style.
func glyphText(name string) string {
	if text, ok := glyphNames[name]; ok {
		return text
	}
	if len(name) == 1 && (name[0] >= 'A' && name[0] <= 'Z' || name[0] >= 'a' && name[0] <= 'z') {
		return name
	}
	if base, _, cut := strings.Cut(name, "."); cut && base != "" {
		return glyphText(base)
	}
	for _, a := range accents {
		letter, found := strings.CutSuffix(name, a.name)
		if found && len(letter) == 1 {
			return norm.NFC.String(letter + string(a.mark))
		}
	}
	if digits, found := strings.CutPrefix(name, "uni"); found && len(digits) >= 4 && len(digits)%4 == 0 &&
		len(digits) <= 32 {
		var b strings.Builder
		for i := 0; i < len(digits); i += 4 {
			r, err := strconv.ParseUint(digits[i:i+4], 16, 32)
			if err != nil {
				return ""
			}
			b.WriteRune(rune(r))
		}
		return b.String()
	}
	if digits, found := strings.CutPrefix(name, "u"); found && len(digits) >= 4 && len(digits) <= 6 {
		if r, err := strconv.ParseUint(digits, 16, 32); err == nil && utf8.ValidRune(rune(r)) {
			return string(rune(r))
		}
	}
	if digits, found := strings.CutPrefix(name, "afii"); found {
		return cyrillic(digits)
	}
	if base, style, found := strings.Cut(name, "small"); found && style == "" && len(base) == 1 {
		return base
	}
	if base, _, found := strings.Cut(name, "oldstyle"); found {
		return glyphNames[base]
	}
	return ""
}

// cyrillic reads the numbers that Adobe gave the letters of the Russian alphabet, where Ё stands in its place after Е.
func cyrillic(digits string) string {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return ""
	}
	for _, alphabet := range []struct {
		first  int
		letter rune
		io     rune
	}{{10017, 'А', 'Ё'}, {10065, 'а', 'ё'}} {
		switch i := n - alphabet.first; {
		case i < 0 || i > 32:
		case i < 6:
			return string(alphabet.letter + rune(i))
		case i == 6:
			return string(alphabet.io)
		default:
			return string(alphabet.letter + rune(i-1))
		}
	}
	if n == 61352 {
		return "№"
	}
	return ""
}

// A pdfEncoding is the text of each code of one byte.
type pdfEncoding [256]string

var (
	winAnsi    = fromCharmap(charmap.Windows1252)
	macRoman   = fromCharmap(charmap.Macintosh)
	standard14 = standardEncoding()
)

func fromCharmap(c *charmap.Charmap) (e pdfEncoding) {
	for code := ' '; code < 256; code++ {
		if r := c.DecodeByte(byte(code)); r != utf8.RuneError {
			e[code] = string(r)
		}
	}
	return e
}

// standardEncoding is ASCII with typographic quotes, and a part of its own from 0xA1 on.
func standardEncoding() (e pdfEncoding) {
	for code := ' '; code < 0x7f; code++ {
		e[code] = string(code)
	}
	e['\''], e['`'] = "’", "‘"
	for first, list := range map[int]string{
		0xa1: "¡ ¢ £ ⁄ ¥ ƒ § ¤ ' “ « ‹ › fi fl", 0xb1: "– † ‡ ·", 0xb6: "¶ • ‚ „ ” » … ‰", 0xbf: "¿",
		0xc1: "` ´ ˆ ˜ ¯ ˘ ˙ ¨",
		0xca: "˚ ¸", 0xcd: "˝ ˛ ˇ —", 0xe1: "Æ", 0xe3: "ª", 0xe8: "Ł Ø Œ º", 0xf1: "æ", 0xf5: "ı", 0xf8: "ł ø œ ß",
	} {
		for i, text := range strings.Fields(list) {
			e[first+i] = text
		}
	}
	return e
}
