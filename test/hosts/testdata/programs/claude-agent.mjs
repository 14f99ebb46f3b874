// An agent of the Claude Agent SDK whose questions and permission prompts are decided in chat: canUseTool sends each call
// to askbridge and returns the reply as it is.
const { query } = await import(process.env.AGENT_SDK);

async function canUseTool(tool_name, input, { toolUseID }) {
  const to = "to=slack:C0000001&responders=slack:U0000001&wait=60s";
  const reply = await fetch(`${process.env.ASKBRIDGE_URL}/v1/ask/claude?${to}`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.ASKBRIDGE_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify({ tool_name, input, tool_use_id: toolUseID }),
  });
  return reply.json();
}

for await (const message of query({ prompt: "please begin", options: { canUseTool } })) {
  if (message.type === "result") console.log(message.result);
}
