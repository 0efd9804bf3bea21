import { describe, expect, it } from "vitest";
import { readFailure } from "./failure";

describe("reading a failure", () => {
  it("keeps the API's issues, request id and waiting time", () => {
    const failure = readFailure({
      message: "Bad request",
      data: {
        httpStatus: 400,
        issues: [{ path: ["tags", 3], message: "Too long." }, { path: 3 }],
        request_id: "req-1",
        retry_after_seconds: 4,
      },
    });
    expect(failure).toEqual({
      detail: "Bad request",
      status: 400,
      issues: [{ path: ["tags", 3], message: "Too long." }],
      requestId: "req-1",
      retryAfter: 4,
    });
  });

  it("prefers an issue without a field as the detail", () => {
    expect(readFailure({ message: "x", data: { issues: [{ path: [], message: "Pick one." }] } }).detail).toBe(
      "Pick one.",
    );
  });

  it("shows a response from before the tRPC handler", () => {
    const meta = { response: { status: 413 }, responseJSON: { detail: "The request body is too large." } };
    const failure = readFailure(Object.assign(new Error("Unable to transform response from server"), { meta }));
    expect(failure).toMatchObject({ detail: "The request body is too large.", status: 413, issues: [] });
  });

  it("reports that the server could not be reached when there was no response", () => {
    expect(readFailure(new TypeError("Failed to fetch")).detail).toBe("The server could not be reached.");
  });

  it("reads any thrown value without throwing itself", () => {
    for (const thrown of [undefined, null, "", 7, "text", {}, { data: null }])
      expect(readFailure(thrown).detail).not.toBe("");
  });
});
