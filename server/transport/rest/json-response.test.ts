import { expect, test } from "vitest";
import { JsonResponse } from "@/server/transport/rest/json-response";

const value = { name: "Größe 🤖", tags: ["a"] };
const respond = () => new JsonResponse(value, { status: 201, headers: { "x-request-id": "r1" } });

test("reads like any other response, in every form", async () => {
  const plain = new Response(JSON.stringify(value));
  expect(await respond().json()).toEqual(value);
  expect(await respond().text()).toBe(JSON.stringify(value));
  expect(await respond().arrayBuffer()).toEqual(await plain.clone().arrayBuffer());
  expect(await (await respond().blob()).text()).toBe(JSON.stringify(value));
  expect(await respond().clone().json()).toEqual(value);
  expect(await new Response(respond().body).json()).toEqual(value);
});

test("keeps its status and headers, also as a copy", () => {
  for (const response of [respond(), respond().clone()]) {
    expect(response.status).toBe(201);
    expect(Object.fromEntries(response.headers)).toEqual({ "content-type": "application/json", "x-request-id": "r1" });
  }
});
