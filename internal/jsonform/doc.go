// Package jsonform holds JSON values against JSON Schemas, for whoever takes JSON that a
// model or a stranger wrote.
//
// Flow: text → Parse, or Mend where a model's slips are borne → value → Check → the value
// as it is read, and every Problem with its place. What is read otherwise than it was given
// is the caller's Reading; the zero one reads 2.0 as 2 where a whole number is wanted, and
// no more. Values are those of encoding/json with json.Number for numbers; Check changes
// none that it is given.
// Schemas: type, enum, const, ranges, lengths, pattern, properties, required,
// additionalProperties, items, allOf, anyOf, oneOf (one that fits is enough), not, and $ref
// to the whole, $defs and definitions. All else lets every value through.
// Limits: a schema that leads back to itself over one value, or takes four million steps, is
// a Problem and never the end of the process; 1,000 Problems are kept.
// Concurrency: safe; a schema is only read.
// Why not the library's own check: doc/decision/0039-one-schema-walker.md.
package jsonform
