package library

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"golang.org/x/sync/errgroup"
)

// path indexes a file, or every file below a folder.
func (l *Library) path(ctx context.Context, name string, tell func(Event)) error {
	if strings.TrimSpace(name) == "" {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index", Message: "path is empty"}
	}
	info, err := os.Stat(name)
	if err != nil {
		return pathError(name, err)
	}
	dir, only := name, "."
	if !info.IsDir() {
		dir, only = filepath.Dir(name), filepath.Base(name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return pathError(name, err)
	}
	defer root.Close()
	base, err := FileURL(dir)
	if err != nil {
		return err
	}
	f := &folder{library: l, root: root, base: strings.TrimSuffix(base, "/") + "/", tell: tell, found: map[string]bool{}}
	if only != "." {
		if !info.Mode().IsRegular() {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index", Message: name + " is neither a file nor a folder"}
		}
		f.file(ctx, only)
		return ctx.Err()
	}
	return f.walk(ctx)
}

// A folder is one tree of files being indexed.
type folder struct {
	library *Library
	root    *os.Root
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

func (f *folder) walk(ctx context.Context) error {
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	files := 0
	err := fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case within.Err() != nil:
			return within.Err()
		case err != nil && name == ".":
			return pathError(f.root.Name(), err)
		case err != nil:
			f.report(Event{f.url(name), Failed, string(citewell.CodePermissionDenied)})
			f.shut = append(f.shut, f.url(name)+"/")
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case name != "." && strings.HasPrefix(path.Base(name), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		if files++; files > maxFiles {
			return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "index",
				Message: fmt.Sprintf("%s holds more than %d files", f.root.Name(), maxFiles), Hint: "index its folders one by one"}
		}
		group.Go(func() error {
			f.file(within, name)
			return within.Err()
		})
		return nil
	})
	if waited := group.Wait(); err == nil {
		err = waited
	}
	if err != nil {
		return err
	}
	return f.forget(ctx)
}

// file indexes one regular file unless it is unchanged.
func (f *folder) file(ctx context.Context, name string) {
	address := f.url(name)
	info, err := f.root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		f.report(Event{address, Skipped, "not a regular file"})
		return
	}
	f.mu.Lock()
	f.found[address] = true
	f.mu.Unlock()
	if info.Size() > maxFileBytes {
		f.report(Event{address, Skipped, "larger than 16 MiB"})
		return
	}
	stamp := fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
	if old, err := f.library.o.Store.Stamp(ctx, address); err == nil && old == stamp {
		f.report(Event{address, Unchanged, ""})
		return
	}
	body, err := readRegular(f.root, name)
	if err != nil {
		f.report(Event{address, Failed, string(citewell.CodePermissionDenied)})
		return
	}
	f.report(f.library.add(ctx, citewell.Page{
		URL: address, FinalURL: address, ContentType: mediaType(name), LastModified: info.ModTime().UTC(),
		FetchedAt: time.Now().UTC(), Body: body, SHA256: citewell.SHA256(body), Outcome: citewell.FetchOK,
	}, stamp))
}

// readRegular reads a file that is regular at the moment of opening, without ever
// waiting for a pipe's other end.
func readRegular(root *os.Root, name string) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(file, maxFileBytes))
}

// forget removes from the index what is no more in the folder.
func (f *folder) forget(ctx context.Context) error {
	known, err := f.library.o.Store.ListDocuments(ctx, f.base)
	if err != nil {
		return err
	}
	for _, address := range known {
		within := func(dir string) bool { return strings.HasPrefix(address, dir) }
		if f.found[address] || slices.ContainsFunc(f.shut, within) {
			continue
		}
		if _, err := f.library.o.Store.RemoveDocument(ctx, address); err != nil {
			return err
		}
		f.report(Event{address, Removed, ""})
	}
	return nil
}

// mediaType is what a file's name says of its content; the extractor looks at the
// bytes as well.
func mediaType(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".md", ".markdown":
		return "text/markdown"
	case ".html", ".htm", ".xhtml":
		return "text/html"
	case ".txt", ".text", ".rst", ".adoc", ".org", ".log", "":
		return "text/plain"
	default:
		return mime.TypeByExtension(ext)
	}
}
