package sqlite

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	measure "github.com/citewell/citewell/internal/testing/score"
)

// TestPowerCut proves that what is acknowledged is on disk first. It records every
// write of a child with strace, plays the record back on a model of a disk that
// keeps only what was synced, cuts the power at many moments, and opens what is
// left: with nothing of what was not synced, with a random part of it, and with
// all of it, which is what kill -9 leaves.
func TestPowerCut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if measure.RaceDetector {
		t.Skip("tries hundreds of stores, without the race detector")
	}
	dir, trace := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	cmd := strace(t, child(t.Context(), "write", dir, "0,1", 8), "-y", "-xx", "-s", "4194304", "-o", trace, "-e",
		"trace=open,openat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,ftruncate,fallocate,"+
			"rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,rmdir")
	if acks, failed := runChild(t, cmd); len(acks) != 16 || len(failed) > 0 {
		t.Fatalf("%d writes were acknowledged, errors %v", len(acks), failed)
	}
	calls := parseTrace(t, trace)
	random := rand.New(rand.NewPCG(3, 4))

	cuts, last := 0, 0
	play(t, calls, dir, true, func(disk *disk, acks []ack, acked bool, line int) {
		if last = max(last, len(acks)); !acked && random.IntN(16) > 0 {
			return
		}
		cuts++
		for _, state := range []string{"synced", "random", "all"} {
			left := t.TempDir()
			disk.write(t, left, state, random)
			if checkStore(t, left, acks); t.Failed() {
				t.Fatalf("power cut at line %d of the trace, after %d acknowledgements, with %s left", line,
					len(acks), state)
			}
		}
	})
	if last != 16 || cuts < 20 {
		t.Errorf("%d acknowledgements and %d cuts in the trace: is it read wholly?", last, cuts)
	}

	// The model must notice a program that does not sync.
	play(t, calls, dir, false, func(disk *disk, acks []ack, acked bool, _ int) {
		if len(acks) < last || !acked {
			return
		}
		left := t.TempDir()
		disk.write(t, left, "synced", random)
		db := openTest(t, left)
		for _, a := range acks {
			if err := checkItem(db.Tenant("t"), a); err == nil {
				t.Errorf("%v is there although nothing was synced", a)
			}
		}
	})
}

// play replays calls below root and calls cut after each that changed the disk,
// and before each acknowledgement.
func play(t *testing.T, calls []sysCall, root string, syncs bool,
	cut func(disk *disk, acks []ack, acked bool, line int)) {
	t.Helper()
	type moment struct {
		line int
		do   func()
	}
	d := newDisk(root)
	var acks []ack
	var moments []moment
	for _, call := range calls {
		if call.failed() {
			continue
		}
		if files, texts := call.files(), call.texts(); call.name == "write" && len(texts) == 1 &&
			strings.HasPrefix(texts[0], "ack ") {
			a := parseAck(t, texts[0])
			moments = append(moments, moment{call.began, func() { // before anybody could read it
				acks = append(acks, a)
				cut(d, acks, true, call.began)
			}})
			continue
		} else if (call.name == "fsync" || call.name == "fdatasync") && syncs {
			var done func()
			moments = append(moments, moment{call.began, func() { done = d.sync(files[0]) }},
				moment{call.ended, func() { done(); cut(d, acks, false, call.ended) }})
			continue
		}
		moments = append(moments, moment{call.ended, func() {
			if d.apply(t, call) {
				cut(d, acks, false, call.ended)
			}
		}})
	}
	slices.SortStableFunc(moments, func(a, b moment) int { return a.line - b.line })
	for _, m := range moments {
		m.do()
	}
}

// A disk is a model of one folder tree on a disk with a write cache: names and
// bytes reach it when they are synced, and before that perhaps.
type disk struct {
	root   string
	now    map[string]*diskFile // path → file; nil for a folder
	synced map[string]*diskFile
}

type diskFile struct {
	now, synced []byte
	pending     []func([]byte) []byte // changes since the last sync
}

func newDisk(root string) *disk {
	return &disk{root: root, now: make(map[string]*diskFile), synced: make(map[string]*diskFile)}
}

func (f *diskFile) change(c func([]byte) []byte) {
	f.now = c(f.now)
	f.pending = append(f.pending, c)
}

// apply does what call did, and says whether that was anything.
func (d *disk) apply(t *testing.T, call sysCall) bool {
	t.Helper()
	inside := func(path string) bool {
		return strings.HasPrefix(path, d.root+"/") && !strings.HasSuffix(path, "-shm")
	}
	var path string
	if files := call.files(); len(files) > 0 {
		path = files[0]
	}
	switch call.name {
	case "open", "openat":
		path = call.opened()
		if _, there := d.now[path]; there || !inside(path) || !strings.Contains(call.args, "O_CREAT") {
			return false
		}
		d.now[path] = &diskFile{}
	case "write", "pwrite64":
		if !inside(path) {
			return false
		}
		data, offset := call.texts()[0], len(d.now[path].now)
		if call.name == "pwrite64" {
			offset = call.lastNumber()
		}
		d.now[path].change(func(old []byte) []byte {
			grown := append(slices.Clone(old), make([]byte, max(0, offset+len(data)-len(old)))...)
			copy(grown[offset:], data)
			return grown
		})
	case "ftruncate":
		if !inside(path) {
			return false
		}
		size := call.lastNumber()
		d.now[path].change(func(old []byte) []byte {
			return append(slices.Clone(old[:min(size, len(old))]), make([]byte, max(0, size-len(old)))...)
		})
	case "mkdir", "mkdirat":
		if path = call.paths()[0]; !inside(path) {
			return false
		}
		d.now[path] = nil
	case "unlink", "unlinkat":
		if path = call.paths()[0]; !inside(path) {
			return false
		}
		delete(d.now, path)
	case "rename", "renameat", "renameat2":
		from, to := call.paths()[0], call.paths()[1]
		if !inside(to) {
			return false
		}
		d.now[to] = d.now[from]
		delete(d.now, from)
	case "fsync", "fdatasync": // not taken for a sync in this play
		return false
	default:
		t.Fatalf("the model does not know %s(%.200s)", call.name, call.args)
	}
	return true
}

// sync begins a sync of path; what it returns ends it. Only what was written
// before it began is on disk after it ended.
func (d *disk) sync(path string) (done func()) {
	if f := d.now[path]; f != nil {
		pending := f.pending
		return func() {
			for _, change := range pending {
				f.synced = change(f.synced)
			}
			f.pending = f.pending[len(pending):]
		}
	}
	names := maps.Clone(d.now)
	return func() {
		maps.DeleteFunc(d.synced, func(name string, _ *diskFile) bool { return filepath.Dir(name) == path })
		for name, f := range names {
			if filepath.Dir(name) == path {
				d.synced[name] = f
			}
		}
	}
}

// write makes of the model real files in dir, as a machine finds them that starts
// again.
func (d *disk) write(t *testing.T, dir, state string, random *rand.Rand) {
	t.Helper()
	names := d.synced
	if state == "all" || state == "random" && random.IntN(2) == 0 {
		names = d.now
	}
	for _, path := range slices.Sorted(maps.Keys(names)) { // a folder before what is in it
		f := names[path]
		target := filepath.Join(dir, strings.TrimPrefix(path, d.root))
		if _, err := os.Stat(filepath.Dir(target)); err != nil {
			continue // the name of its folder was lost
		}
		if f == nil {
			if err := os.Mkdir(target, 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data := f.now
		if state != "all" {
			data = f.synced
			for _, change := range f.pending {
				if state == "random" && random.IntN(2) == 0 {
					data = change(data)
				}
			}
		}
		if err := os.WriteFile(target, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFailingSync has the kernel report EIO for many syncs: such a write is no
// success, and those before and after it hold.
func TestFailingSync(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	cmd := strace(t, child(t.Context(), "write", dir, "0,1", 60), "-o", os.DevNull, "-e", "trace=fsync", "-e",
		"inject=fsync:error=EIO:when=25+4")
	acks, failed := runChild(t, cmd)
	if len(acks) == 0 || len(failed) == 0 {
		t.Errorf("%d writes acknowledged and %d failed: both should occur", len(acks), len(failed))
	}
	for _, line := range failed {
		if !strings.HasSuffix(line, " store_failed") {
			t.Errorf("a failing disk is reported as %q, want store_failed", line)
		}
	}
	checkStore(t, dir, acks)
}
