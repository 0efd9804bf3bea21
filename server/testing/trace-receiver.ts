import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })).default([]),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.number().optional() }).default({}),
});
const Export = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(Span) })) })),
});

/** A span as it was received, with its attributes by name. */
type ReceivedSpan = Omit<z.output<typeof Span>, "attributes"> & { attributes: Record<string, unknown> };

export interface TraceReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** Every body as it was received. */
  bodies: string[];
  close: () => void;
}

/** A collector of OpenTelemetry that keeps what it receives. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      response.writeHead(request.url === "/v1/traces" ? 200 : 404).end("{}");
      bodies.push(body);
      for (const { scopeSpans } of Export.parse(JSON.parse(body)).resourceSpans) {
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          const attributes = Object.fromEntries(
            span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
          );
          spans.push({ ...span, attributes });
        }
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
