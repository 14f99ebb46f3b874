// An agent of the OpenAI Agents SDK asks a question, and then holds a tool call until a person allows it.
import { Askbridge } from "@askbridge/sdk";
import { approve, askUser } from "@askbridge/sdk/openai-agents";
import { Agent, run, setTracingDisabled, tool } from "@openai/agents";
import { z } from "zod";

setTracingDisabled(true);
const bridge = new Askbridge();
const asking = { to: [{ platform: "slack", channel: "C0000001" }], responders: ["slack:U0000001"] };
const deploy = tool({
  name: "deploy",
  description: "Deploys.",
  parameters: z.object({ target: z.string() }),
  needsApproval: true,
  execute: ({ target }) => `deployed to ${target}`,
});
const agent = new Agent({ name: "deploy-bot", model: "scripted", tools: [askUser(bridge, asking), deploy] });
let result = await run(agent, "please begin");
while (result.interruptions.length > 0) result = await run(agent, await approve(bridge, result, asking));
