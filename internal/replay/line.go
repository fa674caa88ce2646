package replay

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"golang.org/x/net/http/httpguts"
)

// MaxFile bounds a recording, in bytes: writing stops there, and a longer file is not read.
const MaxFile = 256 << 20

// version is that of the format below.
const version = 1

// A head is the first line of a recording.
type head struct {
	Recording int       `json:"citewell_recording"` // version
	Made      string    `json:"made_by"`            // the version of Citewell
	StartedAt time.Time `json:"started_at"`
}

// An exchange is every other line: a request, and the answer or what failed. With both,
// the answer's body failed after what stands there.
type exchange struct {
	N        int       `json:"n"`  // from 1, in the order in which requests were made
	At       time.Time `json:"at"` // when it was made
	Request  request   `json:"request"`
	Response *response `json:"response,omitempty"`
	Failed   *failure  `json:"failed,omitempty"`
}

type request struct {
	Method string      `json:"method"`
	URL    string      `json:"url"`
	Header http.Header `json:"header,omitempty"`
	SHA256 string      `json:"sha256,omitempty"` // of the body as it stands here; empty where there is none
	content
}

type response struct {
	Status int         `json:"status"`
	Header http.Header `json:"header,omitempty"`
	Length int64       `json:"length"`          // that was announced, in bytes; -1 where none was
	Gzip   bool        `json:"gzip,omitempty"`  // the body travelled compressed and stands here as it was
	Ended  string      `json:"ended,omitempty"` // why the body has no end; empty where it has
	content
}

// Why a body has no end.
const (
	endedByReader = "reader"   // who asked wanted no more
	endedWithheld = "withheld" // it holds a secret where none can be taken out
)

// content is a body: as text where it is UTF-8.
type content struct {
	Text   string `json:"text,omitempty"`
	Base64 string `json:"base64,omitempty"`
}

// A failure is what an error says to callers.
type failure struct {
	Code         citewell.Code `json:"code"`
	Message      string        `json:"message,omitempty"`
	Hint         string        `json:"hint,omitempty"`
	RetryAfterMS int64         `json:"retry_after_ms,omitempty"`
	Caller       bool          `json:"caller,omitempty"` // who asked stopped waiting
	Cut          bool          `json:"cut,omitempty"`    // the connection ended in the middle of the body
}

func contentOf(body []byte) content {
	if utf8.Valid(body) {
		return content{Text: string(body)}
	}
	return content{Base64: base64.StdEncoding.EncodeToString(body)}
}

// bytes of a content that was checked when it was read.
func (c content) bytes() []byte {
	if c.Base64 == "" {
		return []byte(c.Text)
	}
	body, _ := base64.StdEncoding.DecodeString(c.Base64) // check has tried it
	return body
}

func (c content) check() error {
	if c.Text != "" && c.Base64 != "" {
		return errors.New("a body is there twice")
	}
	_, err := base64.StdEncoding.DecodeString(c.Base64)
	return err
}

// check refuses what no Recorder writes and what net/http could not have given.
func (e *exchange) check() error {
	u, err := url.Parse(e.Request.URL)
	switch {
	case e.N < 1:
		return errors.New("its number is not from 1 up")
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("its URL is no http or https URL")
	case e.Request.Method == "" || !httpguts.ValidHeaderFieldName(e.Request.Method): // both are tokens
		return errors.New("its method is unknown")
	case e.Response == nil && e.Failed == nil:
		return errors.New("it has neither an answer nor a failure")
	case e.Failed != nil && e.Failed.Code.Row().Code != e.Failed.Code:
		return fmt.Errorf("its failure has the unknown code %.40q", string(e.Failed.Code))
	case e.Failed != nil && (e.Failed.RetryAfterMS < 0 || e.Failed.RetryAfterMS > maxRetryAfterMS):
		return errors.New("its retry_after_ms is invalid")
	}
	headers := []http.Header{e.Request.Header}
	if err := e.Request.check(); err != nil {
		return err
	}
	if r := e.Response; r != nil {
		if r.Status < 200 || r.Status > 599 {
			return fmt.Errorf("its status is %d", r.Status)
		}
		if r.Length < -1 {
			return fmt.Errorf("its length is %d", r.Length)
		}
		if r.Ended != "" && r.Ended != endedByReader && r.Ended != endedWithheld {
			return fmt.Errorf("its body ended in an unknown way, %.40q", r.Ended)
		}
		if err := r.check(); err != nil {
			return err
		}
		headers = append(headers, r.Header)
	}
	for _, header := range headers {
		for name, values := range header {
			for _, value := range values {
				if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
					return errors.New("a header of it cannot be sent")
				}
			}
		}
	}
	return nil
}

// maxRetryAfterMS is a year.
const maxRetryAfterMS = 365 * 24 * 3600 * 1000

// encode writes a line. HTML characters stay: people read this.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// readRecording reads a recording of at most so many bytes. What stands after the last line feed is of a process that
// was killed as it wrote, and is passed over.
func readRecording(r io.Reader, most int64) (head, []exchange, error) {
	lines := bufio.NewReader(io.LimitReader(r, most+1))
	var h head
	var list []exchange
	size := int64(0)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if size += int64(len(line)); size > most {
			return h, nil, fmt.Errorf("it is longer than %d MiB", MaxFile>>20)
		}
		if err == io.EOF {
			if number == 1 {
				return h, nil, errors.New("it has no first line")
			}
			return h, list, nil
		}
		if err != nil {
			return h, nil, err
		}
		if number == 1 {
			if err := json.Unmarshal(line, &h); err != nil || h.Recording == 0 {
				return h, nil, errors.New("its first line is not that of a recording")
			}
			if h.Recording != version {
				return h, nil, fmt.Errorf("it is of version %d; this Citewell reads version %d", h.Recording, version)
			}
			continue
		}
		var e exchange
		if err := json.Unmarshal(line, &e); err != nil {
			return h, nil, fmt.Errorf("line %d is no exchange", number)
		}
		if err := e.check(); err != nil {
			return h, nil, fmt.Errorf("line %d: %w", number, err)
		}
		list = append(list, e)
	}
}
