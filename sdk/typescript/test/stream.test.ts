import assert from "node:assert/strict";
import { test } from "node:test";
// @ts-expect-error The reader of lines is no part of what the package offers.
import { Lines } from "../../dist/stream.js";

const text = ["retry: 1000\n\n", ":\n\n", "id: 1\nevent: open\ndata: {\"a\":\ndata: 1}\n\n", "id: 2\r\ndata: x\r\n\r\n", "data:y\rid:3\r\r", "id: 4\ndata: cut"].join("");
const want = [
  { id: "", data: undefined, retry: 1 },
  { id: "1", data: '{"a":\n1}', retry: undefined },
  { id: "2", data: "x", retry: undefined },
  { id: "3", data: "y", retry: undefined },
];

test("messages are the same wherever the network parts them", () => {
  for (let size = 1; size <= text.length; size++) {
    const lines = new Lines();
    const got = [];
    for (let at = 0; at < text.length; at += size) got.push(...lines.take(text.slice(at, at + size)));
    assert.deepEqual(got, want, `in pieces of ${size}`);
  }
});
