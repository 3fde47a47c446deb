// Reads one URI a line; prints what WHATWG's reader makes of it, a list of its
// `href` (null if it fails) and of further forms that a server could act on.

import { createInterface } from "node:readline";
import legacy from "node:url";

const attempt = (make) => {
  try {
    return make();
  } catch {
    return null;
  }
};

for await (const uri of createInterface({ input: process.stdin })) {
  const url = attempt(() => new URL(uri));
  const forms = [url ? url.href : null];
  const add = (text) => forms.push(text ?? null);
  const decoded = attempt(() => decodeURIComponent(uri));
  const twice = decoded === null ? null : attempt(() => decodeURIComponent(decoded));
  add(decoded);
  add(decoded === null ? null : attempt(() => new URL(decoded).href));
  add(twice);
  add(twice === null ? null : attempt(() => new URL(twice).href));
  add(attempt(() => decodeURI(uri)));
  add(attempt(() => encodeURI(decodeURI(uri))));
  if (url && uri.includes("://")) {
    add(url.protocol + "//" + url.hostname + url.pathname);
    add(url.protocol + "//" + url.host + url.pathname + url.search);
  }
  if (url && url.protocol === "file:") {
    const path = attempt(() => legacy.fileURLToPath(uri));
    add(path === null ? null : "file://" + path);
    add(path === null ? null : legacy.pathToFileURL(path).href);
  }
  process.stdout.write(JSON.stringify(forms) + "\n");
}
