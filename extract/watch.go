package extract

import "context"

// A watch tells a long walk over a page's tree when its time is over; what the walk
// leaves undone does not matter then. It belongs to one walk.
type watch struct {
	ctx   context.Context
	steps int
	over  bool
}

// watchSteps is how many nodes are visited between two looks at the context.
const watchSteps = 256

func (w *watch) ended() bool {
	if w.steps++; w.steps%watchSteps == 0 && !w.over {
		w.over = w.ctx.Err() != nil
	}
	return w.over
}
