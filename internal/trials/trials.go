// Package trials has the probes that doctor.Examine runs: each tests its part for real, with a question whose answer is
// known.
//
// Flow: a part → [doctor.Probe]. A part that is not configured is off, and its finding says what is used instead.
// Errors: those of the parts.
// Concurrency: probes run side by side.
package trials

import "github.com/citewell/citewell/internal/doctor"

// off is the probe of a part that is not tried.
func off(part, name, why string) doctor.Probe { return doctor.Probe{Part: part, Name: name, Off: why} }
