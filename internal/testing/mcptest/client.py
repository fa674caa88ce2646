"""Does what a file of steps says, as a client of the Python SDK; client.mjs is the same
in TypeScript, and Plan and Outcome in client.go say what the fields are. Without a file it
forks for each line of standard input: a folder with a plan (forked.go)."""

import json
import os
import signal
import sys
import traceback

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

plan = {}
asked = []
sampled = []


async def answer(_context, params):
    asked.append(params.message)
    return types.ElicitResult(**plan["elicit"])


def judge(said):
    passages, verdicts = {}, []
    for s in json.loads(said[said.index("\n{") : said.index("\n<<<END")])["statements"]:
        verdict = {"n": s["n"], "differs": "", "verdict": "not_stated", "passage": 0, "quote": "", "reason": "nothing of it"}
        for p in s["passages"]:
            passages.setdefault(p["n"], p.get("text", ""))
            quote = plan["sample"].get("quotes", {}).get(s["text"], s["text"])
            if quote in passages[p["n"]]:
                verdict |= {"verdict": "supported", "passage": p["n"], "quote": quote, "reason": "it says so"}
        verdicts.append(verdict)
    return json.dumps({"verdicts": verdicts})


async def sample(_context, params):
    sampled.append(params)
    if plan["sample"].get("refuse"):
        return types.ErrorData(code=-1, message="the user said no")
    content = types.TextContent(type="text", text=judge(params.messages[0].content.text))
    return types.CreateMessageResult(role="assistant", model=plan["sample"]["model"], content=content)


def text(content):
    return "\n".join(c.text for c in content if c.type == "text")


def reason(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


async def call(client, step):
    progress = []
    with anyio.CancelScope() as scope:

        async def told(done, _total, _message):
            progress.append(done)
            if step.get("cancel"):
                scope.cancel()

        r = await client.call_tool(step["name"], step.get("arguments"), 60, told if step.get("progress") else None)
        return {"text": text(r.content), "structured": r.structured_content, "is_error": bool(r.is_error), "progress": progress,
                "links": [c.uri for c in r.content if c.type == "resource_link"]}
    return {"failed": "canceled", "progress": progress}


async def take(client, step):
    match step["do"]:
        case "tools":
            return {"names": [t.name for t in (await client.list_tools()).tools]}
        case "templates":
            return {"names": [t.uri_template for t in (await client.list_resource_templates()).resource_templates]}
        case "resources":
            return {"names": [str(r.uri) for r in (await client.list_resources()).resources]}
        case "prompts":
            return {"names": [p.name for p in (await client.list_prompts()).prompts]}
        case "prompt":
            r = await client.get_prompt(step["name"], step.get("arguments"))
            return {"text": "\n".join(m.content.text for m in r.messages)}
        case "resource":
            return {"text": "\n".join(c.text for c in (await client.read_resource(step["uri"])).contents)}
        case "call":
            return await call(client, step)
        case "wait":
            print("waiting", file=sys.stderr, flush=True)
            await anyio.sleep_forever()
    raise ValueError(f"no step {step['do']}")


async def run(outcome, transport):
    async with Client(transport, elicitation_callback=answer if plan.get("elicit") else None,
                      sampling_callback=sample if plan.get("sample") else None,
                      mode="legacy" if plan["client"] == "python-older" else "auto") as client:
        outcome["protocol"] = str(client.protocol_version)
        outcome["server"] = client.server_info.name if client.server_info else ""
        for step in plan["steps"]:
            try:
                outcome["steps"].append(await take(client, step))
            except Exception as error:
                outcome["steps"].append({"failed": reason(error)})


async def main():
    outcome = {"steps": [], "asked": asked}
    try:
        if plan.get("url"):
            headers = {"Authorization": f"Bearer {plan['token']}"} if plan.get("token") else {}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                await run(outcome, streamable_http_client(plan["url"], http_client=http))
        else:
            command = plan["command"]
            await run(outcome, stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=plan["environ"], cwd=plan["dir"])))
    except Exception as error:
        outcome["failed"] = reason(error)
    print(json.dumps(outcome | {"sampled": len(sampled)}))


def carry_out(file):
    with open(file) as steps:
        plan.update(json.load(steps))
    anyio.run(main)


def forked(folder, seconds):
    """Is the process of one plan, as it would be if it were started with its file."""
    code = 1
    try:
        signal.alarm(seconds)
        os.chdir(folder)
        for to, name, flags in (0, os.devnull, os.O_RDONLY), (1, "stdout", os.O_WRONLY | os.O_CREAT), (2, "stderr", os.O_WRONLY | os.O_CREAT):
            os.dup2(os.open(name, flags, 0o600), to)
        carry_out("plan.json")
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if len(sys.argv) > 1:
    carry_out(sys.argv[1])
else:
    while line := sys.stdin.readline():
        seconds, folder = line.rstrip("\n").split(" ", 1)
        if (child := os.fork()) == 0:
            forked(folder, int(seconds))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
