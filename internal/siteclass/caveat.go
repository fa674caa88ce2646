package siteclass

import (
	"strings"

	"github.com/citewell/citewell"
)

// Caveats says in plain words what a reader must know of a source before leaning on it, by the class of its host, what
// a provider knows of the work, and what of it was read; nothing of most.
func Caveats(class string, work *citewell.Work, basis citewell.Basis) string {
	var said []string
	switch class {
	case ClassEncyclopedia:
		said = append(said, "an encyclopedia: a tertiary source")
	case ClassForum, ClassCommunityWiki, ClassSocialMedia:
		said = append(said, "written by users")
	}
	if basis == citewell.BasisCaptions {
		said = append(said, "what is said in a recording, as its captions have it")
	}
	if work == nil {
		return strings.Join(said, "; ")
	}
	if caveat := work.Retracted.Caveat(); caveat != "" {
		said = append(said, caveat)
	} else if work.Retracted == citewell.WorkCorrected {
		said = append(said, "corrected after it was published")
	}
	if work.Unchecked != "" {
		said = append(said, "whether it still stands was not checked: "+work.Unchecked)
	}
	if work.Kind == citewell.WorkPreprint {
		said = append(said, "a preprint: not peer reviewed")
	}
	switch basis {
	case citewell.BasisAbstract:
		said = append(said, "the abstract alone was read, not the work itself")
	case citewell.BasisRecord:
		said = append(said, "the work itself was not read, only what a register says of it")
	}
	return strings.Join(said, "; ")
}
