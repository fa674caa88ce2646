// Package codec packs the values that backends keep in their rows: zstd with a checksum, over JSON for a structured
// value. Both backends write the same records, so rows can be copied from one to the other.
//
// Units: sizes in bytes.
// Errors: store_failed if a record is damaged.
// Concurrency: every function may be called by many goroutines.
// Source: RFC 8878 (zstd).
package codec

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/klauspost/compress/zstd"
)

const (
	// MaxBytes bounds what one record may unpack to, whatever its header says.
	MaxBytes = 1 << 30
	// MaxEventBytes bounds what the record of an event may unpack to: the largest is a full inbox, delivered at once.
	MaxEventBytes = 16 << 20
)

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithZeroFrames(true),
		zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err) // the options above are constants
	}
	return e
})

var unpacker, eventUnpacker = unpacking(MaxBytes), unpacking(MaxEventBytes)

func unpacking(most uint64) func() *zstd.Decoder {
	return sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(most), zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
}

const damaged = "a record of the store is damaged"

// Pack compresses data and adds a checksum, by which Unpack knows a flipped bit.
func Pack(data []byte) []byte { return packer().EncodeAll(data, nil) }

// Unpack gives what Pack was given.
func Unpack(op string, packed []byte) ([]byte, error) {
	data, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return nil, fault.Damaged(op, damaged, err)
	}
	return data, nil
}

// PackJSON makes the record of a value. The same value gives the same JSON, so records can be compared by Same.
func PackJSON(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return Pack(data), nil
}

// UnpackJSON reads the value of a record.
func UnpackJSON(op string, packed []byte, value any) error {
	data, err := Unpack(op, packed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, value); err != nil {
		return fault.Damaged(op, damaged, err)
	}
	return nil
}

// Same compares what two records say: their compressed bytes may differ between versions of the compressor.
func Same(op string, a, b []byte) (bool, error) {
	plainA, err := Unpack(op, a)
	if err != nil {
		return false, err
	}
	plainB, err := Unpack(op, b)
	return bytes.Equal(plainA, plainB), err
}

// UnpackContent reads a content of size bytes and checks it against its hash.
func UnpackContent(op string, packed []byte, sha256 string, size int64) ([]byte, error) {
	data, err := unpacker().DecodeAll(packed, make([]byte, 0, size+bytes.MinRead))
	if err != nil || int64(len(data)) != size || citewell.SHA256(data) != sha256 {
		return nil, fault.Damaged(op, fmt.Sprintf("content %s does not match its hash", sha256), err)
	}
	return data, nil
}

// ValidHash says whether s is a sha256 as citewell.SHA256 writes it.
func ValidHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == 32 && hex.EncodeToString(raw) == s
}
