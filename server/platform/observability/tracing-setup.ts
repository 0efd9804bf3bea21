import { env } from "@/server/platform/env";
import { setTracing } from "@/server/platform/tracing";

/** Spans are sent together, a moment after they ended. */
const sendMs = 1_000;

/** How long the last spans may take to be sent while the process stops. */
const stopMs = 3_000;

/**
 * Sends traces to OTEL_EXPORTER_OTLP_ENDPOINT. The library reads further variables of OpenTelemetry, such as the headers,
 * by itself. No provider is registered for the whole process, because Next would add spans of its own.
 */
export async function startTracing(version: string, role: "web" | "worker"): Promise<void> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return;
  // Imported lazily, because most installations send no traces.
  const [api, sdk, { OTLPTraceExporter }, { defaultResource, detectResources, envDetector, resourceFromAttributes }] =
    await Promise.all([
      import("@opentelemetry/api"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
    ]);
  const own = resourceFromAttributes({
    "service.name": env.OTEL_SERVICE_NAME,
    "service.version": version,
    "service.instance.id": `${role}-${process.pid}`,
    "muster.role": role,
  });
  const provider = new sdk.TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(own),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(env.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(), scheduledDelayMillis: sendMs })],
  });
  const stop = async () => {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, stopMs).unref());
    await Promise.race([provider.shutdown().catch(() => {}), timeout]);
  };
  setTracing({ api, tracer: provider.getTracer("muster", version), stop });
}
