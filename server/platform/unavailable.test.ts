import { describe, expect, test } from "vitest";
import { conflict, ServiceError } from "@/server/platform/errors";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { markOutage, findOutage, unavailable } from "@/server/platform/unavailable";

const coded = (code: string, message = "") => Object.assign(new Error(message), { code });
const marked = (error: Error) => {
  markOutage(error);
  return error;
};
const ofPrisma = (code: string, meta: object = {}) =>
  Object.assign(coded(code), { name: "PrismaClientKnownRequestError", meta });
const notConnected = (errorCode: string) =>
  Object.assign(new Error(""), { name: "PrismaClientInitializationError", errorCode });
const ofAdapter = (cause: object) => Object.assign(new Error("", { cause }), { name: "DriverAdapterError" });
const ofState = (originalCode: string) => ofAdapter({ kind: "postgres", originalCode });

describe("an outage of the database is recognized", () => {
  test.each([
    ["57P01", "lost"],
    ["57P02", "lost"],
    ["08006", "lost"],
    ["08003", "lost"],
    ["ECONNRESET", "lost"],
    ["EPIPE", "lost"],
    ["57P03", "refused"],
    ["08001", "refused"],
    ["ECONNREFUSED", "refused"],
    ["EAI_AGAIN", "refused"],
    ["57014", "timeout"],
    ["ETIMEDOUT", "timeout"],
    ["25P03", "timeout"],
    ["53300", "overloaded"],
    ["53200", "overloaded"],
    ["28P01", "refused"],
    ["28000", "refused"],
  ])("by the driver's code %s: %s", (code, outage) => {
    expect(findOutage(marked(coded(code)))).toBe(outage);
  });

  test.each([
    ["Connection terminated unexpectedly", "lost"],
    ["Client has encountered a connection error and is not queryable", "lost"],
    ["timeout exceeded when trying to connect", "timeout"],
    ["Connection terminated due to connection timeout", "timeout"],
    ["Query read timeout", "timeout"],
  ])("by the driver's message %s: %s", (message, outage) => {
    expect(findOutage(marked(new Error(message)))).toBe(outage);
    expect(findOutage(new Error("wrapped", { cause: marked(new Error(message)) }))).toBe(outage);
  });

  test.each([
    ["P1000", "refused"],
    ["P1001", "refused"],
    ["P1002", "timeout"],
    ["P1008", "timeout"],
    ["P1017", "lost"],
    ["P2024", "timeout"],
    ["P2028", "timeout"],
    ["P2037", "overloaded"],
  ])("by Prisma's code %s: %s", (code, outage) => {
    expect(findOutage(ofPrisma(code))).toBe(outage);
    expect(findOutage(notConnected(code))).toBe(outage);
  });

  test("by the error of Prisma's adapter, alone or inside an error of a raw statement", () => {
    expect(findOutage(ofAdapter({ kind: "ConnectionClosed" }))).toBe("lost");
    expect(findOutage(ofState("57P01"))).toBe("lost");
    expect(findOutage(ofPrisma("P2010", { driverAdapterError: ofState("57014") }))).toBe("timeout");
    expect(findOutage(ofPrisma("P2039", { driverAdapterError: ofState("53300") }))).toBe("overloaded");
  });
});

test("other errors are not outages: a client that disconnected, a constraint, a syntax error, a refusal", () => {
  const others = [
    coded("ECONNRESET", "aborted"), // not of the pool's socket
    marked(coded("23505")),
    marked(coded("42601")),
    marked(coded("40001")),
    ofPrisma("P2002"),
    ofPrisma("P2034"),
    ofPrisma("P2010", { driverAdapterError: ofState("42601") }),
    conflict("taken"),
    new Error("something"),
    "text",
    null,
    undefined,
  ];
  for (const other of others) {
    expect(findOutage(other)).toBeNull();
    expect(unavailable(other)).toBeNull();
  }
});

test("an outage becomes an unavailable error with a retry time, without a stack, recorded at its request", () => {
  const scope = new RequestScope();
  const refusal = inScope(scope, () => unavailable(marked(coded("57P01"))));
  expect(refusal).toMatchObject({ code: "unavailable", options: { retryAfterSeconds: 1 } });
  expect(refusal?.stack?.split("\n")).toHaveLength(1);
  expect(scope.refusal).toBe(refusal);
  const own = new ServiceError("unavailable", { detail: "Not now." });
  expect(unavailable(own)).toBe(own);
});
