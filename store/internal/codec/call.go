package codec

import (
	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
)

// InlineBody is how large an input or result may be, packed, to stand in its row and be synced with it. A larger one is
// a content, kept once however many calls have it.
const InlineBody = 64 << 10

// A Body is an input or a result of a call as it is kept.
type Body struct {
	SHA256 string
	Record []byte            // nil when it is a content
	Large  map[string][]byte // the content by its hash; empty when it is none
}

func packBody(data []byte) Body {
	body := Body{SHA256: citewell.SHA256(data), Record: Pack(data)}
	if len(body.Record) > InlineBody {
		body.Record, body.Large = nil, map[string][]byte{body.SHA256: data}
	}
	return body
}

// A CallWrite is a line of the journal: what is begun where Result is nil, and else what became of it.
type CallWrite struct {
	Key    string
	Call   runstore.Call
	Result *runstore.CallResult

	Body          Body // of the input or the result
	State         runstore.CallState
	Cost, Failure []byte // records; Failure is nil where there was none
}

// CallWrites makes the lines of entries, which it checks.
func CallWrites(op string, entries []runstore.CallEntry) ([]CallWrite, error) {
	writes := make([]CallWrite, len(entries))
	for i, e := range entries {
		if err := e.Check(op); err != nil {
			return nil, err
		}
		w := CallWrite{Key: e.Call.Key(), Call: e.Call, Result: e.Result}
		if r := e.Result; r == nil {
			w.Body = packBody(e.Call.Input)
		} else {
			w.State, w.Body, w.Cost = runstore.CallDone, packBody(r.Data), Pack(r.Cost)
			if r.Err != nil {
				var err error
				w.State = runstore.CallFailed
				if w.Failure, err = PackJSON(r.Err); err != nil {
					return nil, err
				}
			}
		}
		writes[i] = w
	}
	return writes, nil
}

// Begun is a call that is in flight for the first time.
func (w CallWrite) Begun(token, at int64) runstore.CallRecord {
	c := w.Call
	return runstore.CallRecord{Key: w.Key, Step: c.Step, Try: c.Try, Kind: c.Kind, Name: c.Name,
		State: runstore.CallInFlight,
		Token: token, Attempts: 1, BegunAt: MicroTime(at), Input: c.Input}
}

// FinishedAlready is the error of finishing a call that this lease does not have in flight; nil if the result is kept.
func (w CallWrite) FinishedAlready(op string, kept runstore.CallRecord, resultHash string) error {
	switch {
	case kept.State == runstore.CallUnknown || kept.State == runstore.CallInFlight:
		return invalid(op, "this executor has not begun that call")
	case kept.State != w.State || resultHash != w.Body.SHA256 || !sameView(kept.Err, w.Result.Err):
		return invalid(op, "that call has its result already, and it differs")
	}
	return nil
}

// BegunAlready is the error of beginning a call twice by one lease.
func BegunAlready(op string) error {
	return invalid(op, "this executor has begun that call and not finished it; a call that is meant again needs "+
		"another try")
}

func sameView(a, b *citewell.ErrorView) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// ReadCall fills in of a call what its row has packed.
func ReadCall(op string, c *runstore.CallRecord, begun, ended int64, cost, failure []byte) (err error) {
	if c.BegunAt = MicroTime(begun); ended != 0 {
		c.EndedAt = MicroTime(ended)
	}
	if cost != nil {
		if c.Cost, err = Unpack(op, cost); err != nil {
			return err
		}
	}
	if failure != nil {
		c.Err = new(citewell.ErrorView)
		err = UnpackJSON(op, failure, c.Err)
	}
	return err
}
