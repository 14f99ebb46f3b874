import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The parser is not part of the public API.
import { EventParser } from "../../dist/stream.js";

const text = ["retry: 1000\n\n", ":\n\n", "id: 1\nevent: open\ndata: {\"a\":\ndata: 1}\n\n", "id: 2\r\ndata: x\r\n\r\n", "data:y\rid:3\r\r", "id: 4\ndata: cut"].join("");
const want = [
  { id: "", data: undefined, retry: 1 },
  { id: "1", data: '{"a":\n1}', retry: undefined },
  { id: "2", data: "x", retry: undefined },
  { id: "3", data: "y", retry: undefined },
];

test("events are the same for every chunk size", () => {
  for (let size = 1; size <= text.length; size++) {
    const parser = new EventParser();
    const got = [];
    for (let at = 0; at < text.length; at += size) got.push(...parser.push(text.slice(at, at + size)));
    assert.deepEqual(got, want, `chunks of ${size}`);
  }
});
