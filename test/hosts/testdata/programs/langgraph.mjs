// A graph of LangGraph that interrupts for a question.
import { Askbridge } from "@askbridge/sdk";
import { answer } from "@askbridge/sdk/langgraph";
import { Annotation, END, interrupt, isInterrupted, MemorySaver, START, StateGraph } from "@langchain/langgraph";

const questions = [{ question: "Which database?", options: ["Postgres", "SQLite"] }];
const graph = new StateGraph(Annotation.Root({ said: Annotation() }))
  .addNode("ask", () => ({ said: interrupt({ questions }).text }))
  .addEdge(START, "ask")
  .addEdge("ask", END)
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: "1" } };
let state = await graph.invoke({}, config);
while (isInterrupted(state)) {
  state = await graph.invoke(await answer(new Askbridge(), state, { to: [{ platform: "slack", channel: "C0000001" }] }), config);
}
console.log(state.said);
