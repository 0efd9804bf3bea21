/** What is entered somewhere to connect the host of a model: shell, or a file of JSON. */
interface Snippet {
  label: string;
  /** Where it goes. */
  place: string;
  language: "shell" | "json";
  code: string;
}

/** Stands for a key that is not known. */
export const keyPlaceholder = "svk_your_key";

const json = (value: object): string => JSON.stringify(value, null, 2);

/** The ways to connect to the address, filled with the key where one is known. */
export function mcpSnippets(url: string, key: string | null): Snippet[] {
  const bearer = `Bearer ${key ?? keyPlaceholder}`;
  const headers = { Authorization: bearer };
  // Some shells take a ? for the pattern of file names.
  const quoted = url.includes("?") ? `"${url}"` : url;
  // The bridge accepts plain http only with this option.
  const plain = url.startsWith("http:") ? ["--allow-http"] : [];
  return [
    {
      label: "Claude Code",
      place: "Run it in a terminal; it is stored for you in this project.",
      language: "shell",
      code: `claude mcp add --transport http muster ${quoted} \\\n  --header "Authorization: ${bearer}"`,
    },
    {
      label: "Claude Desktop",
      place: "Settings, Developer, Edit config: claude_desktop_config.json. It starts a bridge, which needs Node.",
      language: "json",
      code: json({
        mcpServers: {
          muster: {
            command: "npx",
            // Without a blank in the argument, which some systems split.
            args: ["-y", "mcp-remote", url, ...plain, "--header", "Authorization:${MUSTER_AUTHORIZATION}"],
            env: { MUSTER_AUTHORIZATION: bearer },
          },
        },
      }),
    },
    {
      label: "Cursor",
      place: "~/.cursor/mcp.json, or .cursor/mcp.json in a project.",
      language: "json",
      code: json({ mcpServers: { muster: { url, headers } } }),
    },
    {
      label: "VS Code",
      place: ".vscode/mcp.json in a project.",
      language: "json",
      code: json({ servers: { muster: { type: "http", url, headers } } }),
    },
    {
      label: "curl",
      place: "Each message is a request of its own.",
      language: "shell",
      code: `curl -sS ${quoted} \\
  -H "Authorization: ${bearer}" -H "Content-Type: application/json" \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "fleet_health", "arguments": {}}}'`,
    },
  ];
}
