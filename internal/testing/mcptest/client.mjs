// Does what a file of steps says, as a client of the TypeScript SDK, and prints what
// came of it as one JSON object. client.py is the same in Python; Plan and Outcome in
// client.go say what the fields are.
import { readFileSync } from 'node:fs';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const info = { name: 'mcptest', version: '1' };
const options = { capabilities: { ...(plan.elicit && { elicitation: {} }), ...(plan.sample && { sampling: {} }) } };
const headers = plan.token ? { Authorization: `Bearer ${plan.token}` } : {};

let client, stdio, http;
const asked = [];
const answer = async request => {
  asked.push(request.params.message);
  return plan.elicit;
};
let sampled = 0;

function judge(said) {
  const passages = {}, verdicts = [];
  for (const s of JSON.parse(said.slice(said.indexOf('\n{'), said.indexOf('\n<<<END'))).statements) {
    const verdict = { n: s.n, differs: '', verdict: 'not_stated', passage: 0, quote: '', reason: 'nothing of it' };
    for (const p of s.passages) {
      passages[p.n] ??= p.text;
      const quote = plan.sample.quotes?.[s.text] ?? s.text;
      if (passages[p.n].includes(quote)) Object.assign(verdict, { verdict: 'supported', passage: p.n, quote, reason: 'it says so' });
    }
    verdicts.push(verdict);
  }
  return JSON.stringify({ verdicts });
}

const sample = async request => {
  sampled++;
  if (plan.sample.refuse) throw new Error('the user said no');
  return { role: 'assistant', model: plan.sample.model, content: { type: 'text', text: judge(request.params.messages[0].content.text) } };
};
if (plan.client === 'typescript-1') {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { CreateMessageRequestSchema, ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  stdio = (await import('@modelcontextprotocol/sdk/client/stdio.js')).StdioClientTransport;
  http = (await import('@modelcontextprotocol/sdk/client/streamableHttp.js')).StreamableHTTPClientTransport;
  client = new Client(info, options);
  if (plan.elicit) client.setRequestHandler(ElicitRequestSchema, answer);
  if (plan.sample) client.setRequestHandler(CreateMessageRequestSchema, sample);
} else {
  const sdk = await import('@modelcontextprotocol/client');
  stdio = (await import('@modelcontextprotocol/client/stdio')).StdioClientTransport;
  http = sdk.StreamableHTTPClientTransport;
  client = new sdk.Client(info, { ...options, versionNegotiation: { mode: 'auto' } });
  if (plan.elicit) client.setRequestHandler('elicitation/create', answer);
  if (plan.sample) client.setRequestHandler('sampling/createMessage', sample);
}

const text = content => content.filter(c => c.type === 'text').map(c => c.text).join('\n');

async function call(step) {
  const progress = [];
  const stop = new AbortController();
  const request = { signal: stop.signal, timeout: 60_000 };
  if (step.progress) {
    request.onprogress = p => {
      progress.push(p.progress);
      if (step.cancel) stop.abort('enough');
    };
  }
  const params = { name: step.name, arguments: step.arguments };
  try {
    const r = await (plan.client === 'typescript-1' ? client.callTool(params, undefined, request) : client.callTool(params, request));
    return { text: text(r.content), structured: r.structuredContent, is_error: r.isError === true, progress,
      links: r.content.filter(c => c.type === 'resource_link').map(c => c.uri) };
  } catch (e) {
    return { failed: String(e.message ?? e), progress };
  }
}

async function take(step) {
  switch (step.do) {
    case 'tools': return { names: (await client.listTools()).tools.map(t => t.name) };
    case 'templates': return { names: (await client.listResourceTemplates()).resourceTemplates.map(t => t.uriTemplate) };
    case 'resources': return { names: (await client.listResources()).resources.map(r => r.uri) };
    case 'prompts': return { names: (await client.listPrompts()).prompts.map(p => p.name) };
    case 'prompt': return { text: (await client.getPrompt({ name: step.name, arguments: step.arguments })).messages.map(m => m.content.text).join('\n') };
    case 'resource': return { text: (await client.readResource({ uri: step.uri })).contents.map(c => c.text).join('\n') };
    case 'call': return call(step);
    case 'wait': return new Promise(() => { setInterval(() => {}, 1000); console.error('waiting'); });
    default: throw new Error(`no step ${step.do}`);
  }
}

const outcome = { steps: [], asked };
try {
  const transport = plan.url
    ? new http(new URL(plan.url), { requestInit: { headers } })
    : new stdio({ command: plan.command[0], args: plan.command.slice(1), env: plan.environ, cwd: plan.dir, stderr: 'inherit' });
  const settle = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = version => {
    outcome.protocol = version;
    settle?.(version);
  };
  await client.connect(transport);
  outcome.server = client.getServerVersion()?.name;
  for (const step of plan.steps) {
    try {
      outcome.steps.push(await take(step));
    } catch (e) {
      outcome.steps.push({ failed: String(e.message ?? e) });
    }
  }
  await client.close();
} catch (e) {
  outcome.failed = String(e.message ?? e);
}
console.log(JSON.stringify({ ...outcome, sampled }));
process.exit(0);
