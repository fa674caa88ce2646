# Does with OpenAI's Python client what a file of steps says, and prints what came of
# it as JSON. client.mjs and goclient do the same in their languages.
import json
import sys

from openai import APIError, OpenAI

with open(sys.argv[1], encoding="utf-8") as f:
    plan = json.load(f)
client = OpenAI(base_url=plan["url"], api_key=plan["token"], max_retries=0, timeout=120)


def told(completion):
    choice = completion.choices[0]
    extra = completion.model_extra or {}
    return {
        "model": completion.model,
        "content": choice.message.content or "",
        "finish": choice.finish_reason,
        "tokens": completion.usage.total_tokens if completion.usage else 0,
        "calls": [{"id": c.id, "name": c.function.name, "arguments": c.function.arguments} for c in choice.message.tool_calls or []],
        "cited": [a.url_citation.url for a in choice.message.annotations or []] if hasattr(choice.message, "annotations") else [],
        "citations": extra.get("citations") or [],
        "outcome": (extra.get("citewell") or {}).get("outcome", ""),
    }


def do(step):
    if step["do"] == "models":
        return {"names": [m.id for m in client.models.list()]}
    if step["do"] == "model":
        return {"names": [client.models.retrieve(step["body"]["model"]).id]}
    if step["do"] == "chat":
        raw = client.chat.completions.with_raw_response.create(**step["body"])
        return told(raw.parse()) | {"run": raw.headers.get("X-Agent-ID")}
    run, done = "", {}
    with client.chat.completions.stream(**step["body"], stream_options={"include_usage": True}) as stream:
        citations, outcome = [], ""
        for event in stream:
            if event.type != "chunk":
                continue
            extra = event.chunk.model_extra or {}
            citations = extra.get("citations") or citations
            outcome = (extra.get("citewell") or {}).get("outcome") or outcome
        run = stream._response.headers.get("X-Agent-ID")
        done = told(stream.get_final_completion())
    return done | {"run": run, "citations": citations, "outcome": outcome}


steps = []
for step in plan["steps"]:
    try:
        steps.append(do(step))
    except APIError as e:
        steps.append({"failed": e.message, "status": getattr(e, "status_code", 0), "code": e.code or "", "type": e.type or ""})
print(json.dumps({"steps": steps}))
