package search

import (
	"strings"

	"github.com/citewell/citewell"
)

// Caveats says in plain words what a reader must know of a source before leaning on it, by the
// class of its host and by what a provider knows of the work. read is whether its own text was
// read, and not a snippet alone. Nothing is said of most sources.
func Caveats(class string, work *citewell.Work, read bool) string {
	var said []string
	switch class {
	case ClassEncyclopedia:
		said = append(said, "an encyclopedia: a tertiary source")
	case ClassForum, ClassCommunityWiki, ClassSocialMedia:
		said = append(said, "written by users")
	}
	if work == nil {
		return strings.Join(said, "; ")
	}
	switch work.Retracted {
	case citewell.WorkRetracted:
		said = append(said, "RETRACTED")
	case citewell.WorkDoubted:
		said = append(said, "an expression of concern was published about it")
	case citewell.WorkCorrected:
		said = append(said, "corrected after it was published")
	}
	if work.Kind == citewell.WorkPreprint {
		said = append(said, "a preprint: not peer reviewed")
	}
	if work.Abstract && !read {
		said = append(said, "the abstract alone was read")
	}
	return strings.Join(said, "; ")
}
