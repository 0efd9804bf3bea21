import { listInput } from "@/components/devices/query";
import { DeviceListFilters } from "@/domain/devices/list-schema";
import { noteDownload } from "@/server/platform/observability/access-notes";
import { inScope, RequestScope } from "@/server/platform/request-scope";
import { retryRead } from "@/server/platform/unavailable";
import { devicesCsv } from "@/server/read-models/devices/devices-csv";
import { mount } from "@/server/transport/http/mount";
import { createContext } from "@/server/transport/trpc/init";

export const dynamic = "force-dynamic";

/** Every device that matches the list's filters, streamed as CSV to a signed-in person. */
async function exportDevices(request: Request): Promise<Response> {
  const { ctx } = await createContext(request.headers);
  if (!ctx) return new Response("Sign in first.", { status: 401 });
  const filters = DeviceListFilters.safeParse(listInput(Object.fromEntries(new URL(request.url).searchParams)));
  if (!filters.success) return new Response("One of the filters is not valid.", { status: 400 });
  noteDownload(ctx.organizationId, ctx.actor, { type: "export", id: "devices", name: "devices.csv" }, ctx);
  const { lines, first } = await retryRead(async () => {
    const begun = devicesCsv(ctx, filters.data);
    return { lines: begun, first: await begun.next() };
  });
  let next: typeof first | null = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A large fleet takes longer than the timeout of one request, so each page has its own.
      const { value, done } = next ?? (await inScope(new RequestScope(), () => lines.next()));
      next = null;
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
    cancel: async () => void (await lines.return(undefined)),
  });
  const name = `devices-${new Date().toISOString().slice(0, 10)}.csv`;
  return new Response(body, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    },
  });
}

export const GET = mount(exportDevices);
