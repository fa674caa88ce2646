package config

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/text"
	"github.com/goccy/go-yaml"
)

// A decoder gives types to a tree. It goes on after a mistake, so that a user sees all of them at once.
type decoder struct {
	problems []string
	warnings []string
	origins  map[string]string // dotted key → where it was set
}

func (d *decoder) problem(n *node, path, format string, args ...any) {
	d.problems = append(d.problems, fmt.Sprintf("%s: %s %s", n.origin, path, fmt.Sprintf(format, args...)))
}

// section fills struct v from n's children.
func (d *decoder) section(n *node, v reflect.Value, path string) {
	if n.children == nil {
		if n.value != nil { // an empty section is written as "llm:" alone
			d.problem(n, path, "must be a section with keys below it")
		}
		return
	}
	for _, key := range n.keys() {
		child := n.children[key]
		at := join(path, key)
		f, ok := fieldOf(v.Type(), key)
		switch {
		case ok:
			d.decode(child, v.FieldByIndex(f.Index), at)
			d.oneOf(child, v.FieldByIndex(f.Index), f.Tag.Get("oneof"), at)
		case isDeadKey(path, key):
			d.warnings = append(d.warnings, fmt.Sprintf("%s: %s has no effect, here or in SGR", child.origin, at))
		case v.Type() == reflect.TypeFor[LLM]() && text.Nearest(key, keysOf(v.Type())) == "":
			d.extra(child, v.Addr().Interface().(*LLM), key, at)
		default:
			d.unknown(child, at, key, keysOf(v.Type()))
		}
	}
}

// extra passes a key on to the model's API as SGR does, where it looks like none of ours.
func (d *decoder) extra(n *node, llm *LLM, key, at string) {
	if llm.Extra == nil {
		llm.Extra = map[string]any{}
	}
	llm.Extra[key] = plainValue(n)
	d.origins[at] = n.origin
	d.warnings = append(d.warnings, fmt.Sprintf("%s: %s is no key of Citewell's; it is sent to the model's API as it "+
		"stands (llm.extra says the same without this warning)", n.origin, at))
}

func (d *decoder) unknown(n *node, at, key string, known []string) {
	if near := text.Nearest(key, known); near != "" {
		d.problem(n, at, "is not a known key; did you mean %s?", near)
		return
	}
	d.problem(n, at, "is not a known key; known here: %s", strings.Join(known, ", "))
}

func (d *decoder) oneOf(n *node, v reflect.Value, allowed, at string) {
	if v.Type() == reflect.TypeFor[Confirm]() {
		allowed = "ask allow deny"
	}
	words := strings.Fields(allowed)
	if len(words) > 0 && v.String() != "" && !slices.Contains(words, v.String()) {
		d.problem(n, at, "is %q; it must be one of %s", v.String(), strings.Join(words, ", "))
	}
}

// decode fills v from n.
func (d *decoder) decode(n *node, v reflect.Value, path string) {
	t := v.Type()
	switch {
	case isSection(t):
		d.section(n, v, path)
		return
	case t.Kind() == reflect.Map && t.Elem().Kind() != reflect.Interface:
		d.mapping(n, v, path)
		return
	case n.children != nil && t.Kind() != reflect.Interface && t.Kind() != reflect.Map:
		d.problem(n, path, "must be a single value, not a section")
		return
	}
	if n.children == nil && n.value == nil {
		return // written without a value: the default stays
	}
	d.origins[path] = n.origin
	value := plainValue(n)
	if n.text && t.Kind() != reflect.String && !isTextual(t) {
		value = fromText(value.(string), t)
	}
	if err := assign(v, value); err != nil {
		d.problem(n, path, "%s", err)
	}
}

func (d *decoder) mapping(n *node, v reflect.Value, path string) {
	if n.children == nil {
		if n.value != nil {
			d.problem(n, path, "must be a section with names below it")
		}
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, key := range n.keys() {
		element := reflect.New(v.Type().Elem()).Elem()
		if old := v.MapIndex(reflect.ValueOf(key)); old.IsValid() {
			element.Set(old)
		}
		d.decode(n.children[key], element, join(path, key))
		d.oneOf(n.children[key], element, "", join(path, key))
		v.SetMapIndex(reflect.ValueOf(key), element)
	}
}

// fromText reads what a flag or an environment variable says as YAML, a list also in the form a,b,c.
func fromText(s string, t reflect.Type) any {
	var value any
	err := yaml.Unmarshal([]byte(s), &value)
	if _, isList := value.([]any); t.Kind() == reflect.Slice && (err != nil || !isList) {
		var list []any
		for part := range strings.SplitSeq(s, ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list
	}
	if err != nil || value == nil {
		return s
	}
	return value
}

// plainValue gives a node's content without where it came from.
func plainValue(n *node) any {
	if n.children == nil {
		return n.value
	}
	mapping := make(map[string]any, len(n.children))
	for key, child := range n.children {
		mapping[key] = plainValue(child)
	}
	return mapping
}

func isTextual(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// assign gives one value to v, or says in the user's words what v wants.
func assign(v reflect.Value, value any) error {
	t := v.Type()
	switch {
	case t == reflect.TypeFor[time.Duration]():
		s, _ := value.(string)
		duration, err := time.ParseDuration(s)
		if err != nil || duration < 0 {
			return fmt.Errorf("must be a time such as 500ms, 5s or 10m, not %s", brief(value))
		}
		v.SetInt(int64(duration))
		return nil
	case t == reflect.TypeFor[Bytes]():
		size, err := parseBytes(fmt.Sprint(value))
		if err != nil {
			return err
		}
		v.SetInt(int64(size))
		return nil
	case isTextual(t):
		if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(fmt.Sprint(value))); err != nil {
			if ours, ok := errors.AsType[*citewell.Error](err); ok {
				return fmt.Errorf("cannot be read: %s", ours.Message)
			}
			return fmt.Errorf("must be a %s", strings.ToLower(t.Name()))
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		return assign(v.Elem(), value)
	case reflect.Interface:
		if value != nil {
			v.Set(reflect.ValueOf(value))
		}
		return nil
	case reflect.Map:
		return assignMap(v, value)
	case reflect.Struct:
		return assignStruct(v, value)
	case reflect.Slice:
		return assignList(v, value)
	case reflect.String:
		switch value.(type) {
		case string, int, int64, uint64, float64, bool:
			v.SetString(fmt.Sprint(value))
			return nil
		}
		return fmt.Errorf("must be text")
	case reflect.Bool:
		b, ok := value.(bool)
		if !ok {
			return fmt.Errorf("must be true or false, not %s", brief(value))
		}
		v.SetBool(b)
		return nil
	}
	return assignNumber(v, value)
}

// assignMap keeps what is there already, which may belong to another section.
func assignMap(v reflect.Value, value any) error {
	mapping, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("must be a section with names below it")
	}
	together := map[string]any{}
	for key := range v.Seq2() {
		together[key.String()] = v.MapIndex(key).Interface()
	}
	maps.Copy(together, mapping)
	v.Set(reflect.ValueOf(together))
	return nil
}

func assignStruct(v reflect.Value, value any) error {
	t := v.Type()
	if t == reflect.TypeFor[AgentTool]() {
		return assignTool(v.Addr().Interface().(*AgentTool), value)
	}
	mapping, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("must be a section with %s below it", strings.Join(keysOf(t), ", "))
	}
	for _, key := range slices.Sorted(maps.Keys(mapping)) {
		f, known := fieldOf(t, key)
		if !known {
			return fmt.Errorf("has an unknown key %.60s; there are %s", key, strings.Join(keysOf(t), ", "))
		}
		if err := assign(v.FieldByIndex(f.Index), mapping[key]); err != nil {
			return fmt.Errorf("%s %w", key, err)
		}
	}
	return nil
}

// assignList takes a single value for a list of one.
func assignList(v reflect.Value, value any) error {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	out := reflect.MakeSlice(v.Type(), len(list), len(list))
	for i := range list {
		if err := assign(out.Index(i), list[i]); err != nil {
			return fmt.Errorf("item %d %w", i+1, err)
		}
	}
	v.Set(out)
	return nil
}

func assignNumber(v reflect.Value, value any) error {
	number, err := strconv.ParseFloat(fmt.Sprint(value), 64)
	if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
		return fmt.Errorf("must be a number, not %s", brief(value))
	}
	if number < 0 {
		return fmt.Errorf("is %v; it must not be negative", value)
	}
	if v.CanFloat() {
		v.SetFloat(number)
		return nil
	}
	if number != math.Trunc(number) || number > 1<<53 {
		return fmt.Errorf("must be a whole number, not %s", brief(value))
	}
	if v.CanUint() {
		if v.OverflowUint(uint64(number)) {
			return fmt.Errorf("is %v; that is too large", value)
		}
		v.SetUint(uint64(number))
		return nil
	}
	v.SetInt(int64(number))
	return nil
}

// brief shows a wrong value, unless it is long: a key in the wrong place is one.
func brief(value any) string {
	if s := fmt.Sprint(value); len(s) <= 12 {
		return s
	}
	return "this"
}

func parseBytes(s string) (Bytes, error) {
	digits := strings.TrimRight(s, "KMGiB ")
	factor, ok := map[string]float64{"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20,
		"GiB": 1 << 30}[strings.TrimSpace(s[len(digits):])]
	number, err := strconv.ParseFloat(digits, 64)
	if err != nil || !ok || number < 0 || number*factor > 1<<53 {
		return 0, fmt.Errorf("must be a size such as 512000, 256KiB or 5MiB, not %s", s)
	}
	return Bytes(number * factor), nil
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
