package library

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"

	"github.com/citewell/citewell"
)

// A file of text that was compressed to save room, as distributions do with their
// documentation, is read as the text it holds. What is kept and cited are the
// decompressed bytes, at most maxFileBytes of them.

// withoutGzip gives the name of the file that a compressed one holds.
func withoutGzip(name string) (inner string, compressed bool) {
	return strings.CutSuffix(name, ".gz")
}

// unzipped decompresses a whole gzip file.
func unzipped(body []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, refuse(citewell.CodeUnsupportedType, "its name ends in .gz and it is no gzip file", err)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxFileBytes+1))
	switch {
	case err != nil:
		return nil, refuse(citewell.CodeExtractionFailed, "the gzip file is damaged", err)
	case len(text) > maxFileBytes:
		return nil, refuse(citewell.CodeResponseTooLarge, "decompressed it is larger than 16 MiB", nil)
	}
	return text, nil
}
