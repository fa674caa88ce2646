package pdf

import (
	"bytes"
	"math"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// A pdfMatrix maps (x, y) to (ax+cy+e, bx+dy+f).
type pdfMatrix [6]float64

var pdfIdentity = pdfMatrix{1, 0, 0, 1, 0, 0}

// times applies m first and n second.
func (m pdfMatrix) times(n pdfMatrix) pdfMatrix {
	return pdfMatrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// A pdfMark is one glyph on a page: its text and its place along its line and across it (growing upwards), in points.
type pdfMark struct {
	text          string
	along, across float64
	width, size   float64
	turn          int // of the line, in quarters of a circle
	bold          bool
}

type pdfTextState struct {
	matrix                                  pdfMatrix // of the page
	font                                    *pdfFont
	size                                    float64
	charSpace, wordSpace, stretch, rise, up float64
}

// A pdfShower runs the content of one page and gathers its marks.
type pdfShower struct {
	file      *pdfFile
	fonts     map[types.IndirectRef]*pdfFont
	marks     []pdfMark
	state     pdfTextState
	text      pdfMatrix // of the next glyph
	line      pdfMatrix // of the start of the line
	saved     []pdfTextState
	contents  []pdfMarked // marked content that is open
	operators int
	forms     int
}

// pdfMarked is one piece of marked content: its reading, if it says, or that it is a running header or footer.
type pdfMarked struct {
	replace   string
	replacing bool
	furniture bool
}

// Caps on the work that one page may ask for.
const (
	maxPDFOperators = 3_000_000
	maxPDFMarks     = 400_000
	maxPDFForms     = 2_000
	maxPDFSaved     = 512
	maxFormDepth    = 12
)

func (s *pdfShower) page(content []byte, resources types.Dict) {
	s.state = pdfTextState{matrix: pdfIdentity, stretch: 1}
	s.run(content, resources, 0)
}

func (s *pdfShower) run(content []byte, resources types.Dict, depth int) {
	p := pdfScanner{s: content}
	var operands []any
	for {
		op, list, ok := p.next(operands[:0])
		if s.operators++; !ok || s.operators > maxPDFOperators || len(s.marks) > maxPDFMarks {
			return
		}
		if op == "ID" {
			p.skipImage()
		} else {
			s.do(op, list, resources, depth)
		}
		operands = list
	}
}

// It is one table of operators, a case each.
func (s *pdfShower) do(op string, o []any, resources types.Dict, depth int) {
	st := &s.state
	switch op {
	case "q":
		if len(s.saved) < maxPDFSaved {
			s.saved = append(s.saved, *st)
		}
	case "Q":
		if n := len(s.saved); n > 0 {
			*st, s.saved = s.saved[n-1], s.saved[:n-1]
		}
	case "cm":
		if m, ok := matrixOf(o); ok {
			st.matrix = m.times(st.matrix)
		}
	case "BT":
		s.text, s.line = pdfIdentity, pdfIdentity
	case "Tf":
		if len(o) >= 2 {
			st.size = num(o, 1)
			if name, is := o[0].(pdfName); is {
				st.font = s.font(resources, string(name))
			}
		}
	case "Tc":
		st.charSpace = num(o, 0)
	case "Tw":
		st.wordSpace = num(o, 0)
	case "Tz":
		st.stretch = num(o, 0) / 100
	case "TL":
		st.up = num(o, 0)
	case "Ts":
		st.rise = num(o, 0)
	case "Td":
		s.move(num(o, 0), num(o, 1))
	case "TD":
		st.up = -num(o, 1)
		s.move(num(o, 0), num(o, 1))
	case "Tm":
		if m, ok := matrixOf(o); ok {
			s.text, s.line = m, m
		}
	case "T*":
		s.move(0, -st.up)
	case "Tj":
		s.show(o)
	case "'":
		s.move(0, -st.up)
		s.show(o)
	case "\"":
		if len(o) == 3 {
			st.wordSpace, st.charSpace = num(o, 0), num(o, 1)
			s.move(0, -st.up)
			s.show(o[2:])
		}
	case "TJ":
		if len(o) == 1 {
			if list, is := o[0].([]any); is {
				s.show(list)
			}
		}
	case "BDC":
		s.contents = append(s.contents[:min(len(s.contents), maxPDFSaved)], s.marked(o, resources))
	case "BMC":
		s.contents = append(s.contents[:min(len(s.contents), maxPDFSaved)], pdfMarked{})
	case "EMC":
		if n := len(s.contents); n > 0 {
			s.contents = s.contents[:n-1]
		}
	case "Do":
		if len(o) == 1 && depth < maxFormDepth && s.forms < maxPDFForms {
			if name, is := o[0].(pdfName); is {
				s.forms++
				s.form(s.file.dict(resources["XObject"])[string(name)], resources, depth)
			}
		}
	}
}

func num(o []any, i int) float64 {
	if i < len(o) {
		if n, is := o[i].(float64); is && !math.IsInf(n, 0) {
			return n
		}
	}
	return 0
}

func matrixOf(o []any) (m pdfMatrix, ok bool) {
	if len(o) != 6 {
		return m, false
	}
	for i := range m {
		m[i] = num(o, i)
	}
	return m, true
}

func (s *pdfShower) move(x, y float64) {
	s.line = pdfMatrix{1, 0, 0, 1, x, y}.times(s.line)
	s.text = s.line
}

// font finds a font by the name that the page gives it; what several pages share is read once.
func (s *pdfShower) font(resources types.Dict, name string) *pdfFont {
	o := s.file.dict(resources["Font"])[name]
	ref, shared := o.(types.IndirectRef)
	if font, known := s.fonts[ref]; shared && known {
		return font
	}
	font := s.file.font(o)
	if shared {
		s.fonts[ref] = font
	}
	return font
}

func (s *pdfShower) form(o types.Object, resources types.Dict, depth int) {
	stream, is := s.file.object(o).(types.StreamDict)
	if !is || s.file.name(stream.Dict["Subtype"]) != "Form" {
		return
	}
	content, d := s.file.stream(stream)
	if own := s.file.dict(d["Resources"]); own != nil {
		resources = own
	}
	state, text, line, saved, open := s.state, s.text, s.line, len(s.saved), len(s.contents)
	if list := s.file.array(d["Matrix"]); len(list) == 6 {
		var m pdfMatrix
		for i := range m {
			m[i] = s.file.number(list[i], pdfIdentity[i])
		}
		s.state.matrix = m.times(s.state.matrix)
	}
	s.run(content, resources, depth+1)
	s.state, s.text, s.line = state, text, line
	s.saved, s.contents = s.saved[:min(saved, len(s.saved))], s.contents[:min(open, len(s.contents))]
}

// fields runs what the page's visible form fields and free notes look like: nothing else has what was filled in.
func (s *pdfShower) fields(page types.Dict) {
	const hidden, noView = 1 << 1, 1 << 5
	for i, o := range s.file.array(page["Annots"]) {
		note := s.file.dict(o)
		kind := s.file.name(note["Subtype"])
		if i >= maxPDFForms || kind != "Widget" && kind != "FreeText" ||
			int(s.file.number(note["F"], 0))&(hidden|noView) != 0 {
			continue
		}
		look := s.file.dict(note["AP"])["N"]
		if stream, is := s.file.object(look).(types.StreamDict); is {
			s.field(stream, s.file.array(note["Rect"]))
		} else if stream, is := s.file.object(s.file.dict(look)[s.file.name(note["AS"])]).(types.StreamDict); is {
			s.field(stream, s.file.array(note["Rect"]))
		}
	}
}

// field moves a look from its own box to its place on the page.
func (s *pdfShower) field(stream types.StreamDict, place types.Array) {
	m := pdfIdentity
	if box := s.file.array(stream.Dict["BBox"]); len(box) == 4 && len(place) == 4 {
		m[4] = s.file.number(place[0], 0) - s.file.number(box[0], 0)
		m[5] = s.file.number(place[1], 0) - s.file.number(box[1], 0)
	}
	s.state = pdfTextState{matrix: m, stretch: 1}
	stream.Dict = stream.Dict.Clone().(types.Dict)
	stream.Dict["Subtype"] = types.Name("Form")
	s.form(stream, nil, 0)
}

// marked reads what a piece of marked content says of itself.
func (s *pdfShower) marked(o []any, resources types.Dict) (m pdfMarked) {
	if len(o) < 2 {
		return m
	}
	tag, _ := o[0].(pdfName)
	switch properties := o[1].(type) {
	case map[pdfName]any:
		if text, is := properties["ActualText"].([]byte); is {
			m.replace, m.replacing = pdfText(text), true
		}
		m.furniture = tag == "Artifact" && properties["Type"] == pdfName("Pagination")
	case pdfName:
		d := s.file.dict(s.file.dict(resources["Properties"])[string(properties)])
		if text := d["ActualText"]; text != nil {
			m.replace, m.replacing = s.file.text(text), true
		}
		m.furniture = tag == "Artifact" && s.file.name(d["Type"]) == "Pagination"
	}
	return m
}

// show writes strings; numbers between them move the next one back, in thousandths of the font's size.
func (s *pdfShower) show(list []any) {
	st := &s.state
	if st.font == nil {
		st.font = s.file.font(nil)
	}
	for _, each := range list {
		switch v := each.(type) {
		case float64:
			s.text = pdfMatrix{1, 0, 0, 1, -v / 1000 * st.size * st.stretch, 0}.times(s.text)
		case []byte:
			st.font.read(v, s.glyph)
		}
	}
}

func (s *pdfShower) glyph(g pdfGlyph) {
	st := &s.state
	at := pdfMatrix{1, 0, 0, 1, 0, st.rise}.times(s.text).times(st.matrix)
	if st.font.vertical {
		g.width = 1
	}
	advance := g.width*st.size + st.charSpace
	if g.space {
		advance += st.wordSpace
	}
	if st.font.vertical {
		s.text = pdfMatrix{1, 0, 0, 1, 0, -advance}.times(s.text)
	} else {
		s.text = pdfMatrix{1, 0, 0, 1, advance * st.stretch, 0}.times(s.text)
	}
	if i := slices.IndexFunc(s.contents, func(m pdfMarked) bool { return m.replacing || m.furniture }); i >= 0 {
		if s.contents[i].furniture {
			return
		}
		g.text, s.contents[i].replace = s.contents[i].replace, ""
	}
	mark := pdfMark{text: g.text, size: math.Abs(st.size) * math.Hypot(at[2], at[3]), bold: st.font.bold}
	along := math.Hypot(at[0], at[1])
	mark.width = g.width * math.Abs(st.size) * st.stretch * along
	x, y := at[4], at[5]
	if st.size < 0 {
		at[0], at[1] = -at[0], -at[1]
	}
	mark.turn = int(math.Round(math.Atan2(at[1], at[0])/(math.Pi/2))+4) % 4
	if st.font.vertical {
		mark.turn = (mark.turn + 3) % 4
	}
	switch mark.turn {
	case 0:
		mark.along, mark.across = x, y
	case 1:
		mark.along, mark.across = y, -x
	case 2:
		mark.along, mark.across = -x, -y
	case 3:
		mark.along, mark.across = -y, x
	}
	if mark.text == "" || mark.size < 0.1 || math.IsNaN(mark.along) || math.IsNaN(mark.across) ||
		len(s.marks) > maxPDFMarks {
		return
	}
	s.marks = append(s.marks, mark)
}

// hasImages says whether a page draws pictures, of which a page without text may be a scan.
func (f *pdfFile) hasImages(content []byte, resources types.Dict) bool {
	if bytes.Contains(content, []byte(" ID ")) {
		return true
	}
	for _, o := range f.dict(resources["XObject"]) {
		if stream, is := f.object(o).(types.StreamDict); is && f.name(stream.Dict["Subtype"]) == "Image" {
			return true
		}
	}
	return false
}
