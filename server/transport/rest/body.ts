import { jsonDepth, maxJsonDepth, tooDeep } from "@/domain/fields";
import { invalid, invalidInput, ServiceError } from "@/server/platform/errors";

const decoder = new TextDecoder("utf-8", { fatal: true });
const tooLarge = () => new ServiceError("too_large");

/** Maximum size of a request's body in bytes, unless its operation declares another. */
export const defaultMaxBodyBytes = 1024 * 1024;

/** Throws 413 for a body whose declared length exceeds `maxBytes`, also when the operation reads no body. */
export function checkDeclaredLength(request: Request, maxBytes: number): void {
  if (Number(request.headers.get("content-length")) > maxBytes) throw tooLarge();
}

/** Reads a body with or without a declared length. Throws 413 beyond `maxBytes`. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  // The HTTP parser enforces the declared length.
  if (declared !== null) return Number(declared) === 0 ? new Uint8Array() : new Uint8Array(await request.arrayBuffer());
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let total = 0;
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks);
    total += value.length;
    if (total > maxBytes) {
      await reader.cancel().catch(() => {});
      throw tooLarge();
    }
    chunks.push(value);
  }
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"]);
// Only a text with one of these can contain what `inspect` looks for, so that most bodies need not be inspected.
const suspicious = /\\u0000|\\u[dD][89a-fA-F]|__proto__|constructor|prototype|[eE]\+?\d{3}/;

/** Drops dangerous keys in place; returns an error for the first text or number that PostgreSQL cannot store. */
function inspect(root: unknown): string | null {
  const stack: unknown[] = [root];
  const badText = (text: string) =>
    text.includes("\0")
      ? "Null characters are not allowed."
      : text.isWellFormed()
        ? null
        : "Invalid Unicode is not allowed.";
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === "string") {
      const problem = badText(value);
      if (problem) return problem;
    } else if (typeof value === "number" && !Number.isFinite(value)) {
      return "Out of range float values are not JSON compliant.";
    } else if (Array.isArray(value)) {
      stack.push(...value.slice(0, 50_000));
      if (value.length > 50_000) for (let i = 50_000; i < value.length; i++) stack.push(value[i]);
    } else if (typeof value === "object" && value !== null) {
      const record = value as Record<string, unknown>;
      for (const key of Object.keys(record)) {
        const problem = badText(key);
        if (problem) return problem;
        if (forbiddenKeys.has(key)) delete record[key];
        else stack.push(record[key]);
      }
    }
  }
  return null;
}

/** The field name for the document itself. */
const documentField = "non_field_errors";

/**
 * Refuses (400) a parsed document that nests beyond 32 levels or holds texts or numbers that PostgreSQL cannot store,
 * and drops dangerous keys in place. Errors name their top-level field. `text`, from which it was parsed, saves the
 * inspection of most documents.
 */
export function checkDocument(document: unknown, text?: string): void {
  const entries: [string, unknown][] =
    typeof document === "object" && document !== null && !Array.isArray(document)
      ? Object.entries(document)
      : [[documentField, document]];
  const problems = new Map<string, string>();
  const thorough = text === undefined || suspicious.test(text);
  for (const [field, value] of entries) {
    if (typeof value === "object" && value !== null && jsonDepth(value) > maxJsonDepth) problems.set(field, tooDeep);
    else if (thorough) {
      const problem = inspect(value);
      if (problem) problems.set(field, problem);
    }
  }
  if (thorough && typeof document === "object" && document !== null && !Array.isArray(document)) {
    for (const key of Object.keys(document)) {
      if (forbiddenKeys.has(key)) delete (document as Record<string, unknown>)[key];
      const problem = inspect(key);
      if (problem) problems.set(documentField, problem);
    }
    for (const key of forbiddenKeys) problems.delete(key);
  }
  if (problems.size > 0)
    throw invalidInput(
      [...problems].map(([field, message]) => ({ path: field === documentField ? [] : [field], message })),
    );
}

/** Refuses (415) a text whose media type names another encoding than UTF-8, as which all texts are read. */
export function refuseCharset(mediaType: string): ServiceError | null {
  for (const [, quoted, bare] of mediaType.matchAll(/;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/gi)) {
    const charset = quoted ?? bare ?? "";
    if (/^utf-?8$/i.test(charset)) continue;
    return new ServiceError("unsupported_media_type", {
      detail: `Unsupported charset "${charset.slice(0, 50)}" in request. Send UTF-8.`,
    });
  }
  return null;
}

/**
 * Reads the JSON document of a request; `{}` for an empty body. Throws 413 beyond `maxBytes`, 415 for another media
 * type or charset and for any compression, 400 for invalid UTF-8 or JSON, nesting beyond 32 levels, and values PostgreSQL cannot store.
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  checkDeclaredLength(request, maxBytes);
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new ServiceError("unsupported_media_type", {
      detail: `Unsupported content encoding "${encoding.slice(0, 50)}" in request.`,
    });
  }
  const mediaType = request.headers.get("content-type");
  const bytes = await readBytes(request, maxBytes);
  if (bytes.length === 0) return {};
  if (mediaType !== null && !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(mediaType.trim())) {
    throw new ServiceError("unsupported_media_type", {
      detail: `Unsupported media type "${mediaType.slice(0, 100)}" in request.`,
    });
  }
  const refusal = mediaType === null ? null : refuseCharset(mediaType);
  if (refusal) throw refusal;
  let text: string;
  try {
    text = decoder.decode(bytes); // also strips a byte order mark
  } catch {
    throw invalid([], "JSON parse error - the body is not valid UTF-8.");
  }
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/,? "[^]*$|\.\.\.[^]*$/, "") : "invalid";
    throw invalid([], `JSON parse error - ${reason.slice(0, 120)}`);
  }
  checkDocument(document, text);
  return document;
}
