// Reads one body a line, in base64; prints what JSON.parse sees in it:
// a list with [method, name, uri, id] for each message.

import { createInterface } from "node:readline";

const member = (value, name) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : null;

const seen = (message) => {
  const params = member(message, "params");
  return [member(message, "method"), member(params, "name"), member(params, "uri"), member(message, "id")];
};

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
for await (const line of createInterface({ input: process.stdin })) {
  const body = JSON.parse(decoder.decode(Buffer.from(line, "base64")));
  const messages = Array.isArray(body) ? body : [body];
  process.stdout.write(JSON.stringify(messages.map(seen)) + "\n");
}
