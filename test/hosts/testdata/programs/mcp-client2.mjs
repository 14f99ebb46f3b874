// The official TypeScript client, 2.x, over HTTP.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "test", version: "1" });
const headers = { Authorization: `Bearer ${process.env.ASKBRIDGE_TOKEN}` };
await client.connect(new StreamableHTTPClientTransport(new URL(`${process.env.ASKBRIDGE_URL}/mcp`), { requestInit: { headers } }));
const question = { question: "Which database?", options: [{ label: "Postgres" }, { label: "SQLite" }] };
const result = await client.callTool({ name: "ask_user", arguments: { questions: [question] } });
console.log(result.structuredContent.message);
await client.close();
