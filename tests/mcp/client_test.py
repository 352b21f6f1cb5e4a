"""Uses `hloroof mcp` through the official Python client, version 1 or 2: client_test.py COMMAND EXAMPLES.

Skips without the package `mcp`. Prints the session as a transcript.
"""

import asyncio
import inspect
import json
import pathlib
import shutil
import sys
import tempfile

try:
    import jsonschema
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
except ImportError:
    print("skipped: this Python has no package mcp")
    sys.exit(77)


def plain(result):
    """The result as the JSON that came over the wire."""
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


class Agent:
    def __init__(self, session):
        self.session = session
        self.schemas = {}

    async def call(self, tool, is_error=False, **arguments):
        jsonschema.validate(arguments, self.schemas[tool])
        result = plain(await self.session.call_tool(tool, arguments))
        text = result["content"][0]["text"]
        print(f"\n> {tool} {json.dumps(arguments)}\n{text[:500]}{' [...]' if len(text) > 500 else ''}")
        assert result.get("isError", False) == is_error, text
        return result

    async def text(self, tool, **arguments):
        return (await self.call(tool, **arguments))["content"][0]["text"]

    async def read(self, uri):
        if "AnyUrl" in str(inspect.signature(self.session.read_resource)):  # version 1
            from pydantic import AnyUrl

            uri = AnyUrl(uri)
        return plain(await self.session.read_resource(uri))["contents"][0]["text"]

    async def fails(self, awaitable, part):
        try:
            await awaitable
        except Exception as error:  # McpError or MCPError
            assert part in str(error), str(error)
            return
        raise AssertionError(f"no error with {part}")


async def check_schemas(agent, resources):
    """What the tools print as JSON is valid by the schemas that the server has."""
    step = {"device": ["tpu_v5e"], "format": "json", "max_chars": 1000000}
    heads = "narrow_heads.v5e.hlo"
    for tool, arguments, name in [
        ("predict", {"file": [heads], **step}, "prediction"),
        ("explain", {"file": heads, "op": "fusion.5", **step}, "explanation"),
        ("lint", {"file": [heads], **step}, "lint"),
        ("diff", {"old": heads, "new": heads, **step}, "diff"),
        ("memory", {"file": [heads], **step}, "memory"),
        ("sweep", {"file": [heads], **step}, "sweep"),
        ("devices", {"format": "json", "max_chars": 1000000}, "devices"),
        ("device", step, "device"),
    ]:
        result = await agent.call(tool, **arguments)
        schema = json.loads(await agent.read(f"hloroof:///schemas/{name}"))
        value = result["structuredContent"]
        for each in value.get("results", [value]):
            jsonschema.validate(each, schema)
    assert any(resource["uri"] == "hloroof:///schemas/prediction" for resource in resources)


async def use(session):
    agent = Agent(session)
    begun = plain(await session.initialize())
    print(begun["serverInfo"], begun["protocolVersion"])
    await session.send_ping()
    tools = plain(await session.list_tools())["tools"]
    agent.schemas = {tool["name"]: tool["inputSchema"] for tool in tools}
    expected = {"predict", "explain", "lint", "diff", "memory", "bundles", "sweep", "scale", "passes", "devices", "device"}
    assert set(agent.schemas) == expected, agent.schemas.keys()
    for schema in agent.schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)

    ffn, heads = "ffn_block.v5e_2x4.hlo", "narrow_heads.v5e.hlo"
    assert "step time" in await agent.text("predict", file=[ffn], device=["tpu_v5e"], n=3)
    long = await agent.text("explain", file=ffn, op="fusion.2", device=["tpu_v5e"], max_chars=700)
    assert len(long) < 800 and "first_line=" in long
    line = int(long.rpartition("first_line=")[2].partition(" ")[0])
    rest = await agent.text("explain", file=ffn, op="fusion.2", device=["tpu_v5e"], first_line=line, max_chars=9000)
    assert "Time of one execution" in rest
    assert "layout-change" in await agent.text("lint", file=[heads], device=["tpu_v5e"])
    assert "tpu_v6e" in await agent.text("sweep", file=[ffn], device=["tpu_v5e", "tpu_v6e"])
    await agent.call("predict", file=["../README.md"], device=["tpu_v5e"], is_error=True)
    await agent.call("predict", file=["link.hlo"], device=["tpu_v5e"], is_error=True)
    await agent.call("predict", file=[ffn], device=["tpu_v99"], is_error=True)

    resources = plain(await session.list_resources())["resources"]
    uri = next(resource["uri"] for resource in resources if resource["name"] == ffn)
    text = await agent.read(uri + "?first_line=320&max_chars=1000")
    assert "first_line=" in text and "constant" in text
    templates = plain(await session.list_resource_templates())["resourceTemplates"]
    assert templates[0]["uriTemplate"].startswith("hloroof:///dumps/")
    await agent.fails(agent.read("hloroof:///dumps/..%2fREADME.md"), "outside")
    await agent.fails(agent.read("file:///etc/passwd"), "URI")
    await check_schemas(agent, resources)


async def main():
    command, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as outer:
        folder = pathlib.Path(outer, "dumps")
        folder.mkdir()
        for name in ("ffn_block.v5e_2x4.hlo", "narrow_heads.v5e.hlo"):
            shutil.copy(examples / name, folder)
        shutil.copy(examples / "decode_step.v5e.hlo", outer)
        (folder / "link.hlo").symlink_to("../decode_step.v5e.hlo")
        server = StdioServerParameters(command=command, args=["mcp", str(folder)])
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write) as session:
                await use(session)


asyncio.run(main())
