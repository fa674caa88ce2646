package extract

import (
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract/internal/content"
)

// Forests judge the blocks of HTML pages in place of those that the package carries.
// What was grown from one half of the marked pages tells how well the other half is
// read by trees that have not seen it.
type Forests struct{ judge *content.Judge }

// ReadForests reads what TestGrow (extract/internal/content) wrote, forest.bin or one half's. invalid_argument
// says that it is damaged, or was grown for other signals than this version has.
func ReadForests(raw []byte) (Forests, error) {
	j, err := content.ReadJudge(raw)
	if err != nil {
		return Forests{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "extract.read_forests",
			Message: err.Error()}
	}
	return Forests{j}, nil
}
