// A LangGraph graph with interrupts that people answer: node build/examples/langgraph.js
import { Askbridge, type EndedRequest } from "@askbridge/sdk";
import { answer, type QuestionSet } from "@askbridge/sdk/langgraph";
import { Annotation, END, interrupt, isInterrupted, MemorySaver, START, StateGraph } from "@langchain/langgraph";

const bridge = new Askbridge();
const to = [{ platform: "slack", channel: "C0000001" }];

const State = Annotation.Root({ version: Annotation<string>, note: Annotation<string> });
const graph = new StateGraph(State)
  .addNode("choose", () => {
    const ended = interrupt<QuestionSet, EndedRequest>({ questions: [{ question: "Which version goes out?", options: ["4.2", "4.3"] }] });
    return { version: ended.state === "answered" ? ended.answers[0]!.selected[0]! : "none" };
  })
  .addNode("describe", () => ({ note: interrupt<string, string>("What should the release note say?") }))
  .addEdge(START, "choose")
  .addEdge("choose", "describe")
  .addEdge("describe", END)
  .compile({ checkpointer: new MemorySaver() });

const config = { configurable: { thread_id: "release-1" } };
let state = await graph.invoke({}, config);
while (isInterrupted(state)) {
  state = await graph.invoke(await answer(bridge, state, { to }), config);
}
console.log(`${state.version}: ${state.note}`);
