// Serves a small model on loopback in the shape of OpenAI's chat API, as llama.cpp's
// own server does.
//
// For tests only; internal/testing/smallmodel starts and ends it: node server.mjs HOME WEIGHTS NAME,
// where HOME has the node_modules.
// Prints its base URL in one line once it answers. Ends when its standard input does,
// so that it never outlives who started it, however that ended.

import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { Model, Refusal } from "./model.mjs";

const maxBody = 4 << 20; // bytes
const contextSize = 8192; // tokens
const seed = 1; // as with --seed 1: the same question gets the same answer; -1 asks for another
const [home, weights, name] = process.argv.slice(2);
const model = await Model.load(home, weights, contextSize);

// understood is a request for an answer, in the model's words.
function understood(body) {
  if (!Array.isArray(body.messages) || body.messages.length === 0) throw new Refusal(400, "invalid_request_error", "'messages' is required");
  const format = body.response_format ?? {};
  const all = (body.tools ?? []).map((t) => t.function);
  const choice = body.tool_choice ?? "auto";
  const functions = choice === "none" ? [] : choice.function ? all.filter((f) => f.name === choice.function.name) : all;
  let schema = body.json_schema;
  if (format.type === "json_schema") schema = format.json_schema?.schema ?? {};
  if (format.type === "json_object") schema = format.schema ?? { type: "object" };
  if (functions.length > 0) {
    if (schema) throw new Refusal(400, "invalid_request_error", "Cannot use custom grammar constraints with tools.");
    const members = functions.map((f) => closed({ name: { const: f.name }, arguments: f.parameters ?? closed({}) }));
    if (choice === "auto") members.push(closed({ content: { type: "string" } }));
    schema = { anyOf: members };
  }
  const temperature = body.temperature ?? 0.8;
  return { messages: body.messages, functions, schema, limit: body.max_tokens ?? body.max_completion_tokens,
    sampling: { temperature, topK: 40, topP: 0.95, minP: 0.05, seed: body.seed === -1 ? undefined : body.seed ?? seed } };
}

const closed = (properties) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false });

// said is what a text says so far under the grammar of functions: content, or a call.
// The braces that close the call are not the arguments' until the text is whole.
function said(text, functions, whole) {
  if (functions.length === 0) return { content: text };
  if (whole) {
    const value = JSON.parse(text);
    return "content" in value ? { content: value.content } : { name: value.name, arguments: JSON.stringify(value.arguments) };
  }
  const [, called, given] = text.match(/^\s*\{\s*"name"\s*:\s*"([^"]*)"\s*,\s*"arguments"\s*:\s*(.*)$/s) ?? [];
  return called === undefined ? { content: "" } : { name: called, arguments: given };
}

const body = (request) => new Promise((done, fail) => {
  const pieces = [];
  let size = 0;
  request.on("data", (p) => {
    pieces.push(p);
    if ((size += p.length) > maxBody) fail(new Refusal(413, "invalid_request_error", "the request is too large"));
  });
  request.on("error", fail);
  request.on("end", () => {
    try {
      done(JSON.parse(Buffer.concat(pieces).toString()));
    } catch (e) {
      fail(new Refusal(400, "invalid_request_error", e.message));
    }
  });
});

async function complete(request, response) {
  const asked = await body(request);
  const wanted = understood(asked);
  const id = `chatcmpl-${randomUUID()}`, created = Math.floor(Date.now() / 1000);
  const shape = (kind, rest) => ({ id, object: kind, created, model: name, system_fingerprint: "llama.cpp", ...rest });
  const send = (rest) => response.write(`data: ${JSON.stringify(shape("chat.completion.chunk", rest))}\n\n`);
  let told = 0, begun = false;
  const tell = (now) => {
    if (!begun) {
      begun = true;
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      send({ choices: [{ index: 0, delta: { role: "assistant", content: null }, finish_reason: null }] });
      if (now.name) send({ choices: [{ index: 0, delta: { tool_calls: [call(now.name, "")] }, finish_reason: null }] });
    }
    const text = (now.name ? now.arguments : now.content).slice(told);
    if (text === "") return;
    told += text.length;
    send({ choices: [{ index: 0, delta: now.name ? { tool_calls: [{ index: 0, function: { arguments: text } }] } : { content: text }, finish_reason: null }] });
  };
  const callID = randomUUID().replaceAll("-", "");
  const call = (called, given) => ({ index: 0, id: callID, type: "function", function: { name: called, arguments: given } });
  const hear = (text) => {
    if (asked.stream && wanted.functions.length === 0) tell(said(text, wanted.functions, false));
  };
  const { text, finish, usage, timings } = await model.answer(wanted, hear, () => response.destroyed);
  const now = said(text, wanted.functions, finish === "stop");
  const reason = now.name && finish === "stop" ? "tool_calls" : finish;
  if (asked.stream) {
    tell(now);
    send({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
    if (asked.stream_options?.include_usage) send({ choices: [], usage, timings });
    response.end("data: [DONE]\n\n");
    return;
  }
  const message = { role: "assistant", content: now.content ?? null };
  if (now.name) message.tool_calls = [call(now.name, now.arguments)];
  answer(response, 200, shape("chat.completion", { choices: [{ index: 0, message, finish_reason: reason }], usage, timings }));
}

function answer(response, status, value) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

const paths = {
  "GET /health": (_, response) => answer(response, 200, { status: "ok" }),
  "GET /v1/models": (_, response) => answer(response, 200, { object: "list", data: [{ id: name, object: "model", owned_by: "llamacpp", meta: { n_ctx: model.contextSize, n_ctx_train: model.model.trainContextSize } }] }),
  "GET /props": (_, response) => answer(response, 200, { default_generation_settings: { n_ctx: model.contextSize }, total_slots: model.sequences.length }),
  "POST /v1/chat/completions": complete,
  "POST /v1/embeddings": () => { throw new Refusal(501, "not_supported_error", "This server does not support embeddings. Start it with `--embeddings`"); },
};

const server = createServer(async (request, response) => {
  try {
    const handle = paths[`${request.method} ${request.url}`];
    if (!handle) throw new Refusal(404, "not_found_error", "File Not Found");
    await handle(request, response);
  } catch (e) {
    const refused = e instanceof Refusal ? e : new Refusal(500, "server_error", e.message);
    if (response.headersSent) response.destroy();
    else answer(response, refused.status, refused.body);
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
process.stdin.resume();
process.stdin.on("close", () => process.exit(0));
