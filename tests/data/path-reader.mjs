// Reads one request target or authority a line, as JSON: `["path", text]` or
// `["host", text]`. Prints what Node makes of it: a list of paths, or of hosts.

import { createInterface } from "node:readline";
import { parse } from "node:url";

const attempt = (read) => {
  try {
    return [read()];
  } catch {
    return [];
  }
};

// Node's own servers route by one of these, decoded or not.
const paths = (target) => {
  const read = [
    ...attempt(() => new URL(target, "http://base.test").pathname),
    ...attempt(() => new URL("http://base.test" + target).pathname),
    ...attempt(() => parse(target).pathname),
    ...attempt(() => parse(target, false, true).pathname),
  ].filter((path) => typeof path === "string");
  return [...read, ...read.flatMap((path) => attempt(() => decodeURIComponent(path)))];
};

const hosts = (authority) => [
  ...attempt(() => new URL("http://" + authority + "/mcp").hostname),
  ...attempt(() => parse("http://" + authority + "/mcp").hostname),
];

process.emitWarning = () => {};
for await (const line of createInterface({ input: process.stdin })) {
  const [kind, text] = JSON.parse(line);
  process.stdout.write(JSON.stringify(kind === "host" ? hosts(text) : paths(text)) + "\n");
}
