package extract

import "github.com/citewell/citewell"

// Forests judge the blocks of HTML pages in place of those that the package carries.
// What was grown from one half of the marked pages tells how well the other half is
// read by trees that have not seen it.
type Forests struct{ judge *judge }

// ReadForests reads what TestGrow wrote, forest.bin or one half's. invalid_argument
// says that it is damaged, or was grown for other signals than this version has.
func ReadForests(raw []byte) (Forests, error) {
	j, err := parseJudge(raw)
	if err != nil {
		return Forests{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "extract.read_forests", Message: err.Error()}
	}
	if own := readJudge(); j.first.width != own.first.width || j.second.width != own.second.width {
		return Forests{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "extract.read_forests",
			Message: "the forests were grown for other signals than this version has", Hint: "grow them anew"}
	}
	return Forests{j}, nil
}

func (o Options) judge() *judge {
	if o.Forests.judge != nil {
		return o.Forests.judge
	}
	return readJudge()
}
