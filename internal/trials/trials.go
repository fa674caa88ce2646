// Package trials has the probes of the parts, which doctor.Examine runs: each tries its part for real,
// with a question whose answer is known.
//
// Flow: a part → [doctor.Probe]. A part that is not configured is off, with what there is instead.
// Errors: those of the parts.
// Concurrency: probes run side by side.
package trials

import "github.com/citewell/citewell/internal/doctor"

// off is the probe of a part that is not tried.
func off(part, name, why string) doctor.Probe { return doctor.Probe{Part: part, Name: name, Off: why} }
