// A Vercel AI SDK agent that asks people: node build/examples/ai-sdk.js
//
// The model is scripted, so that this runs without an API key. Replace it with a real one, such as model: "openai/gpt-5".
import { Askbridge } from "@askbridge/sdk";
import { askUser } from "@askbridge/sdk/ai";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const bridge = new Askbridge();
const { text } = await generateText({
  model: scripted(),
  tools: { ask_user: askUser(bridge, { to: [{ platform: "slack", channel: "C0000001" }] }) },
  stopWhen: stepCountIs(5),
  prompt: "Set up a preview. Ask which database to use.",
});
console.log(text);

/** A model that calls the tool first, and then repeats its result. */
function scripted() {
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const result = prompt.flatMap((message) => (message.role === "tool" ? message.content : [])).find((part) => part.type === "tool-result");
      if (!result) {
        const input = JSON.stringify({ questions: [{ question: "Which database for the AI SDK?", options: [{ label: "Postgres" }, { label: "SQLite" }] }] });
        return {
          content: [{ type: "tool-call", toolCallId: "call_1", toolName: "ask_user", input }],
          finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [],
        };
      }
      const answer = result.output.type === "text" ? result.output.value : JSON.stringify(result.output);
      return { content: [{ type: "text", text: `The tool returned: ${answer}` }], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] };
    },
  });
}
