package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/codec"
)

const (
	tmpDir      = "tmp"
	tmpLifetime = time.Hour // a file there that is older belonged to a process that was killed

	// filesAtOnce bounds the files that are written at once: each holds a thread of the system while it is synced.
	filesAtOnce = 32
)

// blobs keeps bytes as zstd files named by the sha256 of what they unpack to. The rows of table blob say who may read.
type blobs struct {
	dir  string
	root *os.Root

	places chan struct{} // of those who write a file

	mu     sync.Mutex
	shards map[string]bool // folders whose own name is known to be durable
}

func openBlobs(dir string, fixed bool) (*blobs, error) {
	if !fixed {
		if err := makeDirs(filepath.Join(dir, tmpDir)); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	b := &blobs{dir: dir, root: root, places: make(chan struct{}, filesAtOnce), shards: make(map[string]bool)}
	if !fixed {
		b.sweep(time.Now().Add(-tmpLifetime))
	}
	return b, nil
}

// orphaned returns an error if the records at path are gone and files are left: a new store would hide the loss.
func orphaned(op, path, files string) error {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeError(op, err)
	}
	if err == nil && info.Size() > 0 {
		return nil
	}
	if _, err := os.Lstat(files); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	left, err := hasBlobs(files)
	if err != nil {
		return &citewell.Error{Code: citewell.CodeStoreFailed, Op: op,
			Message: "the store has no records, and whether it has snapshots cannot be read: " + err.Error(), Err: err,
			Hint: "make " + files + " readable, mount it where it is a link to another volume, or move it away to " +
				"begin anew"}
	}
	if !left {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeStoreFailed, Op: op,
		Message: "the store is damaged: its records are gone and its snapshots are there",
		Hint:    "restore it from a backup, or move " + files + " away to begin anew"}
}

// hasBlobs says whether there is a file in the folder of any hash. (fs.Glob takes what it cannot read for empty.)
func hasBlobs(files string) (bool, error) {
	entries, err := os.ReadDir(files)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if shard, _ := filepath.Match("[0-9a-f][0-9a-f]", e.Name()); !shard {
			continue
		}
		if left, err := os.ReadDir(filepath.Join(files, e.Name())); err != nil || len(left) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// sweep removes files that killed processes left unfinished. What cannot be removed is tried again at the next start.
func (b *blobs) sweep(before time.Time) {
	entries, err := fs.ReadDir(b.root.FS(), tmpDir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || len(name) != 32 || strings.Trim(name, "0123456789abcdef") != "" {
			continue // it is not named by citewell.NewID, as Put does
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) {
			b.root.Remove(filepath.Join(tmpDir, name))
		}
	}
}

func (b *blobs) Close() error { return b.root.Close() }

func blobName(sha256 string) (shard, name string) {
	shard = sha256[:2]
	return shard, filepath.Join(shard, sha256+".zst")
}

// Put keeps data under its hash durably. A file that exists is replaced: it may be damaged or not yet synced.
func (b *blobs) Put(sha256 string, data []byte) error {
	b.places <- struct{}{}
	defer func() { <-b.places }()
	shard, name := blobName(sha256)
	if err := b.makeShard(shard); err != nil {
		return err
	}
	tmp := filepath.Join(tmpDir, citewell.NewID())
	if err := b.writeSynced(tmp, codec.Pack(data)); err != nil {
		return errors.Join(err, ignoreMissing(b.root.Remove(tmp)))
	}
	if err := b.root.Rename(tmp, name); err != nil {
		return errors.Join(err, ignoreMissing(b.root.Remove(tmp)))
	}
	return syncDir(filepath.Join(b.dir, shard))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *blobs) writeSynced(name string, data []byte) error {
	f, err := b.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeShard makes the folder of a hash durable, once per process: another may have made it and not synced it yet.
func (b *blobs) makeShard(shard string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shards[shard] {
		return nil
	}
	if err := b.root.Mkdir(shard, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := syncDir(b.dir); err != nil {
		return err
	}
	b.shards[shard] = true
	return nil
}

// Has says whether there is a file for sha256, whatever is in it.
func (b *blobs) Has(sha256 string) (bool, error) {
	_, name := blobName(sha256)
	_, err := b.root.Lstat(name)
	return err == nil, ignoreMissing(err)
}

// Size is the length of the file of sha256, 0 where there is none.
func (b *blobs) Size(sha256 string) (int64, error) {
	if !codec.ValidHash(sha256) {
		return 0, nil
	}
	_, name := blobName(sha256)
	info, err := b.root.Lstat(name)
	if err != nil {
		return 0, ignoreMissing(err)
	}
	return info.Size(), nil
}

// Remove takes the file of sha256 away, if there is one.
func (b *blobs) Remove(sha256 string) error {
	_, name := blobName(sha256)
	return ignoreMissing(b.root.Remove(name))
}

// Get returns the bytes under sha256 after checking them against it and size.
func (b *blobs) Get(sha256 string, size int64) ([]byte, error) {
	const op = "store.blob"
	_, name := blobName(sha256)
	packed, err := b.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Damaged(op, fmt.Sprintf("the file of content %s is missing", sha256), err)
	}
	if err != nil {
		return nil, err
	}
	return codec.UnpackContent(op, packed, sha256, size)
}
