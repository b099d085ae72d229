"""The official Python SDK against the stdio door, in both protocol eras and on both surfaces.

usage: python.py MYCLI_MCP
"""

import asyncio
import json
import os
import sys
import tempfile

from mcp import Client, StdioServerParameters, types

SERVER = sys.argv[1]


def texts(result):
    return [block.text for block in result.content]


async def check(mode, surface):
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "MYCLI_DATA_DIR": f"{folder}/data", "XDG_STATE_HOME": f"{folder}/state", "MYCLI_MCP_SURFACE": surface}
        server = StdioServerParameters(command=SERVER, args=["start", "--approve=ask"], env=env)
        asked = []

        async def elicit(context, params):
            asked.append(params.message)
            return types.ElicitResult(action="decline" if "Behemoth" in params.message else "accept", content={})

        async with Client(server, mode=mode, elicitation_callback=elicit, read_timeout_seconds=30) as client:
            version = client.session.protocol_version
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert all(tool.annotations is not None for tool in tools.values()), "a tool has no annotations"
            if surface == "facade":
                assert list(tools)[:3] == ["command_search", "command_read", "command_run"], list(tools)
                found = json.loads(texts(await client.call_tool("command_search", {"query": "add a book"}))[0])
                assert found["commands"][0]["name"] == "items add", found
                add = ("command_run", {"name": "items add", "flags": {"title": "Leviathan", "yes": True}})
                read = ("command_read", {"name": "items list"})
            else:
                add = ("items_add", {"title": "Leviathan", "yes": True})
                read = ("items_list", {})
            added = await client.call_tool(*add)
            assert not added.is_error and json.loads(texts(added)[0])["mode"] == "apply", texts(added)
            assert len(asked) == 1 and "-- Leviathan" in asked[0], asked
            name, arguments = json.loads(json.dumps(add).replace("Leviathan", "Behemoth"))
            declined = await client.call_tool(name, arguments)
            assert declined.is_error and json.loads(texts(declined)[0])["error"]["code"] == "APPROVAL_DENIED", texts(declined)
            listed = json.loads(texts(await client.call_tool(*read))[0])
            assert "Leviathan" in json.dumps(listed), listed
            bad = await client.call_tool(read[0], {**read[1], "nonsense": 1})
            assert bad.is_error and json.loads(texts(bad)[0])["error"]["code"] == "INVALID_PARAMS", texts(bad)
            try:
                unknown = str(await client.call_tool("no_such_tool", {}))
            except Exception as error:  # noqa: BLE001 - the SDK's own type differs by version
                unknown = str(error)
            assert "no_such_tool" in unknown, unknown
        print(f"python: {surface:7} mode={mode:7} protocol={version} tools={len(tools)}: listed, searched, asked, ran, refused")


async def main():
    for mode in ("auto", "legacy"):
        for surface in ("facade", "mirror"):
            await check(mode, surface)


asyncio.run(main())
