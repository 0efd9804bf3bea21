import type { Inputs, Outputs } from "@/components/trpc/client";
import type { Issue } from "@/domain/issues";

/** What the server says in component tests, by procedure: the only part of the product that they replace. */

/** Every procedure that a page can call: `devices.list`. */
export type Procedure =
  | { [R in keyof Outputs]: `${R}.${Extract<keyof Outputs[R], string>}` }[keyof Outputs]
  | `projects.people.${Extract<keyof Outputs["projects"]["people"], string>}`
  | `projects.members.${Extract<keyof Outputs["projects"]["members"], string>}`;

type Member<All, P extends string> = P extends `${infer R}.${infer Name}`
  ? R extends keyof All
    ? Name extends keyof All[R]
      ? All[R][Name]
      : Member<All[R], Name>
    : never
  : never;
type OutputOf<P extends Procedure> = Member<Outputs, P>;
type InputOf<P extends Procedure> = Member<Inputs, P>;

const codes = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  409: "CONFLICT",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
} as const;

/** How the server refuses a call, or fails at it; the members are those of `server/transport/trpc/init.ts`. */
interface Refusal {
  status: keyof typeof codes;
  detail: string;
  issues?: Issue[];
  request_id?: string;
  /** Only with 429 and 503. */
  retry_after_seconds?: number;
  facts?: Readonly<Record<string, string | number | null>>;
}

type Reply = { data: unknown } | { refusal: Refusal };

const answers = new Map<string, (input: unknown) => Reply | Promise<Reply>>();
const unknown = new Set<string>();
const requests: { procedure: string; input: unknown }[] = [];
let isConnected = true;

/** Sets what a procedure returns from now on, or how that follows from its input. */
export function answer<P extends Procedure>(
  procedure: P,
  output: OutputOf<P> | ((input: InputOf<P>) => OutputOf<P> | Promise<OutputOf<P>>),
): void {
  const reply = typeof output === "function" ? (output as (input: unknown) => unknown) : () => output;
  answers.set(procedure, async (input) => ({ data: await reply(input) }));
}

/** Lets the server refuse a procedure from now on. */
export const refuse = (procedure: Procedure, refusal: Refusal): void =>
  void answers.set(procedure, () => ({ refusal }));

/** Cuts the connection to the server, or restores it. */
export const connect = (connected: boolean): void => void (isConnected = connected);

/** The inputs with which a procedure was called since the test began, oldest first. */
export const listInputs = <P extends Procedure>(procedure: P): InputOf<P>[] =>
  requests.filter((request) => request.procedure === procedure).map(({ input }) => input as InputOf<P>);

/** Forgets all answers. Returns what was asked for and had none. */
export function resetNetwork(): string[] {
  const missing = [...unknown];
  answers.clear();
  unknown.clear();
  requests.length = 0;
  isConnected = true;
  return missing;
}

/** What a batch says of one call. */
async function callProcedure(procedure: string, input: unknown): Promise<object> {
  requests.push({ procedure, input });
  const reply = await answers.get(procedure)?.(input);
  if (reply && "data" in reply) return { result: { data: reply.data } };
  if (!reply) unknown.add(procedure);
  const { status, ...rest }: Refusal = reply?.refusal ?? {
    status: 404,
    detail: `The test gives no answer to ${procedure}.`,
  };
  const data = { code: codes[status], httpStatus: status, path: procedure, ...rest };
  return { error: { message: rest.detail, code: -32_000 - (status % 100), data } };
}

const prefix = "/api/trpc/";

async function answerCalls(request: Request, url: URL): Promise<Response> {
  const text = request.method === "GET" ? url.searchParams.get("input") : await request.text();
  const input: unknown = text ? JSON.parse(text) : undefined;
  const procedures = url.pathname.slice(prefix.length).split(",");
  if (!url.searchParams.has("batch")) return Response.json(await callProcedure(procedures[0] ?? "", input));
  const inputs = new Map(Object.entries(input ?? {}));
  return Response.json(
    await Promise.all(procedures.map((procedure, at) => callProcedure(procedure, inputs.get(String(at))))),
  );
}

/** Answers this page's requests to the server; those of the test runner pass. */
export function replaceNetwork(): void {
  const network = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    if (url.origin !== location.origin || !/^\/(api|files|media)\//.test(url.pathname)) return network(input, init);
    if (!isConnected) throw new TypeError("Failed to fetch");
    if (url.pathname.startsWith(prefix)) return answerCalls(request, url);
    unknown.add(`${request.method} ${url.pathname}`);
    return Response.json({ detail: "Not found." }, { status: 404 });
  };
}
