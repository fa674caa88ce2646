package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Lines lets through what is a message. Any other line is answered as the parse error that it is, and the session goes
// on: the SDK's own reader would end it, and with it calls that are under way. What is left without an end of line when
// the input ends is no message.
type lines struct {
	in   *bufio.Reader
	end  io.Closer
	out  io.Writer
	left []byte // of the line that is being read

	batches bool // the client speaks the one revision that has them
}

// batching is the revision whose messages may come as arrays.
const batching = "2025-03-26"

func newLines(in io.ReadCloser, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), end: in, out: out}
}

func (l *lines) Close() error { return l.end.Close() }

func (l *lines) Read(p []byte) (int, error) {
	for len(l.left) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		if refused := l.judge(line); refused != nil {
			if err := l.answer(refused); err != nil {
				return 0, err
			}
			continue
		}
		l.left = line
	}
	n := copy(p, l.left)
	l.left = l.left[n:]
	return n, nil
}

// next is the next line with its end; one that is too long is cut at maxMessage and read to its end.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if room := maxMessage + 1 - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// judge says why a line is no message, and nothing where it is one. An empty line is
// let through: it is none, and does no harm.
func (l *lines) judge(line []byte) *jsonrpc.Error {
	if len(line) > maxMessage {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the message is too large"}
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) {
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is not JSON"}
	}
	parts := []json.RawMessage{line}
	if line[0] == '[' {
		parts = nil // what is decoded into it would overwrite line
		if !l.batches {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
				Message: "this revision of the protocol has no batches"}
		}
		if err := json.Unmarshal(line, &parts); err != nil || len(parts) == 0 {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the batch is empty"}
		}
	}
	for _, part := range parts {
		message, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is not a JSON-RPC 2.0 message"}
		}
		if r, ok := message.(*jsonrpc.Request); ok && r.Method == "initialize" {
			var params struct {
				ProtocolVersion string `json:"protocolVersion"`
			}
			l.batches = json.Unmarshal(r.Params, &params) == nil && params.ProtocolVersion == batching
		}
	}
	return nil
}

func (l *lines) answer(e *jsonrpc.Error) error {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": e})
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(data, '\n'))
	return err
}

// A messages is a Writer of whole messages, one to a Write, by several at once.
type messages struct {
	mu sync.Mutex
	io.WriteCloser
}

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.WriteCloser.Write(p)
}
