// The official TypeScript clients against the stdio door: v2 in both eras, v1 (legacy).
// usage: node typescript.mjs MYCLI_MCP
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

const server = process.argv[2];
const identity = { name: 'interop', version: '0' };
const capabilities = { elicitation: { form: {} } };
const v2 = 'elicitation/create';
const clients = {
  'v2 auto': () => [new Client(identity, { capabilities, versionNegotiation: { mode: 'auto' } }), StdioClientTransport, v2],
  'v2 legacy': () => [new Client(identity, { capabilities }), StdioClientTransport, v2],
  'v1': () => [new ClientV1(identity, { capabilities }), TransportV1, ElicitRequestSchema],
};

for (const [label, make] of Object.entries(clients)) for (const surface of ['facade', 'mirror']) {
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  const [client, Transport, elicitation] = make();
  const asked = [];
  client.setRequestHandler(elicitation, async ({ params }) => {
    asked.push(params.message);
    return { action: params.message.includes('Behemoth') ? 'decline' : 'accept', content: {} };
  });
  const env = { ...process.env, MYCLI_DATA_DIR: `${folder}/data`, XDG_STATE_HOME: `${folder}/state`, MYCLI_MCP_SURFACE: surface };
  await client.connect(new Transport({ command: server, args: ['start', '--approve=ask'], env, stderr: 'inherit' }));
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    return [result, JSON.parse(result.content[0].text)];
  };
  const { tools } = await client.listTools();
  assert(tools.every(tool => tool.annotations), 'a tool has no annotations');
  const facade = surface === 'facade';
  if (facade) {
    const [, found] = await call('command_search', { query: 'add a book' });
    assert.equal(found.commands[0].name, 'items add');
  }
  const add = title => facade
    ? call('command_run', { name: 'items add', flags: { title, yes: true } })
    : call('items_add', { title, yes: true });
  const [added, envelope] = await add('Leviathan');
  assert(!added.isError);
  assert.equal(envelope.mode, 'apply');
  assert.equal(asked.length, 1);
  assert.match(asked[0], /-- Leviathan/);
  assert.equal((await add('Behemoth'))[1].error.code, 'APPROVAL_DENIED');
  const [read, args] = facade ? ['command_read', { name: 'items list' }] : ['items_list', {}];
  assert.match(JSON.stringify((await call(read, args))[1]), /Leviathan/);
  const [bad, refusal] = await call(read, { ...args, nonsense: 1 });
  assert(bad.isError);
  assert.equal(refusal.error.code, 'INVALID_PARAMS');
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no_such_tool/);
  await client.close();
  rmSync(folder, { recursive: true, force: true });
  console.log(`typescript: ${label} ${surface}: ${tools.length} tools: listed, searched, asked, ran, refused`);
}
