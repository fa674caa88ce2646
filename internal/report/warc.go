package report

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"
)

// A warcRecord is one record of a WARC 1.1 file (ISO 28500:2017).
type warcRecord struct {
	kind        string // warcinfo, response, resource or conversion
	target      string // URI; none for warcinfo
	at          time.Time
	contentType string // of the block
	head        string // of a response: status line and headers, with the empty line
	body        []byte
	refersTo    string // id of the record that a conversion was made from
	truncated   bool   // the body was cut at a limit of length
}

// A warcWriter writes records, each a gzip member of its own, and knows where they are.
// All that it writes follows from what it is given: no clock, no random number.
type warcWriter struct {
	w       io.Writer
	written int64
	seed    string // makes the ids of one report's records its own
}

func (w *warcWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	w.written += int64(n)
	return n, err
}

// A written record is what an index says of it.
type warcWritten struct {
	id             string
	offset, length int64
	digest         string // of the payload
}

// record appends one. The body is compressed as it is written.
func (w *warcWriter) record(r warcRecord) (warcWritten, error) {
	block, payload := sha256.New(), sha256.New()
	io.WriteString(block, r.head)
	block.Write(r.body)
	payload.Write(r.body)
	out := warcWritten{offset: w.written, digest: digestOf(payload)}
	out.id = recordID(w.seed, r.kind, r.target, r.at.UTC().Format(time.RFC3339), digestOf(block))
	var h strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&h, "%s: %s\r\n", name, plain(value))
		}
	}
	h.WriteString("WARC/1.1\r\n")
	field("WARC-Type", r.kind)
	field("WARC-Record-ID", out.id)
	field("WARC-Date", r.at.UTC().Format(time.RFC3339))
	if r.kind == "warcinfo" {
		field("WARC-Filename", warcName)
	}
	field("WARC-Target-URI", r.target)
	field("WARC-Refers-To", r.refersTo)
	field("WARC-Block-Digest", digestOf(block))
	if r.kind != "warcinfo" {
		field("WARC-Payload-Digest", out.digest)
	}
	if r.truncated {
		field("WARC-Truncated", "length")
	}
	field("Content-Type", r.contentType)
	field("Content-Length", fmt.Sprint(len(r.head)+len(r.body)))
	h.WriteString("\r\n")
	member := gzip.NewWriter(w)
	for _, part := range [][]byte{[]byte(h.String()), []byte(r.head), r.body, []byte("\r\n\r\n")} {
		if _, err := member.Write(part); err != nil {
			return out, err
		}
	}
	if err := member.Close(); err != nil {
		return out, err
	}
	out.length = w.written - out.offset
	return out, nil
}

func digestOf(h hash.Hash) string { return "sha256:" + hex.EncodeToString(h.Sum(nil)) }

// recordID is a UUID of version 8 (RFC 9562) made of what the record is.
func recordID(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	id := sum[:16]
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80
	return fmt.Sprintf("<urn:uuid:%x-%x-%x-%x-%x>", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
