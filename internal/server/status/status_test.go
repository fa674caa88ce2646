package status

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/quota"
	"github.com/citewell/citewell/internal/server/runs"
	"github.com/citewell/citewell/internal/testing/apidoc"
	"github.com/citewell/citewell/internal/upkeep"
)

func TestDocumentIsAsThis(t *testing.T) {
	apidoc.Read(t, runs.Document()).Fields(t, map[string]reflect.Type{
		"Status": reflect.TypeFor[Overview](), "StatusAgent": reflect.TypeFor[Agent](),
		"StatusDetails": reflect.TypeFor[Details](),
		"StatusQuota":   reflect.TypeFor[quota.Bound](), "StatusModel": reflect.TypeFor[Model](),
		"StatusProvider": reflect.TypeFor[Provider](), "StatusCall": reflect.TypeFor[Call](),
		"StatusFinding": reflect.TypeFor[Finding](),
		"StoreUsage":    reflect.TypeFor[upkeep.Usage](), "UsagePart": reflect.TypeFor[upkeep.UsagePart](),
		"UsageIndex": reflect.TypeFor[upkeep.UsageIndex]()})
}

// A clinic is an API whose one part can be made to fail.
type clinic struct {
	*API
	tried  atomic.Int64
	broken atomic.Bool
	slow   atomic.Int64 // how long a try takes
}

func newClinic() *clinic {
	c := &clinic{}
	try := func(ctx context.Context) (doctor.Answer, error) {
		c.tried.Add(1)
		select {
		case <-time.After(time.Duration(c.slow.Load())):
		case <-ctx.Done():
			return doctor.Answer{}, ctx.Err()
		}
		if c.broken.Load() {
			return doctor.Answer{}, &citewell.Error{Code: citewell.CodeAuth, Message: "the key sesame was refused",
				Hint: "is sesame right?"}
		}
		return doctor.Answer{Detail: "it answers to sesame"}, nil
	}
	probes := func(context.Context) ([]doctor.Probe, error) {
		return []doctor.Probe{{Part: "provider", Name: "one", Try: try},
			{Part: "model", Name: "llm", Off: "none is set"}}, nil
	}
	examiner := NewExaminer(probes, func(context.Context) (upkeep.Usage, error) {
		return upkeep.Usage{Bytes: 7}, nil
	}, func(s string) string { return strings.ReplaceAll(s, "sesame", "[redacted]") })
	c.API = New(Options{Examiner: examiner, Room: func(context.Context) (Room, error) {
		return Room{Version: "1", Documents: 3}, nil
	},
		Parts: func(context.Context) (Parts, error) { return Parts{Models: []Model{{"chat", "m"}}}, nil }})
	return c
}

// ask is the answer for a caller.
func (c *clinic) ask(ctx context.Context, t *testing.T, method string, who access.Caller) (int, Overview) {
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(method, "/v1/status", nil).WithContext(access.WithCaller(ctx, who)))
	var o Overview
	if err := json.Unmarshal(w.Body.Bytes(), &o); err != nil {
		t.Errorf("%s: %v", w.Body, err)
	}
	if strings.Contains(w.Body.String(), "sesame") {
		t.Errorf("a secret is told: %s", w.Body)
	}
	return w.Code, o
}

var machine = access.Caller{Tenant: access.DefaultTenant}

// Reading tries nothing; what an examination found stays until the next, with since when it
// is so.
func TestExaminations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClinic()
		code, before := c.ask(t.Context(), t, "GET", machine)
		if code != 200 || c.tried.Load() != 0 || before.Details == nil || !before.Details.ExaminedAt.IsZero() ||
			before.Details.Findings[0].State != Untried || before.Details.Findings[1].State != doctor.Off ||
			before.Details.Store != nil {
			t.Fatalf("before the first: %d, %+v", code, before.Details)
		}
		c.slow.Store(int64(time.Second))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				code, o := c.ask(t.Context(), t, "POST", machine)
				if code != 200 || o.Details.Findings[0].State != doctor.OK ||
					o.Details.Findings[0].Detail != "it answers to [redacted]" || o.Details.Store == nil ||
					o.Details.Store.Bytes != 7 {
					t.Errorf("%d, %+v", code, o.Details)
				}
			})
		}
		all.Wait()
		if n := c.tried.Load(); n != 1 {
			t.Errorf("three at once tried it %d times", n)
		}
		_, first := c.ask(t.Context(), t, "GET", machine)
		time.Sleep(time.Minute)
		_, second := c.ask(t.Context(), t, "POST", machine)
		if f := second.Details.Findings[0]; c.tried.Load() != 2 || !f.At.After(first.Details.Findings[0].At) ||
			!f.Since.Equal(first.Details.Findings[0].Since) {
			t.Errorf("the second: tried %d times, %+v after %+v", c.tried.Load(), f, first.Details.Findings[0])
		}
		c.broken.Store(true)
		time.Sleep(time.Minute)
		_, third := c.ask(t.Context(), t, "POST", machine)
		if f := third.Details.Findings[0]; f.State != doctor.Failed || f.Code != citewell.CodeAuth ||
			f.Hint != "is [redacted] right?" || !f.Since.Equal(f.At) {
			t.Errorf("when it fails: %+v", f)
		}
		gone, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		c.broken.Store(false)
		time.Sleep(time.Minute)
		if err := c.Examiner().Examine(gone); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody waits: %v", err)
		}
		if _, last := c.ask(t.Context(), t, "GET", machine); !last.Details.ExaminedAt.Equal(third.Details.ExaminedAt) {
			t.Errorf("what nobody waited for was kept: %+v", last.Details)
		}
	})
}

// Details are the operator's; others are told what their tenant has.
func TestDetailsAreTheOperators(t *testing.T) {
	c := newClinic()
	for who, told := range map[access.Caller]bool{machine: true,
		{Name: "boss", Tenant: access.DefaultTenant, Admin: true}: true,
		{Name: "dan", Tenant: access.DefaultTenant}:               false,
		{Name: "boss", Tenant: "acme", Admin: true}:               false, {Name: "ann", Tenant: "acme"}: false} {
		if code, o := c.ask(t.Context(), t, "GET", who); code != 200 || o.Documents != 3 || (o.Details != nil) != told {
			t.Errorf("%+v: %d %+v", who, code, o)
		}
		if code, _ := c.ask(t.Context(), t, "POST", who); (code == http.StatusOK) != told || !told &&
			code != http.StatusForbidden {
			t.Errorf("%+v has parts tried: %d", who, code)
		}
	}
}
