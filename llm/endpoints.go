package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/pace"
)

// knownTTL is how long it is remembered what a model can do: a server may be restarted with another model or window.
const knownTTL = 24 * time.Hour

// EndpointsOptions say how endpoints are remembered and spared.
type EndpointsOptions struct {
	Cache    Cache // keeps what is known for a day; nil keeps it in memory alone
	Parallel int   // requests to one endpoint at once; DefaultParallel when 0
	// Pace has Parallel bound all processes together that share it; nil bounds this one alone.
	Pace pace.Turns
	// Alone hears once why other processes could not be told of a call: this one keeps to the bound by itself then.
	Alone func(context.Context, error)
	// Heard hears of each chat when it is over, with the context that it was asked in. Several goroutines call it.
	Heard func(context.Context, Exchange)
	// Allow is called before each chat, by several goroutines: its error ends the chat, of which nothing is heard.
	Allow func(context.Context) error
}

// Endpoints hold what the Clients of a process found out about each endpoint and model: what it can do, what it
// refuses, how it counts. They are safe for many goroutines.
type Endpoints struct {
	o     EndpointsOptions
	mu    sync.Mutex
	slots map[string]*places
	alone sync.Once
	known map[string]*known
}

// NewEndpoints returns Endpoints that know nothing yet.
func NewEndpoints(o EndpointsOptions) *Endpoints {
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	return &Endpoints{o: o, slots: map[string]*places{}, known: map[string]*known{}}
}

// knownOf returns what is known of a model and the places at its endpoint.
func (e *Endpoints) knownOf(base, model string) (*known, *places) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := base + "\x00" + model
	if e.known[key] == nil {
		e.known[key] = &known{key: "model:" + citewell.SHA256([]byte(key)), cache: e.o.Cache,
			trial: make(chan struct{}, 1), find: make(chan struct{}, 1)}
	}
	if e.slots[base] == nil {
		e.slots[base] = newPlaces(base, &e.o, &e.alone)
	}
	return e.known[key], e.slots[base]
}

// traits are what was found out about a model at an endpoint.
type traits struct {
	At         time.Time // of the first of it
	Format     format    // the strongest way of asking for JSON that was not refused
	Proven     bool      // Format was tried by itself, with a small question
	Answers    bool      // the small question was answered in JSON
	Sum        int       // what it answered
	Tools      Ability
	Streaming  Ability
	Embeddings Ability
	Refused    []string // fields that are left out
	Window     Window
	Ratio      float64 // tokens that the endpoint counts for one that is counted here; 0 is not known
}

// known are the traits of one model with their place in the cache.
type known struct {
	key    string
	cache  Cache
	mu     sync.Mutex
	loaded bool
	traits traits
	trial  chan struct{} // holds who tries the model out
	find   chan struct{} // holds who looks for its window
}

// traitsNow returns what is known. What is older than knownTTL is forgotten.
func (k *known) traitsNow(ctx context.Context) traits {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.load(ctx)
	t := k.traits
	t.Refused = slices.Clone(t.Refused)
	return t
}

func (k *known) load(ctx context.Context) {
	if !k.loaded && k.cache != nil {
		// A cache that fails has nothing.
		if value, _, ok, err := k.cache.CacheGet(ctx, k.key); err == nil && ok {
			var t traits
			if json.Unmarshal(value, &t) == nil && t.Format <= formatPrompt {
				k.traits = t
			}
		}
	}
	k.loaded = true
	if !k.traits.At.IsZero() && time.Since(k.traits.At) > knownTTL {
		k.traits = traits{Ratio: k.traits.Ratio}
	}
}

// learn changes what is known and keeps it.
func (k *known) learn(ctx context.Context, change func(*traits)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.load(ctx)
	change(&k.traits)
	if k.traits.At.IsZero() {
		k.traits.At = time.Now()
	}
	if k.cache == nil {
		return
	}
	value, err := json.Marshal(k.traits)
	if err == nil {
		_ = k.cache.CachePut(ctx, k.key, value, knownTTL) // it is disposable: the next process finds out again
	}
}

// alone waits until nobody else is in place; the caller leaves it by done. False says that ctx ended first.
func alone(ctx context.Context, place chan struct{}) (done func(), ok bool) {
	select {
	case place <- struct{}{}:
		return func() { <-place }, true
	case <-ctx.Done():
		return nil, false
	}
}

// learnRatio notes how the endpoint counted what was counted here, in memory alone. Each answer weighs a quarter, so
// that a single odd one does little.
func (k *known) learnRatio(ratio float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.traits.Ratio = cmp.Or(k.traits.Ratio, ratio)
	k.traits.Ratio += (ratio - k.traits.Ratio) / 4
}
