// Receives webhooks on port 8081: ASKBRIDGE_WEBHOOK_SECRET=whsec_… node build/examples/webhook.js
import { createServer } from "node:http";
import { SignatureError, verifyWebhook } from "@askbridge/sdk";

const secret = process.env["ASKBRIDGE_WEBHOOK_SECRET"] ?? "";

createServer(async (request, reply) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const { data } = await verifyWebhook(Buffer.concat(chunks), request.headers, secret);
    console.log(data.id, data.state === "answered" ? data.text : `no answer: ${data.state}`);
    reply.writeHead(204).end();
  } catch (error) {
    reply.writeHead(error instanceof SignatureError ? 401 : 500).end();
  }
}).listen(Number(process.env["PORT"] ?? 8081), "127.0.0.1");
