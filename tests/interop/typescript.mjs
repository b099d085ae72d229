// The official TypeScript clients against the stdio door: v2 in both eras, v1 (legacy).
// usage: node typescript.mjs MYCLI_MCP
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';

const server = process.argv[2];
const identity = { name: 'interop', version: '0' };
const clients = {
  'v2 auto': () => [new Client(identity, { versionNegotiation: { mode: 'auto' } }), StdioClientTransport],
  'v2 legacy': () => [new Client(identity), StdioClientTransport],
  'v1': () => [new ClientV1(identity), TransportV1],
};

for (const [label, make] of Object.entries(clients)) for (const surface of ['facade', 'mirror']) {
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  const [client, Transport] = make();
  const env = { ...process.env, MYCLI_DATA_DIR: `${folder}/data`, XDG_STATE_HOME: `${folder}/state`, MYCLI_MCP_SURFACE: surface };
  await client.connect(new Transport({ command: server, args: [], env, stderr: 'inherit' }));
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
  const [added, envelope] = facade
    ? await call('command_run', { name: 'items add', flags: { title: 'Leviathan', yes: true } })
    : await call('items_add', { title: 'Leviathan', yes: true });
  assert(!added.isError);
  assert.equal(envelope.mode, 'apply');
  const [read, args] = facade ? ['command_read', { name: 'items list' }] : ['items_list', {}];
  assert.match(JSON.stringify((await call(read, args))[1]), /Leviathan/);
  const [bad, refusal] = await call(read, { ...args, nonsense: 1 });
  assert(bad.isError);
  assert.equal(refusal.error.code, 'INVALID_PARAMS');
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), /no_such_tool/);
  await client.close();
  rmSync(folder, { recursive: true, force: true });
  console.log(`typescript: ${label} ${surface}: ${tools.length} tools: listed, searched, ran, refused`);
}
