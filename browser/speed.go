package browser

import "time"

// Speed is what the reader of a page waited for and saw move.
type Speed struct {
	FirstPaint  time.Duration   // since the page was asked for
	LayoutShift float64         // of all shifts that no click or key led to, in shares of the window
	Moved       []string        // what was shifted, from where and to where
	LongTasks   []time.Duration // that kept the page from answering, of more than 50 ms each
}

// readSpeed waits for two frames, so that what script has just changed is laid out, and
// reads what the browser has kept since the page began.
const readSpeed = `new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => {
	const kept = type => {
		const observer = new PerformanceObserver(() => {});
		observer.observe({type, buffered: true});
		return observer.takeRecords();
	};
	return {
		paint: performance.getEntriesByName("first-paint")[0].startTime,
		shift: kept("layout-shift").filter(s => !s.hadRecentInput).reduce((sum, s) => sum + s.value, 0),
		moved: kept("layout-shift").filter(s => !s.hadRecentInput).flatMap(s => s.sources.map(({node, previousRect: a, currentRect: b}) =>
			[node ? node.nodeName + " " + node.textContent.trim().slice(0, 40) : "?", a.x, a.y, a.width, a.height, "to", b.x, b.y, b.width, b.height].join(" "))),
		tasks: kept("longtask").map(task => task.duration),
	};
})`

// Speed reads the speed of the page up to now, once it is painted. It needs a tab with script.
func (tab *Tab) Speed() Speed {
	tab.t.Helper()
	tab.WaitFor(`performance.getEntriesByName("first-paint").length > 0`)
	kept := Eval[struct {
		Paint, Shift float64 // milliseconds, shares
		Moved        []string
		Tasks        []float64
	}](tab, readSpeed)
	speed := Speed{FirstPaint: milliseconds(kept.Paint), LayoutShift: kept.Shift, Moved: kept.Moved}
	for _, task := range kept.Tasks {
		speed.LongTasks = append(speed.LongTasks, milliseconds(task))
	}
	return speed
}

func milliseconds(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
