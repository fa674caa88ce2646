// A model in llama.cpp, asked in the words of OpenAI's API.
//
// Flow: messages and functions → ChatML → tokens, of which those that a sequence has
// read already are not read again → tokens under a grammar → text or a call.
// One answer is written at a time; others wait for their turn.

import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// A Refusal is the caller's mistake, in the form of llama.cpp's own server.
export class Refusal extends Error {
  constructor(status, type, message, more = {}) {
    super(message);
    this.status = status;
    this.body = { error: { code: status, message, type, ...more } };
  }
}

const invalid = (message) => new Refusal(400, "invalid_request_error", message);

// sequences keep what they have read: a run that reasons and acts in turns goes on
// with two prompts.
const sequences = 2;

// grammarEnd is what the binding's grammars write behind the value.
const grammarEnd = "\n\n\n\n";

export class Model {
  // load takes the binding from the node_modules of home, where it is installed.
  static async load(home, weights, contextSize) {
    const m = new Model();
    m.binding = await import(pathToFileURL(join(home, "node_modules", "node-llama-cpp", "dist", "index.js")));
    m.llama = await m.binding.getLlama({ gpu: false, build: "never", logLevel: "error" });
    m.model = await m.llama.loadModel({ modelPath: weights });
    // Threads wait for each other by spinning: where others work too, half of the cores
    // do more than all.
    const threads = Math.max(1, availableParallelism() >> 1);
    m.contextSize = Math.min(contextSize, m.model.trainContextSize);
    const context = await m.model.createContext({ contextSize: m.contextSize, sequences, threads, failedCreationRemedy: false });
    m.sequences = Array.from({ length: sequences }, () => ({ at: context.getSequence(), used: 0 }));
    m.turn = Promise.resolve();
    return m;
  }

  // answer writes an answer and hands out each piece of its text. gone says that nobody
  // waits for it any more.
  answer(asked, hear, gone) {
    const mine = this.turn.then(() => this.write(asked, hear, gone));
    this.turn = mine.catch(() => {});
    return mine;
  }

  async write({ messages, functions, schema, limit, sampling }, hear, gone) {
    const tokens = this.prompt(messages, functions);
    if (tokens.length >= this.contextSize) {
      throw new Refusal(400, "exceed_context_size_error", `request (${tokens.length} tokens) exceeds the available context size (${this.contextSize} tokens), try increasing it`, { n_prompt_tokens: tokens.length, n_ctx: this.contextSize });
    }
    const grammarEvaluationState = schema && new this.binding.LlamaGrammarEvaluationState({ model: this.model, grammar: this.grammar(schema) });
    const { sequence, cached } = await this.sequence(tokens);
    const most = Math.min(limit ?? Infinity, this.contextSize - tokens.length);
    const written = [];
    const began = performance.now();
    let firstAt = began, text = "", finish = "length";
    for await (const token of sequence.evaluate(tokens.slice(cached), { ...sampling, grammarEvaluationState, yieldEogToken: true })) {
      if (written.length === 0) firstAt = performance.now();
      written.push(token);
      if (this.model.isEogToken(token)) { finish = "stop"; break; }
      const whole = this.model.detokenize(written);
      if (schema && whole.endsWith(grammarEnd)) { text = whole.trimEnd(); finish = "stop"; break; }
      // A character may need more tokens; white space may belong to the grammar's end.
      text = whole.endsWith("\ufffd") ? text : schema ? whole.trimEnd() : whole;
      hear(text);
      if (gone()) throw new Error("nobody waits for the answer");
      if (written.length >= most) break;
    }
    const ms = { prompt: firstAt - began, predicted: performance.now() - firstAt };
    return { text, finish, usage: {
      prompt_tokens: tokens.length, completion_tokens: written.length, total_tokens: tokens.length + written.length,
      prompt_tokens_details: { cached_tokens: cached },
    }, timings: {
      prompt_n: tokens.length - cached, prompt_ms: ms.prompt, prompt_per_second: (tokens.length - cached) / ms.prompt * 1000,
      predicted_n: written.length, predicted_ms: ms.predicted, predicted_per_second: Math.max(written.length - 1, 0) / ms.predicted * 1000,
    } };
  }

  // sequence is the one that has read most of the tokens, with the rest of it forgotten.
  async sequence(tokens) {
    const begun = this.sequences.map((s) => ({ s, cached: Math.min(s.at.compareContextTokens(tokens).firstDifferentIndex, tokens.length - 1) }));
    begun.sort((a, b) => b.cached - a.cached || a.s.used - b.s.used);
    let { s, cached } = begun[0];
    if (cached < s.at.nextTokenIndex / 2) { // worth more as it is than what it would save
      s = this.sequences.reduce((a, b) => (a.used < b.used ? a : b));
      cached = begun.find((b) => b.s === s).cached;
    }
    s.used = performance.now();
    if (s.at.nextTokenIndex > cached) await s.at.eraseContextTokenRanges([{ start: cached, end: s.at.nextTokenIndex }]);
    return { sequence: s.at, cached };
  }

  // prompt is a conversation in ChatML. Marks within a text are text.
  prompt(messages, functions) {
    const tokens = [];
    const say = (role, text) => tokens.push(
      ...this.model.tokenize(`<|im_start|>${role}\n`, true), ...this.model.tokenize(text), ...this.model.tokenize("<|im_end|>\n", true));
    for (const m of messages) {
      const calls = (m.tool_calls ?? []).map((c) => `\n{"name": ${JSON.stringify(c.function?.name)}, "arguments": ${c.function?.arguments}}`);
      if (m.role === "tool") say("user", `The call gave:\n${words(m.content)}`);
      else say(m.role === "developer" ? "system" : m.role, (words(m.content) + calls.join("")).trim());
    }
    if (functions.length > 0) {
      const lines = functions.map((f) => `${f.name}: ${f.description ?? ""} ${brief(f.parameters)}`);
      say("system", `Functions that can be called now, with their arguments:\n${lines.join("\n")}\nAnswer with {"name": ..., "arguments": {...}}.`);
    }
    tokens.push(...this.model.tokenize("<|im_start|>assistant\n", true));
    return tokens;
  }

  grammar(schema) {
    try {
      return new this.binding.LlamaJsonSchemaGrammar(this.llama, plain(schema));
    } catch (e) {
      throw e instanceof Refusal ? e : invalid(`no grammar can be made of the JSON schema: ${e.message}`);
    }
  }
}

// words are the text of a message; parts that are no text cannot be read.
function words(content) {
  if (content == null) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content) || content.some((p) => p?.type !== "text")) throw new Refusal(500, "server_error", "image input is not supported by this model");
  return content.map((p) => p.text).join("\n");
}

// brief names the arguments of a function; their form is the grammar's.
function brief(parameters) {
  const all = Object.entries(parameters?.properties ?? {});
  return `{${all.map(([name, p]) => `"${name}": ${p.description ?? p.type ?? "any"}`).join(", ")}}`;
}

const types = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);

// What a text and a list are bounded by whose schema does not say: a model as small as
// this comes to no end of them by itself.
const longest = 200; // characters
const most = 4; // items

// plain is a schema as the binding reads it, which knows oneOf and not anyOf, writes
// every property, and passes over bounds of numbers. What it would read as null is
// refused.
function plain(s) {
  if (typeof s !== "object" || s === null || Array.isArray(s)) throw invalid("a JSON schema must be an object");
  const { anyOf, oneOf, properties, items, additionalProperties, $defs, ...rest } = s;
  const all = (o) => Object.fromEntries(Object.entries(o).map(([k, v]) => [k, plain(v)]));
  if ($defs) rest.$defs = all($defs);
  if (anyOf ?? oneOf) return { ...rest, type: undefined, oneOf: (anyOf ?? oneOf).map(plain) };
  if ("const" in s || "enum" in s || "$ref" in s) return rest;
  if (![s.type].flat().every((t) => types.has(t))) throw invalid(`a JSON schema of type ${JSON.stringify(s.type)} is not known`);
  if (s.type === "string" && !s.format) rest.maxLength ??= longest;
  if (s.type === "array") rest.maxItems ??= Math.max(most, s.minItems ?? 0);
  if (properties) rest.properties = all(properties);
  if (items) rest.items = plain(items);
  if (s.type === "object" && !properties) rest.additionalProperties = true;
  return rest;
}
