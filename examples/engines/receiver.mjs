// Receives the webhooks of askbridge and wakes the workflow that asked: node receiver.mjs temporal
// A request's session is the ID of its workflow. docs/recipes/engines.md explains it.
import { createServer } from "node:http";
import { SignatureError, verifyWebhook } from "@askbridge/sdk";

const { wake } = await import(`./${process.argv[2]}.mjs`);

createServer(async (request, reply) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const { data } = await verifyWebhook(Buffer.concat(chunks), request.headers, process.env.ASKBRIDGE_WEBHOOK_SECRET);
    // askbridge repeats a call until it gets a 2xx, so the engine has to recognize a repeated call by its ID.
    await wake(data, request.headers["webhook-id"]);
    reply.writeHead(204).end();
  } catch (error) {
    reply.writeHead(error instanceof SignatureError ? 401 : 500).end();
  }
}).listen(Number(process.env.PORT ?? 8082), "127.0.0.1", function () { console.log(this.address().port); });
