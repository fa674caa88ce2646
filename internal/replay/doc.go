// Package replay records the traffic between Citewell and the network, and plays it back without a network: for tests
// of whole runs, and to look at a user's bug elsewhere.
//
// Flow: egress.Options.Wrap → Recorder → one line of JSON for each exchange → Player → egress.Options.Wrap. A Player
// opens no socket.
// Matching: method, URL, Accept-Language and body, without secrets and without random parts (the boundary of an
// envelope.Envelope); then also without ids and without the days of the recording and of the replay, because a prompt
// may hold today's date. The same request repeated gets its answers in the order of the recording.
// Secrets: everything that Options.Redact knows is removed everywhere; of headers, the values of all but a few; of
// queries and JSON bodies, the values whose names suggest a secret. Pages and answers are otherwise kept as they came.
// Golden runs: in a synctest bubble, at Player.Started and with cryptotest's random numbers, a whole run is the same to
// the byte (internal/cli/golden_test.go).
// Units: sizes in bytes, times UTC.
// Errors: not_recorded, invalid_config (the file), and those that were recorded.
// Concurrency: Recorder and Player serve many goroutines.
package replay
