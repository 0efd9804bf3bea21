import { describe, expect, test } from "vitest";
import { keyPlaceholder, mcpSnippets } from "./snippets";

const url = "https://muster.example.com/api/v1/mcp/";

describe("the snippets of the MCP page", () => {
  test("quote an address with a question mark for shells alone", () => {
    const some = `${url}?areas=fleet,alerts`;
    for (const { label, language, code } of mcpSnippets(some, null))
      expect(code.includes(`"${some}"`) && !code.includes(`\\"${some}`), `${label} ${language}`).toBe(true);
  });

  test.each([null, "svk_abc"])("are JSON or shell with the address and the key (%s)", (key) => {
    for (const { label, language, code } of mcpSnippets(url, key)) {
      expect(code, label).toContain(url);
      expect(code, label).toContain(`Bearer ${key ?? keyPlaceholder}`);
      if (language === "json") expect(typeof JSON.parse(code), label).toBe("object");
      // Every line but the last one continues, and quotation marks are closed.
      else {
        expect(
          code
            .split("\n")
            .slice(0, -1)
            .every((line) => line.endsWith("\\")),
          label,
        ).toBe(true);
        expect(code.replaceAll(/'[^']*'/g, "").split('"').length % 2, label).toBe(1);
      }
    }
  });

  test("let the bridge use plain http only where the address is", () => {
    const desktop = (at: string) => mcpSnippets(at, null).find(({ label }) => label === "Claude Desktop")?.code;
    expect(desktop(url)).not.toContain("--allow-http");
    expect(desktop("http://10.0.0.7:3000/api/v1/mcp/")).toContain("--allow-http");
  });
});
