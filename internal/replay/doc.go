// Package replay writes down what passes between Citewell and the network, and gives
// it back without one: for tests of whole runs, and for a user's bug on another desk.
//
// Flow: egress.Options.Wrap → Recorder → one line of JSON for each exchange → Player →
// egress.Options.Wrap. A Player opens no socket.
// Matching: method, URL, Accept-Language and body, without secrets and without what
// chance put into them (the boundary of an envelope.Envelope); then also without ids and
// without the days of the recording and of the replay, for a prompt may name today. The
// same request asked several times gets its answers in the order of the recording.
// Secrets: what Options.Redact knows is taken out of everything; of headers the values
// of all but a few, of queries and JSON bodies the values whose names say so. Pages and
// answers are otherwise kept as they came.
// Golden runs: in a synctest bubble, at Player.Started and with cryptotest's random
// numbers, a whole run is the same to the byte (internal/cli/golden_test.go).
// Units: sizes in bytes, times UTC.
// Errors: not_recorded, invalid_config (the file), and those that were recorded.
// Concurrency: Recorder and Player serve many goroutines.
package replay
