// Package tool turns a typed Go function into a tool: a name, a description, schemas of its input and output, and a
// call that checks its arguments.
//
// Flow: JSON arguments → Toolset.Call → the tool by name → confirmation → check against the schema → typed input → run
// → Result. The struct of the input is the schema: a model fills in the fields in their order, so reasons come before
// choices; the tags say the rest (see New).
// Errors: unknown_tool with the nearest names; tool_not_configured; invalid_argument naming each argument and its
// allowed values, so that a model can correct the call; confirmation_required, permission_denied; the tool's own
// errors. A tool that panics is an internal error, not the end of the process.
// Limits: arguments are at most MaxArguments bytes and 64 levels deep; a key may occur only once in an object.
// Concurrency: tools and toolsets are read-only once built; calls may run at the same time.
package tool
