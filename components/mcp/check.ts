/** A tool as the server lists it. */
interface ListedTool {
  name: string;
  title: string;
  reads: boolean;
}

export type CheckResult = { tools: ListedTool[]; ms: number } | { problem: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function readTools(body: unknown): ListedTool[] | null {
  const result = isRecord(body) && isRecord(body.result) ? body.result : null;
  if (!result || !Array.isArray(result.tools)) return null;
  return result.tools.filter(isRecord).map((tool) => ({
    name: String(tool.name),
    title: typeof tool.title === "string" ? tool.title : "",
    reads: isRecord(tool.annotations) && tool.annotations.readOnlyHint === true,
  }));
}

const problems: Readonly<Record<number, string>> = {
  401: "This key is not known.",
  403: "This key’s owner is no staff, or the key has scopes.",
  429: "Too many requests. Try again in a moment.",
};

/** Lists the tools that a key may use, as the host of a model does: with the key alone, not with the page's session. */
export async function checkKey(path: string, key: string): Promise<CheckResult> {
  const began = performance.now();
  try {
    const response = await fetch(path, {
      method: "POST",
      credentials: "omit",
      headers: { authorization: `Bearer ${key.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    const ms = performance.now() - began;
    if (!response.ok) return { problem: problems[response.status] ?? `The server responded with ${response.status}.` };
    const tools = readTools(await response.json());
    return tools ? { tools, ms } : { problem: "The server did not respond with a list of tools." };
  } catch {
    return { problem: "The server could not be reached." };
  }
}
