// The Vercel AI SDK 5, 6 or 7, as the folder has it: a model calls the tool of the SDK.
import { createOpenAI } from "@ai-sdk/openai";
import { Askbridge } from "@askbridge/sdk";
import { askUser } from "@askbridge/sdk/ai";
import { generateText, stepCountIs } from "ai";

const model = createOpenAI({ baseURL: `${process.env.MODEL_URL}/v1`, apiKey: "scripted" }).chat("scripted");
const to = [{ platform: "slack", channel: "C0000001" }];
await generateText({ model, prompt: "please begin", stopWhen: stepCountIs(3), tools: { ask_user: askUser(new Askbridge(), { to }) } });
