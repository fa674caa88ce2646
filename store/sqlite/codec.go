package sqlite

import (
	"encoding/json"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// maxDecoded bounds what one record may unpack to, whatever its header says.
const maxDecoded = 1 << 30

var packer = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithZeroFrames(true), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err) // the options above are constants
	}
	return e
})

// maxEventRecord bounds what the record of an event may unpack to: a full inbox,
// delivered at once, is the largest there is.
const maxEventRecord = 16 << 20

var unpacker, eventUnpacker = unpacking(maxDecoded), unpacking(maxEventRecord)

func unpacking(most uint64) func() *zstd.Decoder {
	return sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(most), zstd.WithDecoderConcurrency(0))
		if err != nil {
			panic(err)
		}
		return d
	})
}

// pack compresses data and adds a checksum, by which unpack knows a flipped bit.
func pack(data []byte) []byte { return packer().EncodeAll(data, nil) }

func unpack(op string, packed []byte) ([]byte, error) {
	data, err := unpacker().DecodeAll(packed, nil)
	if err != nil {
		return nil, damaged(op, "a record of the store is damaged", err)
	}
	return data, nil
}

// packJSON makes the record of a value of the root package. The same value gives
// the same JSON, so records can be compared after unpack.
func packJSON(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return pack(data), nil
}

func unpackJSON(op string, packed []byte, value any) error {
	data, err := unpack(op, packed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, value); err != nil {
		return damaged(op, "a record of the store is damaged", err)
	}
	return nil
}
