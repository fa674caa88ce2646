package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event of a stream, in bytes.
const maxEvent = 4 << 20

// events reads the data of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html.
type events struct {
	r     *bufio.Reader
	begun bool
	cr    bool // the last line ended with CR: an LF that follows belongs to it
}

func newEvents(r io.Reader) *events { return &events{r: bufio.NewReaderSize(r, 32<<10)} }

// next returns the data of the next event: io.EOF where the stream ended between two events, io.ErrUnexpectedEOF where
// it ended within one.
func (e *events) next() ([]byte, error) {
	var data []byte
	has := false
	for {
		line, err := e.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (has || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if len(line) == 0 {
			if has {
				return data, nil
			}
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		if string(field) != "data" {
			continue
		}
		value = bytes.TrimPrefix(value, []byte(" "))
		if len(data)+len(value) > maxEvent {
			return nil, tooLarge()
		}
		if has {
			data = append(data, '\n')
		}
		data, has = append(data, value...), true
	}
}

// line reads up to LF, CR LF or CR. With an error it returns what came before it.
func (e *events) line() ([]byte, error) {
	var line []byte
	for {
		b, err := e.r.ReadByte()
		if err != nil {
			return line, err
		}
		if b == '\n' && e.cr {
			e.cr = false
			continue
		}
		e.cr = b == '\r'
		if b == '\n' || b == '\r' {
			if !e.begun {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			e.begun = true
			return line, nil
		}
		if line = append(line, b); len(line) > maxEvent {
			return nil, tooLarge()
		}
	}
}
