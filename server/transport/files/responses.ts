/** A JSON response (or an empty one for null) of the files transport, never cached and never sniffed. */
export function response(status: number, body: object | null, headers: Record<string, string> = {}): Response {
  const common = { "cache-control": "private, no-store", "x-content-type-options": "nosniff" };
  if (body === null) return new Response(null, { status, headers: { ...common, "content-length": "0", ...headers } });
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...common, "content-type": "application/json", ...headers },
  });
}

export const refuse = (status: number, detail: string, headers: Record<string, string> = {}): Response =>
  response(status, { detail }, headers);
