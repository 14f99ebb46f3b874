// LangChain's agent holds a tool call until a person allows it.
import { Askbridge } from "@askbridge/sdk";
import { answer } from "@askbridge/sdk/langgraph";
import { isInterrupted, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import { z } from "zod";

const model = new ChatOpenAI({ model: "scripted", apiKey: "scripted", configuration: { baseURL: `${process.env.MODEL_URL}/v1` } });
const deploy = tool(({ target }) => `deployed to ${target}`, { name: "deploy", description: "Deploys.", schema: z.object({ target: z.string() }) });
const allowedDecisions = ["approve", "reject"];
const middleware = [humanInTheLoopMiddleware({ interruptOn: { deploy: { allowedDecisions } } })];
const agent = createAgent({ model, tools: [deploy], middleware, checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: "1" } };
const asking = { to: [{ platform: "slack", channel: "C0000001" }], responders: ["slack:U0000001"] };
let state = await agent.invoke({ messages: [{ role: "user", content: "please begin" }] }, config);
while (isInterrupted(state)) state = await agent.invoke(await answer(new Askbridge(), state, asking), config);
