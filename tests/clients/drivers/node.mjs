// The TypeScript SDKs, v1 and v2, behind the line protocol of ../README.md.
//
//   node node.mjs CACHE PACKAGE      PACKAGE: `sdk-1.32.2`, `@modelcontextprotocol/client`
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [cache, name] = process.argv.slice(2);
const second = name.startsWith('@');
const load = path => import(pathToFileURL(join(cache, 'node_modules', name, 'dist', path)));
const sdk = second
    ? await load('index.mjs')
    : { ...(await load('esm/client/index.js')), ...(await load('esm/client/streamableHttp.js')) };
const schemas = second ? {} : await load('esm/types.js');

const connections = new Map();
const calls = new Map();

const answers = {
    'elicitation/create': ['ElicitRequestSchema', () => ({ action: 'accept', content: { name: 'Ada' } })],
    'sampling/createMessage': [
        'CreateMessageRequestSchema',
        () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } }),
    ],
    'roots/list': ['ListRootsRequestSchema', () => ({ roots: [{ uri: 'file:///docs', name: 'docs' }] })],
};

async function connect({ connection, url, mode }) {
    const options = { capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } } };
    if (second) options.versionNegotiation = { mode: mode === 'pin' ? { pin: '2026-07-28' } : mode };
    const client = new sdk.Client({ name: 'matrix', version: '1' }, options);
    for (const [method, [schema, answer]] of Object.entries(answers)) {
        if (second) client.setRequestHandler(method, answer);
        else if (schemas[schema]) client.setRequestHandler(schemas[schema], answer);
    }
    const events = {};
    client.fallbackNotificationHandler = async ({ method }) => {
        events[method] = (events[method] ?? 0) + 1;
    };
    const transport = new sdk.StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport);
    connections.set(connection, { client, transport, events });
    return { revision: transport.protocolVersion ?? client.getNegotiatedProtocolVersion?.() };
}

const operations = {
    async ready() {
        return {};
    },
    connect,
    async list({ connection }) {
        const { client } = connections.get(connection);
        return {
            tools: (await client.listTools()).tools.length,
            prompts: (await client.listPrompts()).prompts.length,
            resources: (await client.listResources()).resources.length,
        };
    },
    async call({ connection, id, tool, arguments: args }) {
        const { client } = connections.get(connection);
        const abort = new AbortController();
        calls.set(id, abort);
        let progress = 0;
        const options = { signal: abort.signal, timeout: 30_000, onprogress: () => (progress += 1) };
        const params = { name: tool, arguments: args };
        const result = await (second ? client.callTool(params, options) : client.callTool(params, undefined, options));
        return { text: result.content.map(part => part.text ?? '').join('\n'), progress };
    },
    async cancel({ target }) {
        calls.get(target).abort('no longer needed');
        return {};
    },
    async prompt({ connection, name, arguments: args }) {
        return { messages: (await connections.get(connection).client.getPrompt({ name, arguments: args })).messages.length };
    },
    async read({ connection, uri }) {
        return { contents: (await connections.get(connection).client.readResource({ uri })).contents.length };
    },
    async notify({ connection }) {
        await connections.get(connection).client.sendRootsListChanged();
        return {};
    },
    async listen({ connection, uri }) {
        const { client } = connections.get(connection);
        if (!client.listen) throw new Error('this SDK has no subscriptions');
        await client.listen({ resourceSubscriptions: [uri] });
        return {};
    },
    async events({ connection }) {
        return connections.get(connection).events;
    },
    async close({ connection }) {
        const { client, transport } = connections.get(connection);
        if (transport.sessionId) await transport.terminateSession();
        await client.close();
        return {};
    },
};

const write = message => process.stdout.write(JSON.stringify(message) + '\n');
// SDKs report what goes wrong in the background in their own ways; none of them may end the driver.
process.on('unhandledRejection', () => {});

for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    operations[request.op](request).then(
        result => write({ id: request.id, result }),
        error =>
            write({
                id: request.id,
                error: {
                    type: error?.constructor?.name ?? typeof error,
                    code: typeof error?.code === 'number' ? error.code : null,
                    text: String(error?.message ?? error),
                },
            })
    );
}
process.exit(0);
