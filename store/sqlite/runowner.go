package sqlite

import "time"

// A machine is where a process lives, as far as a lease needs to know: whether two processes read the same clock, and
// whether one is gone.
//
// Where boot is the same, a lease runs out by up, a clock that nobody sets and that stands still while the machine
// sleeps. Elsewhere only the time of day is left. A jump forward may then take a run from a living process, whose
// writes are refused; a jump back leaves a lease with more time than it was given, which is mended.
type machine struct {
	boot    string // names the clock that up reads; empty where processes share none
	process string // names this process as long as boot lasts
	now     func() time.Time
	up      func() time.Duration
	gone    func(process string) bool // known to have ended; false when nobody can tell
}

// A holder is the part of a row of table run that says who executes it.
type holder struct {
	token                int64
	owner, boot, process string
	ttl                  int64 // microseconds, as are all times here
	expiresAt, expiresUp int64
}

// hold is the holder that owner on this machine becomes for ttl from now.
func (m machine) hold(token int64, owner string, ttl time.Duration) holder {
	return holder{token, owner, m.boot, m.process, ttl.Microseconds(), m.now().Add(ttl).UnixMicro(),
		(m.up() + ttl).Microseconds()}
}

// free says whether the run that h holds may be taken up by another.
func (m machine) free(h holder) bool {
	switch {
	case h.owner == "":
		return true
	case h.boot == "" || h.boot != m.boot:
		return m.now().UnixMicro() >= h.expiresAt
	}
	return m.up().Microseconds() >= h.expiresUp || h.process != m.process && m.gone(h.process)
}

// ahead says whether the lease has more time left than it was given: the time of day was set back since.
func (m machine) ahead(h holder) bool {
	return h.owner != "" && (h.boot == "" || h.boot != m.boot) && h.expiresAt > m.now().UnixMicro()+h.ttl
}

// remembering returns m with answers of gone that hold for as long as one question about many runs takes.
func (m machine) remembering() machine {
	known, gone := make(map[string]bool), m.gone
	m.gone = func(process string) bool {
		answer, asked := known[process]
		if !asked {
			answer = gone(process)
			known[process] = answer
		}
		return answer
	}
	return m
}
