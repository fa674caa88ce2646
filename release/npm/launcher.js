#!/usr/bin/env node
// Starts the Citewell that npm installed for this system, with its own input and output.
"use strict";
const { spawn } = require("node:child_process");

const carrier = `@citewell/${process.platform}-${process.arch}`;
const binary = process.platform === "win32" ? "citewell.exe" : "citewell";
let file;
try {
  file = require.resolve(`${carrier}/bin/${binary}`);
} catch {
  console.error(`citewell: the package ${carrier} is not installed.\n` +
    "  Install again with optional dependencies (no --omit=optional); where there is no such package, build Citewell from its source.");
  process.exit(1);
}

const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`citewell: ${file} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  for (const each of signals) process.removeAllListeners(each);
  process.kill(process.pid, signal);
});
