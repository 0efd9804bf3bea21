import { AsyncLocalStorage } from "node:async_hooks";
import type * as Api from "@opentelemetry/api";
import { processWide } from "@/server/platform/process-wide";

type Attributes = Record<string, string | number | undefined>;
type Kind = "server" | "client" | "consumer";

/** What `startTracing` provides. Absent, nothing of OpenTelemetry is loaded and no span is made. */
export interface Tracing {
  api: typeof Api;
  tracer: Api.Tracer;
  stop: () => Promise<void>;
}

/** The state of the process, whose code exists three times. */
const state = processWide("tracing", () => ({
  current: null as Tracing | null,
  contexts: new AsyncLocalStorage<Api.Context>(),
}));

export function setTracing(tracing: Tracing | null): void {
  state.current = tracing;
}

/** Sends the last spans, within a few seconds. */
export async function stopTracing(): Promise<void> {
  const tracing = state.current;
  state.current = null;
  await tracing?.stop();
}

/** A span that is open, and the context in which its parts are. */
export interface OpenSpan {
  span: Api.Span;
  context: Api.Context;
}

/** The context of the caller, to be used as a parent where callbacks run on behalf of others; null without tracing. */
export const currentTrace = (): Api.Context | null => (state.current && state.contexts.getStore()) ?? null;

const kinds: Record<Kind, Api.SpanKind> = { server: 1, client: 2, consumer: 4 };

/** Starts a span; null without tracing. Values are never secrets, texts of people or values of statements. */
export function startSpan(
  name: string,
  kind: Kind,
  attributes: Attributes,
  { parent, link }: { parent?: Api.Context | null; link?: string | undefined } = {},
): OpenSpan | null {
  const tracing = state.current;
  if (!tracing) return null;
  const { api, tracer } = tracing;
  const above = parent ?? state.contexts.getStore() ?? api.ROOT_CONTEXT;
  const linked = parseTraceparent(link);
  const links = linked ? [{ context: linked }] : [];
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, links }, above);
  return { span, context: api.trace.setSpan(above, span) };
}

/** Runs `work` and everything that it starts inside a span. */
export const inSpan = <T>(open: OpenSpan | null, work: () => T): T =>
  open ? state.contexts.run(open.context, work) : work();

const failed = 2 satisfies Api.SpanStatusCode.ERROR;

/** Ends a span; with an error, as failed. Of the error only its kind is sent: its text may name what is secret. */
export function endSpan(open: OpenSpan | null, error?: unknown, attributes: Attributes = {}): void {
  if (!open) return;
  open.span.setAttributes(attributes);
  if (error) {
    const name = error instanceof Error ? error.name : String(error);
    open.span.setStatus({ code: failed, message: name });
    open.span.setAttribute("error.type", name);
  }
  open.span.end();
}

/** Runs `work` inside a span of its own. */
export async function traced<T>(
  open: OpenSpan | null,
  work: () => Promise<T>,
  describe: (result: T) => Attributes = () => ({}),
): Promise<T> {
  if (!open) return work();
  try {
    const result = await inSpan(open, work);
    endSpan(open, null, describe(result));
    return result;
  } catch (error) {
    endSpan(open, error);
    throw error;
  }
}

function parseTraceparent(text: string | undefined): Api.SpanContext | null {
  const match = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? "");
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The context that a client names in its `traceparent`; null without tracing, or without a valid one. */
export function readTraceparent(text: string | undefined): Api.Context | null {
  const { current } = state;
  const given = current && parseTraceparent(text);
  return given ? current.api.trace.setSpanContext(current.api.ROOT_CONTEXT, given) : null;
}

/** The current span as a `traceparent`; null outside of one. */
export function writeTraceparent(): string | null {
  const context = currentTrace();
  const span = context && state.current?.api.trace.getSpanContext(context);
  if (!span) return null;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, "0")}`;
}
