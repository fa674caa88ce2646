// Package tool turns a typed Go function into a tool: a name, a description, a
// schema of what goes in and comes out, and a call that checks its arguments.
//
// Flow: JSON arguments → Toolset.Call → the tool by name → confirmation → check
// against the schema → typed input → run → Result. The struct of the input is the
// schema: field order is the order a model fills in, so reasons come before
// choices; the tags say the rest (see New).
// Errors: unknown_tool with the nearest names; tool_not_configured;
// invalid_argument naming each argument and what it may be, so that a model can
// mend the call; confirmation_required, permission_denied; whatever the tool says.
// A tool that panics is an internal error, not the end of the process.
// Limits: arguments are at most MaxArguments bytes and 64 levels deep; a key may
// stand only once in an object.
// Concurrency: tools and toolsets are read-only once built; calls may run at the
// same time.
package tool
