// An OpenAI Agents SDK agent that asks people and lets them approve a tool: node build/examples/openai-agents.js
//
// The model is scripted, so that this runs without an API key. For a real one, omit model and set OPENAI_API_KEY.
import { Askbridge } from "@askbridge/sdk";
import { approve, askUser } from "@askbridge/sdk/openai-agents";
import { Agent, run, tool, Usage, type AgentOutputItem, type Model } from "@openai/agents";

const bridge = new Askbridge();
const to = [{ platform: "slack", channel: "C0000001" }];
const responders = ["anyone"]; // Who may approve. In production name people, such as "slack:U0000001".

const deploy = tool({
  name: "deploy",
  description: "Deploys a version",
  parameters: { type: "object", properties: { version: { type: "string" } }, required: ["version"], additionalProperties: false },
  needsApproval: true,
  execute: (input) => `deployed ${(input as { version: string }).version}`,
});
const agent = new Agent({ name: "deploy-bot", model: scripted(), tools: [askUser(bridge, { to }), deploy] });

let result = await run(agent, "Ask which version to deploy, then deploy it.");
while (result.interruptions.length > 0) {
  result = await run(agent, await approve(bridge, result, { to, responders }));
}
console.log(result.finalOutput);

/** A model that asks for a version, deploys it, and reports the result. */
function scripted(): Model {
  return {
    async getResponse({ input }) {
      const results = Array.isArray(input) ? input.flatMap((item) => (item.type === "function_call_result" ? [JSON.stringify(item.output)] : [])) : [];
      const version = results[0]?.match(/\d\.\d/)?.[0];
      const output = results.length === 0
        ? call("ask_user", { questions: [{ question: "Which version?", options: [{ label: "4.2" }, { label: "4.3" }] }] })
        : results.length === 1 ? call("deploy", { version }) : say(`The tool returned: ${results[1]}`);
      return { usage: new Usage(), output: [output] };
    },
    getStreamedResponse() {
      throw new Error("this script does not stream");
    },
  };
}

function call(name: string, args: unknown): AgentOutputItem {
  return { type: "function_call", callId: `call_${name}`, name, arguments: JSON.stringify(args), status: "completed" };
}

function say(text: string): AgentOutputItem {
  return { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}
