import { expect, test } from "vitest";
import { McpSettings } from "@/components/mcp/mcp-settings";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer } from "@/components/testing/network";

const area = (name: string, tools: number, characters: number) => ({
  name,
  about: `About ${name}.`,
  tools,
  characters,
});

test("areas of tools are chosen, and the address and the snippets name them with their number and size", async () => {
  answer("mcp.info", {
    writes: false,
    staff: true,
    areas: [area("fleet", 3, 4_000), area("alerts", 5, 8_000), area("exports", 2, 2_000), area("audit", 1, 1_000)],
  });
  answer("mcp.calls", []);
  const screen = await show(<McpSettings email="you@example.com" />, "/settings/mcp");
  const size = screen.getByText(/tools? of about/);
  const address = `${location.origin}/api/v1/mcp/`;
  await expect.element(size).toHaveTextContent("11 tools of about 3,800 tokens");
  await expect.element(screen.getByText(address, { exact: true })).toBeVisible();

  await screen.getByRole("radio", { name: "Fleet" }).click();
  await expect.element(size).toHaveTextContent("8 tools of about 3,000 tokens");
  await expect.element(screen.getByText(`${address}?areas=fleet,alerts`, { exact: true })).toBeVisible();
  await expect.element(screen.getByRole("tabpanel")).toHaveTextContent(`"${address}?areas=fleet,alerts"`);

  await screen.getByRole("checkbox", { name: "exports 2" }).click();
  await screen.getByRole("checkbox", { name: "fleet 3" }).click();
  await screen.getByRole("checkbox", { name: "alerts 5" }).click();
  await expect.element(screen.getByRole("radio", { name: "Datasets" })).toBeChecked();
  await expect.element(size).toHaveTextContent("2 tools of about 500 tokens");
  // The last one stays: an address without any lists all.
  await expect.element(screen.getByRole("checkbox", { name: "exports 2" })).toBeDisabled();
  await expectGoodLooks();
  await screen.getByRole("radio", { name: "All" }).click();
  await expect.element(screen.getByText(address, { exact: true })).toBeVisible();
});
