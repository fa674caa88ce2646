package fulltext

import (
	"hash/crc32"
	"sync"
)

const (
	// cachedFrom documents make a segment worth keeping as it was read, for each search of its part reads their places.
	cachedFrom = 1 << 12
	// cachedTexts are the most that are kept of all segments together: 32 MB.
	cachedTexts = 2 << 20
)

// A TextCache holds the documents of the large segments that were searched of late, read once for all searches. The
// zero value is empty. It is safe for many goroutines, none of which may change what it gives.
type TextCache struct {
	mu       sync.Mutex
	segments map[cachedSegment]*cachedPage
	texts    int   // of all segments
	clock    int64 // counts what was asked for
}

// A cachedSegment names a segment by its bytes too: its number is given again after its end, or by a lagging standby.
type cachedSegment struct {
	id     int64
	sum    uint32
	length int
}

type cachedPage struct {
	texts []Text
	used  int64 // when it was last asked for, by TextCache.clock
}

// SegmentTexts implements Reader.
func (c *TextCache) SegmentTexts(segment int64, page Page) ([]Text, error) {
	key := cachedSegment{segment, crc32.Checksum(page.Sealed[:max(0, len(page.Sealed)-crc32.Size)], castagnoli),
		len(page.Sealed)}
	if texts := c.textsOf(key); texts != nil {
		return texts, nil
	}
	texts, err := unsealTexts(opSearch, page)
	if err == nil && len(texts) >= cachedFrom {
		c.keepTexts(key, texts)
	}
	return texts, err
}

func (c *TextCache) textsOf(key cachedSegment) []Text {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.segments[key]
	if kept == nil {
		return nil
	}
	c.clock++
	kept.used = c.clock
	return kept.texts
}

// keepTexts keeps the documents of a segment; what was not asked for longest leaves.
func (c *TextCache) keepTexts(key cachedSegment, texts []Text) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.segments == nil {
		c.segments = map[cachedSegment]*cachedPage{}
	}
	if c.segments[key] == nil { // another search may have read it as well
		c.texts += len(texts)
	}
	c.clock++
	c.segments[key] = &cachedPage{texts, c.clock}
	for c.texts > cachedTexts {
		var oldest cachedSegment
		used := c.clock + 1
		for candidate, kept := range c.segments {
			if kept.used < used {
				oldest, used = candidate, kept.used
			}
		}
		c.texts -= len(c.segments[oldest].texts)
		delete(c.segments, oldest)
	}
}
