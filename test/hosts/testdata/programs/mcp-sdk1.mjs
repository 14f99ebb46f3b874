// The official TypeScript client, 1.x, with a server on standard input whose calls wait for a moment only.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const question = { question: "Which database?", options: [{ label: "Postgres" }, { label: "SQLite" }] };
let { structuredContent: result } = await client.callTool({ name: "ask_user", arguments: { questions: [question] } });
console.log(result.state);
while (result.state === "pending") {
  ({ structuredContent: result } = await client.callTool({ name: result.next.tool, arguments: result.next.arguments }));
}
console.log(result.message);
await client.close();
