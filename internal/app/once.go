package app

import "sync"

// A once makes the thing of each key when it is first wanted, and keeps it. What could not be made is tried again.
type once[T any] struct {
	mu   sync.Mutex
	made map[string]T
}

func (o *once[T]) get(key string, build func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if thing, made := o.made[key]; made {
		return thing, nil
	}
	thing, err := build()
	if err != nil {
		return thing, err
	}
	if o.made == nil {
		o.made = map[string]T{}
	}
	o.made[key] = thing
	return thing, nil
}

// each calls do for all that was made.
func (o *once[T]) each(do func(T)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, thing := range o.made {
		do(thing)
	}
}
