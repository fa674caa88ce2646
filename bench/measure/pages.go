package measure

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/dataset"
)

// A page is one saved page with what people found to be its content.
type page struct {
	id, url, kind string
	body          []byte
	marked        string   // the text that was marked
	with, without []string // snippets that the text should and should not have
}

// half says on which side of a set a page is: the trees that judge one half unseen
// were grown from the other. The last digit of the id decides.
func (p page) half() int {
	if strings.ContainsRune("02468ace", rune(p.id[len(p.id)-1])) {
		return 0
	}
	return 1
}

const (
	articleFiles  = "ground-truth.json and html/ID.html.gz (articles)"
	webtypesFiles = "ground-truth.tar.xz or ground-truth/ID.json, and html/ID.html.gz (kinds of page)"
)

// readPages recognises the set by its files.
func readPages(ctx context.Context, dir string) (pages []page, articles bool, err error) {
	const expected = articleFiles + ", or " + webtypesFiles
	if err := dataset.Require(dir, expected, "html"); err != nil {
		return nil, false, err
	}
	switch {
	case dataset.Exists(filepath.Join(dir, "ground-truth.json")):
		articles = true
		pages, err = readArticles(dir)
	case dataset.Exists(filepath.Join(dir, "ground-truth")), dataset.Exists(filepath.Join(dir, "ground-truth.tar.xz")):
		pages, err = readWebtypes(ctx, dir)
	default:
		return nil, false, dataset.Lacks(dir, "ground truth", expected)
	}
	if err == nil && len(pages) == 0 {
		err = dataset.Lacks(dir, "marked page", expected)
	}
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(pages, func(a, b page) int { return strings.Compare(a.id, b.id) })
	for i, p := range pages {
		if pages[i].body, err = dataset.Read(filepath.Join(dir, "html", p.id+".html")); errors.Is(err, os.ErrNotExist) {
			return nil, false, dataset.Lacks(dir, "html/"+p.id+".html.gz", expected)
		} else if err != nil {
			return nil, false, err
		}
	}
	return pages, articles, nil
}

func readArticles(dir string) ([]page, error) {
	name := filepath.Join(dir, "ground-truth.json")
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, dataset.Malformed(name, err)
	}
	var truth map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(raw, &truth); err != nil {
		return nil, dataset.Malformed(name, err)
	}
	var pages []page
	for id, article := range truth {
		if !plainName(id) {
			return nil, dataset.Malformed(name, fmt.Errorf("%q is no name of a page", id))
		}
		pages = append(pages, page{id: id, url: article.URL, kind: "article", marked: article.ArticleBody})
	}
	return pages, nil
}

// plainName keeps an id from leading out of the folder.
func plainName(id string) bool { return id != "" && filepath.Base(id) == id && id != "." && id != ".." }

// readWebtypes reads the unpacked folder, or else the archive by the program xz.
func readWebtypes(ctx context.Context, dir string) ([]page, error) {
	var pages []page
	if folder := filepath.Join(dir, "ground-truth"); dataset.Exists(folder) {
		files, err := filepath.Glob(filepath.Join(folder, "*.json"))
		if err != nil {
			return nil, dataset.Malformed(folder, err)
		}
		for _, name := range files {
			raw, err := os.ReadFile(name)
			if err != nil {
				return nil, dataset.Malformed(name, err)
			}
			p, err := webtype(filepath.Base(name), raw)
			if err != nil {
				return nil, dataset.Malformed(name, err)
			}
			pages = append(pages, p)
		}
		return pages, nil
	}
	name := filepath.Join(dir, "ground-truth.tar.xz")
	unpacked, err := exec.CommandContext(ctx, "xz", "-dc", "--", name).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Op: "bench",
			Message: "the program xz, which unpacks " + name + ", is not installed",
			Hint:    "install xz-utils, or unpack the archive there", Err: err}
	}
	if err != nil {
		return nil, dataset.Malformed(name, err)
	}
	for archive := tar.NewReader(bytes.NewReader(unpacked)); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return pages, nil
		}
		if err != nil {
			return nil, dataset.Malformed(name, err)
		}
		if !strings.HasSuffix(header.Name, ".json") {
			continue
		}
		raw, err := io.ReadAll(io.LimitReader(archive, dataset.MaxFile))
		if err != nil {
			return nil, dataset.Malformed(name, err)
		}
		p, err := webtype(path.Base(header.Name), raw)
		if err != nil {
			return nil, dataset.Malformed(name+": "+header.Name, err)
		}
		pages = append(pages, p)
	}
}

// webtype reads what was marked in one page of the set of seven kinds.
func webtype(file string, raw []byte) (page, error) {
	var truth struct {
		URL         string `json:"url"`
		GroundTruth struct {
			MainContent string   `json:"main_content"`
			With        []string `json:"with"`
			Without     []string `json:"without"`
		} `json:"ground_truth"`
		Internal struct {
			PageType struct{ Primary string } `json:"page_type"`
		} `json:"_internal"`
	}
	if err := json.Unmarshal(raw, &truth); err != nil {
		return page{}, err
	}
	if truth.Internal.PageType.Primary == "" {
		return page{}, errors.New("it does not say the page's kind in _internal.page_type.primary")
	}
	return page{id: strings.TrimSuffix(file, ".json"), url: truth.URL, kind: truth.Internal.PageType.Primary,
		marked: truth.GroundTruth.MainContent, with: truth.GroundTruth.With, without: truth.GroundTruth.Without}, nil
}

// fingerprint names a set of pages by their ids: published figures hold for one set
// of pages only.
func fingerprint(pages []page) string {
	ids := make([]string, len(pages))
	for i, p := range pages {
		ids[i] = p.id
	}
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:8])
}
