import { Inngest } from "inngest";

const inngest = new Inngest({ id: "askbridge" });

// Inngest drops a second event with the same ID.
export const wake = (request, id) => inngest.send({ id, name: "askbridge/ended", data: request });
