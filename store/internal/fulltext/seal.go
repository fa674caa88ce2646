package fulltext

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/codec"
	"github.com/klauspost/compress/s2"
)

// A sealed record is a block of S2 and its CRC-32C, which is much faster than codec.Pack.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errSeal = errors.New("the checksum differs")

// Seal appends the sealed form of data to dst.
func Seal(dst, data []byte) []byte {
	start := len(dst)
	dst = append(dst, make([]byte, s2.MaxEncodedLen(len(data)))...)
	dst = dst[:start+len(s2.Encode(dst[start:], data))]
	return binary.BigEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// Unseal gives what Seal was given. A record that is not as it was written is store_failed.
func Unseal(op string, sealed []byte) ([]byte, error) {
	err := errSeal
	if end := len(sealed) - crc32.Size; end >= 0 && crc32.Checksum(sealed[:end],
		castagnoli) == binary.BigEndian.Uint32(sealed[end:]) {
		var size int
		if size, err = s2.DecodedLen(sealed[:end]); err == nil && size <= codec.MaxBytes {
			var data []byte
			if data, err = s2.Decode(nil, sealed[:end]); err == nil {
				return data, nil
			}
		}
	}
	return nil, fault.Damaged(op, "a record of the text index is damaged", err)
}
