// Does with OpenAI's JavaScript client what a file of steps says, and prints what came
// of it as JSON. client.py and goclient do the same in their languages.
import { readFileSync } from 'node:fs';
import OpenAI, { APIError } from 'openai';

const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const client = new OpenAI({ baseURL: plan.url, apiKey: plan.token, maxRetries: 0, timeout: 120_000 });

function told(completion) {
  const [choice] = completion.choices;
  return {
    model: completion.model,
    content: choice.message.content ?? '',
    finish: choice.finish_reason,
    tokens: completion.usage?.total_tokens ?? 0,
    calls: (choice.message.tool_calls ?? []).map((c) => ({ id: c.id, name: c.function.name, arguments: c.function.arguments })),
    cited: (choice.message.annotations ?? []).map((a) => a.url_citation.url),
    citations: completion.citations ?? [],
    outcome: completion.citewell?.outcome ?? '',
  };
}

async function act(step) {
  if (step.do === 'models') {
    const names = [];
    for await (const m of client.models.list()) names.push(m.id);
    return { names };
  }
  if (step.do === 'model') return { names: [(await client.models.retrieve(step.body.model)).id] };
  if (step.do === 'chat') {
    const { data, response } = await client.chat.completions.create(step.body).withResponse();
    return { ...told(data), run: response.headers.get('X-Agent-ID') };
  }
  const stream = client.chat.completions.stream({ ...step.body, stream_options: { include_usage: true } });
  let citations = [];
  let outcome = '';
  for await (const chunk of stream) {
    citations = chunk.citations ?? citations;
    outcome = chunk.citewell?.outcome ?? outcome;
  }
  const done = told(await stream.finalChatCompletion());
  return { ...done, run: done.model, citations, outcome };
}

const steps = [];
for (const step of plan.steps) {
  try {
    steps.push(await act(step));
  } catch (e) {
    if (!(e instanceof APIError)) throw e;
    steps.push({ failed: e.message, status: e.status ?? 0, code: e.code ?? '', type: e.type ?? '' });
  }
}
console.log(JSON.stringify({ steps }));
