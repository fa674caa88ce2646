package jsonform_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/jsonform"
	"github.com/google/jsonschema-go/jsonschema"
)

// lenient is all that a Reading can read otherwise.
var lenient = jsonform.Reading{NullAbsent: true, NullEmpty: true, Defaults: true, Unquote: true, Clamp: true,
	Reset: true}

func schemaOf(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	s := &jsonschema.Schema{}
	if err := json.Unmarshal([]byte(text), s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func valueOf(t *testing.T, text string) any {
	t.Helper()
	v, _, err := jsonform.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// What a stranger's schema lists is said in part.
func TestAProblemHasABound(t *testing.T) {
	many := &jsonschema.Schema{}
	for i := range 60_000 {
		many.Enum = append(many.Enum, fmt.Sprint("value ", i))
	}
	for name, schema := range map[string]*jsonschema.Schema{
		"enum": many, "pattern": {Pattern: strings.Repeat("x", 9000)}} {
		_, found := jsonform.Check("no", schema, jsonform.Reading{})
		if len(found.Problems) != 1 || len(found.Problems[0].String()) > 1200 {
			t.Errorf("%s: %d problems: %.2000s", name, len(found.Problems), found.Problems)
		}
	}
}

// Each keyword takes one value and says of another what is wrong with it.
func TestCheck(t *testing.T) {
	for name, test := range map[string]struct{ schema, fits, wrong, want string }{
		"type": {`{"type":"string"}`, `"a"`, `7`, "the whole must be a string, not the number 7"},
		"type_of_several": {`{"type":["integer","null"]}`, `null`, `"a"`,
			`the whole must be a number or null, not the string "a"`},
		"boolean": {`{"type":"boolean"}`, `true`, `"yes"`,
			`the whole must be true or false, not the string "yes"`},
		"integer": {`{"type":"integer"}`, `2.0`, `2.5`, "the whole must be a whole number; it is 2.5"},
		"integer_too_large": {`{"type":"integer"}`, `9007199254740991`, `9007199254740992`,
			"the whole is too large a number"},
		"number_too_large": {`{"type":"number","minimum":0}`, `1e300`, `1e400`,
			"the whole is no number that can be counted with at least 0"},
		"enum": {`{"enum":["a",2,null]}`, `2.0`, `"b"`,
			`the whole must be one of a, 2, <nil>; it is "b"`},
		"enum_of_fractions": {`{"enum":[0.1,{"a":0.2}]}`, `{"a":0.20}`, `0.2`,
			"the whole must be one of 0.1, map[a:0.2]; it is 0.2"},
		"const":               {`{"const":"a"}`, `"a"`, `"b"`, `the whole must be "a"; it is "b"`},
		"minimum":             {`{"minimum":1}`, `1`, `0`, "the whole must be at least 1; it is 0"},
		"minimum_and_maximum": {`{"minimum":1,"maximum":2}`, `2`, `3`, "the whole must be from 1 to 2; it is 3"},
		"exclusiveMinimum":    {`{"exclusiveMinimum":0}`, `0.1`, `0`, "the whole must be more than 0; it is 0"},
		"exclusiveMaximum": {`{"minimum":0,"exclusiveMaximum":1}`, `0`, `1`,
			"the whole must be at least 0 and less than 1; it is 1"},
		"minLength": {`{"minLength":2}`, `"éé"`, `"é"`,
			"the whole must have at least 2 characters; it has 1"},
		"maxLength": {`{"maxLength":2}`, `"éé"`, `"ééé"`,
			"the whole must have at most 2 characters; it has 3"},
		"pattern": {`{"pattern":"^a+$"}`, `"aa"`, `"ab"`,
			`the whole must match the pattern ^a+$; it is "ab"`},
		"pattern_not_blank": {`{"pattern":"\\S"}`, `" a"`, `" "`, "the whole is required and may not be blank"},
		"minItems":          {`{"minItems":1}`, `[1]`, `[]`, "the whole must have at least 1 items; it has 0"},
		"maxItems": {`{"minItems":0,"maxItems":1}`, `[1]`, `[1,2]`,
			"the whole must have 0 to 1 items; it has 2"},
		"items": {`{"items":{"type":"string"}}`, `["a"]`, `["a",[1]]`,
			"[1] must be a string, not a list"},
		"items_after_prefix": {`{"prefixItems":[{}],"items":{"type":"string"}}`, `[1,"a"]`, `[1,null]`,
			"[1] must be a string, not null"},
		"properties": {`{"properties":{"a":{"type":"array"}}}`, `{"a":[],"b":1}`, `{"a":{}}`,
			"a must be a list, not an object"},
		"property_of_property": {`{"properties":{"a":{"items":{"properties":{"b":{"type":"null"}}}}}}`,
			`{"a":[{"b":null}]}`, `{"a":[{},{"b":true}]}`, "a[1].b must be null, not true"},
		"required": {`{"properties":{"b":{},"a":{}},"required":["c","a"]}`, `{"a":1,"c":null}`, `{}`,
			"a is required; c is required"},
		"additionalProperties": {`{"additionalProperties":{"type":"integer"}}`, `{"a":1}`, `{"a":"1"}`,
			`a must be a number, not the string "1"`},
		"no_other_properties": {`{"properties":{"words":{}},"additionalProperties":false}`, `{"words":1}`,
			`{"wrods":1,"else":2}`, "else is unknown; wrods is unknown; did you mean words?"},
		"other_properties": {`{"patternProperties":{"^x":{}},"additionalProperties":false}`, `{"xy":1}`, ``, ""},
		"allOf": {`{"allOf":[{"minimum":1},{"maximum":2}]}`, `1`, `3`,
			"the whole must be at most 2; it is 3"},
		"anyOf": {`{"anyOf":[{"type":"string"},{"type":"integer","maximum":1}]}`, `1`, `[]`,
			"the whole must be a string, not a list"},
		"anyOf_by_constant": {
			`{"anyOf":[{"$ref":"#/$defs/a"},{"properties":{"k":{"const":"b"},"n":{"type":"integer"}},"required":["k","n","m"]}],"$defs":{"a":{"properties":{"k":{"const":"a"}}}}}`,
			`{"k":"a"}`, `{"k":"b","n":"x"}`, `n must be a number, not the string "x"; m is required`},
		"oneOf_names": {`{"oneOf":[{"required":["data"]},{"required":["text"]},{"required":["url"]}]}`,
			`{"text":1}`, `{"name":1}`, "the whole must have one of data, text and url"},
		"oneOf": {`{"oneOf":[{"type":"string"},{"type":"null"}]}`, `null`, `1`,
			"the whole must be a string, not the number 1"},
		"not":              {`{"not":{"type":"string"}}`, `1`, `"a"`, `the whole may not be the string "a"`},
		"no_such_property": {`{"properties":{"a":false}}`, `{}`, `{"a":1}`, `a may not be the number 1`},
		"ref_to_defs": {`{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":1}`,
			`{"a":null}`, "a must be a number, not null"},
		"ref_to_the_whole": {`{"properties":{"a":{"$ref":"#"},"n":{"minimum":1}}}`, `{"a":{"a":{"n":1}}}`,
			`{"a":{"a":{"n":0}}}`, "a.a.n must be at least 1; it is 0"},
		"ref_of_draft_7": {`{"$ref":"#/definitions/n","definitions":{"n":{"type":"integer"}}}`, `1`, `null`,
			"the whole must be a number, not null"},
		"ref_to_elsewhere": {`{"$ref":"other.json#/n"}`, `1`, ``, ""},
		"many": {`{"required":["a","b","c","d","e","f","a"]}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}`,
			`{}`, "a is required; b is required; c is required; d is required; e is required; and 1 more"},
		"long_place": {`{"additionalProperties":{"type":"null"}}`, `{}`, `{"` + strings.Repeat("é", 200) + `":1}`,
			strings.Repeat("é", 80) + " must be null, not the number 1"},
	} {
		t.Run(name, func(t *testing.T) {
			s := schemaOf(t, test.schema)
			if _, found := jsonform.Check(valueOf(t, test.fits), s, jsonform.Reading{}); len(found.Problems) > 0 {
				t.Errorf("%s does not fit: %v", test.fits, found.Problems)
			}
			if test.wrong == "" {
				return
			}
			if _, found := jsonform.Check(valueOf(t, test.wrong), s, jsonform.Reading{}); jsonform.Say(found.Problems,
				5) != test.want {
				t.Errorf("of %s it says\n%s\nnot\n%s", test.wrong, jsonform.Say(found.Problems, 5), test.want)
			}
		})
	}
}

// A value is read as the caller asks, said where a string or a number was bent, and left
// as it was given.
func TestReading(t *testing.T) {
	const schema = `{"properties":{"n":{"type":"integer","minimum":1,"maximum":5,"default":3},"list":{"type":"array"},"word":{"type":"string"},
		"yes":{"type":"boolean"},"any":{},"or":{"anyOf":[{"type":"string"},{"type":"null"}]},"o":{"type":"object"},"odd":{"type":"string","default":7},"max":{"type":"number","exclusiveMaximum":9,"maximum":9}}}`
	for name, test := range map[string]struct {
		reading           jsonform.Reading
		given, want, told string
	}{
		"whole": {jsonform.Reading{}, `{"n":2e0,"any":2.0}`, `{"any":2.0,"n":2}`, ""},
		"null_absent": {jsonform.Reading{NullAbsent: true}, `{"n":null,"any":null,"or":null}`,
			`{"any":null,"or":null}`, ""},
		"null_refused": {jsonform.Reading{NullEmpty: true}, `{"n":null}`, "", "n must be a number, not null"},
		"null_empty": {jsonform.Reading{NullAbsent: true, NullEmpty: true}, `{"list":null,"word":null}`,
			`{"list":[]}`, ""},
		"defaults":        {jsonform.Reading{Defaults: true}, `{"odd":"x"}`, `{"n":3,"odd":"x"}`, ""},
		"default_misfits": {jsonform.Reading{Defaults: true}, `{"n":1}`, `{"n":1}`, ""},
		"unquote": {jsonform.Reading{Unquote: true}, `{"n":" 5 ","yes":"TRUE","word":"5","any":"5"}`,
			`{"any":"5","n":5,"word":"5","yes":true}`,
			`n: the string " 5 " was taken as 5; yes: the string "TRUE" was taken as true`},
		"objects": {jsonform.Reading{Objects: true}, `{"o":"{\"a\":\"B\"}","any":"{}","word":"{}"}`,
			`{"any":"{}","o":{"a":"B"},"word":"{}"}`, ""},
		"objects_blank": {jsonform.Reading{Objects: true}, `{"o":" "}`, `{"o":{}}`, ""},
		"objects_nothing": {jsonform.Reading{Objects: true}, `{"o":"[1]"}`, "",
			`o must be an object, not the string "[1]"`},
		"unquote_nothing": {jsonform.Reading{Unquote: true}, `{"yes":"5"}`, "",
			`yes must be true or false, not the string "5"`},
		"clamp": {jsonform.Reading{Clamp: true}, `{"n":9}`, `{"n":5}`,
			"n: the number 9 was taken as 5; it must be from 1 to 5"},
		"clamp_misfits": {jsonform.Reading{Clamp: true}, `{"max":10}`, "",
			"max must be at most 9 and less than 9; it is 9"},
		"reset": {jsonform.Reading{Unquote: true, Reset: true}, `{"n":"0"}`, `{"n":3}`,
			`n: the string "0" was taken as 3; it must be from 1 to 5`},
	} {
		t.Run(name, func(t *testing.T) {
			given := valueOf(t, test.given)
			read, found := jsonform.Check(given, schemaOf(t, schema), test.reading)
			if said := strings.Join(append(found.Notes, jsonform.Say(found.Problems, 5)),
				"; "); strings.TrimSuffix(said, "; ") != test.told && jsonform.Say(found.Problems, 5) != test.told {
				t.Errorf("it says %q", said)
			}
			if len(found.Problems) == 0 && jsonOf(t, read) != test.want {
				t.Errorf("read as %s, not %s", jsonOf(t, read), test.want)
			}
			if jsonOf(t, given) != jsonOf(t, valueOf(t, test.given)) {
				t.Errorf("the value given became %s", jsonOf(t, given))
			}
			if found.Changed != (jsonOf(t, given) != jsonOf(t, read)) {
				t.Errorf("changed is %v: %s, %s", found.Changed, jsonOf(t, given), jsonOf(t, read))
			}
		})
	}
}

// What one part of a schema makes of a value, another part has to take.
func TestReadingOfParts(t *testing.T) {
	s := schemaOf(t, `{"allOf":[{"required":["a"]},{"properties":{"a":{"type":"string"}}}]}`)
	_, found := jsonform.Check(valueOf(t, `{"a":null}`), s, jsonform.Reading{NullAbsent: true})
	if said := jsonform.Say(found.Problems, 5); said != "a is required" {
		t.Errorf("it says %q", said)
	}
}

// A schema that leads back to itself, or does so twice each time, is told of in time.
func TestEndlessSchemas(t *testing.T) {
	twice := `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}`
	for _, text := range []string{`{"$ref":"#"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		`{"allOf":[{"$ref":"#"}],"not":{"$ref":"#"}}`,
		`{"$ref":"#/$defs/a","$defs":{"a":` + twice + `}}`} {
		if _, found := jsonform.Check(nil, schemaOf(t, text), lenient); !strings.Contains(jsonform.Say(found.Problems,
			5), "leads back to itself") {
			t.Errorf("%s: %v", text, found.Problems)
		}
	}
}

// A value that is deep in variants costs no more than its length and depth.
func TestDeepVariants(t *testing.T) {
	s := schemaOf(t, `{"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}}]}`)
	deep := valueOf(t, strings.Repeat("[", 60)+`1,"2"`+strings.Repeat("]", 60))
	if _, found := jsonform.Check(deep, s, jsonform.Reading{}); len(found.Problems) != 1 || found.Problems[0].Bound ||
		strings.Contains(found.Problems[0].Words, "cannot be checked") {
		t.Errorf("%v", found.Problems)
	}
	if _, found := jsonform.Check(deep, s, jsonform.Reading{Unquote: true}); len(found.Problems) > 0 ||
		len(found.Notes) != 1 {
		t.Errorf("%v %v", found.Problems, found.Notes)
	}
}

func TestOrder(t *testing.T) {
	s := schemaOf(t, `{"properties":{"c":{},"a":{},"b":{}}}`)
	s.PropertyOrder = []string{"b"}
	if got := jsonform.Order(s); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Errorf("%v", got)
	}
}
