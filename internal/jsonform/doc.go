// Package jsonform checks JSON from a model or a stranger against JSON Schemas.
//
// Flow: text → Parse, or Mend to accept a model's slips → value → Check → the value as it is read, and every Problem
// with its place. The caller's Reading says what may be read differently from what was given; the zero Reading only
// reads 2.0 as 2 for a whole number. Values are those of encoding/json with json.Number for numbers; Check does not
// change its argument.
// Schemas: type, enum, const, ranges, lengths, pattern, properties, required, additionalProperties, items, allOf,
// anyOf, oneOf (one that fits is enough), not, and $ref to the whole, $defs and definitions. Every other keyword
// accepts every value.
// Limits: a schema that leads back to itself over one value, or takes four million steps, is a Problem and never ends
// the process; 1,000 Problems are kept.
// Concurrency: safe; a schema is only read.
// Why not the library's own check: doc/decision/0039-one-schema-walker.md.
package jsonform
