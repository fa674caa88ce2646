package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"golang.org/x/sync/errgroup"
)

// path looks at a file or a folder and returns the work that indexes it.
func (l *Library) path(ctx context.Context, name string) (func(context.Context, func(Event)) error, error) {
	if strings.TrimSpace(name) == "" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index", Message: "path is empty"}
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return l.gone(ctx, name, err)
	}
	if err != nil {
		return nil, pathError(name, err)
	}
	dir, only := name, ""
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return nil, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index",
				Message: name + " is neither a file nor a folder"}
		}
		real := name
		if link, err := os.Lstat(name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
			// A link that was named is followed; the file is found where it lies.
			if real, err = filepath.EvalSymlinks(name); err != nil {
				return nil, pathError(name, err)
			}
		}
		dir, only = filepath.Dir(real), filepath.Base(real)
	}
	base, err := FileURL(dir)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tell func(Event)) error {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return pathError(name, err)
		}
		defer root.Close()
		f := &folder{library: l, root: root, name: dir, base: strings.TrimSuffix(base, "/") + "/", tell: tell,
			found: map[string]bool{}}
		if only != "" {
			return f.file(ctx, only)
		}
		return f.walk(ctx)
	}, nil
}

// gone is the work for a path that is not there any more: forgetting what was
// known of it. One that was never known is an error.
func (l *Library) gone(ctx context.Context, name string,
	missing error) (func(context.Context, func(Event)) error, error) {
	address, err := FileURL(name)
	if err != nil {
		return nil, err
	}
	known, err := l.o.Store.ListDocuments(ctx, strings.TrimSuffix(address, "/")+"/")
	if err != nil {
		return nil, err
	}
	if stamp, err := l.o.Store.Stamp(ctx, address); err != nil {
		return nil, err
	} else if stamp != "" {
		known = append(known, address)
	}
	if len(known) == 0 {
		return nil, pathError(name, missing)
	}
	return func(ctx context.Context, tell func(Event)) error { return l.forget(ctx, known, tell) }, nil
}

func (l *Library) forget(ctx context.Context, addresses []string, tell func(Event)) error {
	for _, address := range addresses {
		if err := l.remove(ctx, address); err != nil {
			return err
		}
		tell(Event{address, Removed, nil})
	}
	return nil
}

// A folder is one tree of files being indexed.
type folder struct {
	library *Library
	root    *os.Root
	name    string // as the user gave it
	base    string // file URL of the folder, with a slash at its end

	mu    sync.Mutex
	tell  func(Event)
	found map[string]bool // URLs of the files that are there
	shut  []string        // URLs of folders that could not be looked into
}

func (f *folder) report(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell(e)
}

func (f *folder) url(name string) string {
	return f.base + (&url.URL{Path: name}).EscapedPath()
}

// walk indexes every file of the tree, then forgets those that are gone.
func (f *folder) walk(ctx context.Context) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	files := 0
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		hidden := name != "." && strings.HasPrefix(path.Base(name), ".")
		switch {
		case within.Err() != nil:
			return within.Err()
		case err != nil && name == ".":
			return pathError(f.name, err)
		case hidden && entry != nil && entry.IsDir():
			return fs.SkipDir
		case hidden:
			return nil
		case err != nil:
			f.shut = append(f.shut, f.url(name)+"/")
			f.report(Event{f.url(name) + "/", Failed, pathError("the folder", err)})
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		if files++; files > maxFiles {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index",
				Message: fmt.Sprintf("%s holds more than %d files", f.name, maxFiles),
				Hint:    "index its folders one by one"}
		}
		group.Go(func() error { return f.file(within, name) })
		return nil
	})
	if waited := group.Wait(); waited != nil {
		err = waited // the walk's own error is then only that of the ended context
	}
	if err != nil {
		return err
	}
	known, err := f.library.o.Store.ListDocuments(ctx, f.base)
	if err != nil {
		return err
	}
	return f.library.forget(ctx, slices.DeleteFunc(known, f.isThere), f.report)
}

// isThere says whether a document's file was found, or may be in a folder that
// could not be looked into.
func (f *folder) isThere(address string) bool {
	return f.found[address] || slices.ContainsFunc(f.shut, func(dir string) bool {
		return strings.HasPrefix(address, dir)
	})
}

// file indexes one regular file unless it is unchanged. Its error ends everything;
// what is wrong with the file alone is reported.
func (f *folder) file(ctx context.Context, name string) error {
	address := f.url(name)
	info, err := f.root.Stat(name)
	if err == nil && info.IsDir() {
		return nil // a link to another folder of the tree, which is walked itself
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a link to nothing, or gone since the folder was listed
	}
	f.mu.Lock()
	f.found[address] = true
	f.mu.Unlock()
	switch {
	case errors.Is(err, fs.ErrPermission):
		f.report(Event{address, Failed, pathError("the file", err)})
		return nil
	case err != nil:
		return f.library.skip(ctx, address, refuse(citewell.CodePermissionDenied, "the link leads out of the folder",
			err), f.report)
	case !info.Mode().IsRegular():
		return f.library.skip(ctx, address, refuse(citewell.CodeUnsupportedType, "it is no regular file", nil),
			f.report)
	case info.Size() > maxFileBytes:
		return f.library.skip(ctx, address, refuse(citewell.CodeResponseTooLarge,
			fmt.Sprintf("it is larger than %d MiB", maxFileBytes>>20), nil), f.report)
	}
	stamp := f.library.stamp(fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano()))
	if old, err := f.library.o.Store.Stamp(ctx, address); err != nil {
		return err
	} else if old == stamp {
		f.report(Event{address, Unchanged, nil})
		return nil
	}
	body, err := readRegular(f.root, name)
	inner, compressed := withoutGzip(name)
	if err == nil && compressed {
		body, err = unzipped(body)
	}
	if err != nil && withoutText(err) {
		return f.library.skip(ctx, address, err, f.report)
	}
	if err != nil {
		f.report(Event{address, Failed, pathError("the file", err)})
		return nil
	}
	return f.library.add(ctx, citewell.Page{
		URL: address, FinalURL: address, ContentType: extract.MediaType(inner), LastModified: info.ModTime().UTC(),
		FetchedAt: time.Now().UTC(), Body: body, SHA256: citewell.SHA256(body), Outcome: citewell.FetchOK,
	}, stamp, f.report)
}

func refuse(code citewell.Code, message string, err error) error {
	return &citewell.Error{Code: code, Op: "index", Message: message, Err: err}
}

// sniffed is how many first bytes show what a file is.
const sniffed = 512

// readRegular reads a file that is regular at the moment of opening, without ever
// waiting for a pipe's other end. Of pictures, sound and the like it reads only
// the first bytes: folders of them are large.
func readRegular(root *os.Root, name string) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, refuse(citewell.CodeUnsupportedType, "it is no regular file", nil)
	}
	return wholeText(file)
}

// wholeText reads a file that may hold a text; of what shows that it holds none, the first
// bytes alone.
func wholeText(file io.Reader) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(file, sniffed))
	if err != nil {
		return nil, err
	}
	kind := http.DetectContentType(head)
	for _, medium := range []string{"image/", "audio/", "video/", "font/"} {
		if strings.HasPrefix(kind, medium) {
			return nil, refuse(citewell.CodeUnsupportedType, "it is "+kind+
				", which holds no text that can be cited", nil)
		}
	}
	return io.ReadAll(io.MultiReader(bytes.NewReader(head), io.LimitReader(file, maxFileBytes-int64(len(head)))))
}
