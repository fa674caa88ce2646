package pace

import (
	"context"
	"sync"
	"time"
)

// Hold is how long a silent call is believed to be under way. Waiting for a turn takes five seconds or more, and so
// outlasts it.
const Hold = 3 * time.Second

// A Keeper renews the turns that this process has taken at one service: a killed process's turn lasts no longer than
// Hold.
type Keeper struct {
	Turns   Turns
	Service string
	Hold    time.Duration                // of each turn, as it was taken; a renewal comes after each fifth of it
	Failed  func(context.Context, error) // hears why the other processes could not be told

	mu   sync.Mutex
	held map[string]bool // IDs of turns
	stop func()          // ends the renewal of those that are held
}

// Begin renews a turn from now on. end gives it back, also after ctx; no other call begins for the time rest.
func (k *Keeper) Begin(ctx context.Context, id string) (end func(rest time.Duration)) {
	ctx = context.WithoutCancel(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.held) == 0 {
		k.held, k.stop = map[string]bool{}, k.renew(ctx)
	}
	k.held[id] = true
	return func(rest time.Duration) {
		k.drop(id)
		if err := k.Turns.EndTurn(ctx, k.Service, id, time.Now(), rest); err != nil {
			k.Failed(ctx, err)
		}
	}
}

// renew renews all turns that are held, in one write each time, until stop is called.
func (k *Keeper) renew(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		again := time.NewTicker(k.Hold / 5)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			k.mu.Lock()
			ids := make([]string, 0, len(k.held))
			for id := range k.held {
				ids = append(ids, id)
			}
			k.mu.Unlock()
			if err := k.Turns.KeepTurns(ctx, k.Service, ids, time.Now(), k.Hold); err != nil && ctx.Err() == nil {
				k.Failed(ctx, err)
			}
		}
	})
	return func() {
		cancel()
		renewing.Wait()
	}
}

// drop renews a turn no longer.
func (k *Keeper) drop(id string) {
	k.mu.Lock()
	delete(k.held, id)
	stop := k.stop
	if len(k.held) > 0 {
		stop = func() {}
	}
	k.mu.Unlock()
	stop()
}
