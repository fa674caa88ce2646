package watch

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"time"
)

// What a feed is, and how many of the last rounds it has.
const (
	FeedType   = "application/atom+xml"
	FeedRounds = 20
)

// The parts of an Atom feed (RFC 4287) that Feed writes.
type (
	atomFeed struct {
		XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string      `xml:"id"`
		Title   string      `xml:"title"`
		Updated string      `xml:"updated"`
		Author  string      `xml:"author>name"`
		Links   []atomLink  `xml:"link"`
		Entries []atomEntry `xml:"entry"`
	}
	atomEntry struct {
		ID      string     `xml:"id"`
		Title   string     `xml:"title"`
		Updated string     `xml:"updated"`
		Links   []atomLink `xml:"link"`
		Content struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"content"`
	}
	atomLink struct {
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
		HRef string `xml:"href,attr"`
	}
)

// Links are the addresses that a feed leads to; the zero value has none, as a file does.
type Links struct {
	Self  string // of the feed
	Page  string // of the watch
	RunAt string // of a run, without its id at the end
}

func page(address string) atomLink { return atomLink{"alternate", "text/html", address} }

// Feed writes the rounds of a watch that are over as an Atom feed, the newest first. A round
// that found nothing new has no entry; one that came to nothing says why.
func Feed(w Watch, all []News, at Links) ([]byte, error) {
	feed := atomFeed{ID: "urn:citewell:watch:" + w.ID, Title: "What is new: " + w.Question, Author: "citewell",
		Updated: w.CreatedAt.UTC().Format(time.RFC3339)}
	if at != (Links{}) {
		feed.Links = []atomLink{{"self", FeedType, at.Self}, page(at.Page)}
	}
	for i, n := range all {
		if !n.Ended() {
			continue
		}
		ended := n.At.UTC().Format(time.RFC3339)
		if len(feed.Entries) == 0 && (i == 0 || !all[i-1].Ended()) {
			feed.Updated = ended
		}
		if n.Quiet() {
			continue
		}
		entry := atomEntry{ID: fmt.Sprintf("%s:%d", feed.ID, n.Round), Title: n.Title(), Updated: ended}
		if at != (Links{}) {
			entry.Links = []atomLink{page(at.RunAt + n.Run)}
		}
		entry.Content.Type, entry.Content.Text = "text", n.Text()
		feed.Entries = append(feed.Entries, entry)
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	encoder := xml.NewEncoder(&out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(feed); err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
