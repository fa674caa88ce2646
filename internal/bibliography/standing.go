package bibliography

import (
	"context"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/retraction"
)

// Standing is what registers have of a work by the first of its identifiers that one of them
// knows; a retraction.Register. The gravest word of all on its standing counts. Registers that
// could not be asked are in Unchecked, unless another knows that the work does not stand.
func (o Options) Standing(ctx context.Context, w citewell.Work) (citewell.Work, error) {
	var heard citewell.Work
	var failed []citewell.ProviderReport
	for _, id := range retraction.Identifiers(w) {
		a := o.lookUp(ctx, id)
		failed = joined(failed, a.failed)
		found := ofIdentifier(a.results, id)
		for i, r := range found {
			if i == 0 {
				heard = *r.Work
			}
			heard.Retracted = heard.Retracted.Graver(r.Work.Retracted)
		}
		if len(found) > 0 {
			break
		}
	}
	if heard.Retracted.Caveat() == "" {
		heard.Unchecked = sayUnasked(failed)
	}
	return heard, nil
}
