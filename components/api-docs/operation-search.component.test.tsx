import { expect, test } from "vitest";
import { OperationSearch } from "@/components/api-docs/operation-search";
import { show } from "@/components/testing/host";

const operation = (id: string, path: string | null) => ({ id, summary: `Does ${id}`, method: "POST", path });

test("what Muster sends is counted beside the operations and not with them", async () => {
  const areas = [
    {
      name: "webhooks",
      title: "Webhooks",
      description: "",
      operations: [
        operation("create", "/webhooks/"),
        operation("test", "/webhooks/{uid}/test/"),
        operation("sent", null),
      ],
    },
    { name: "exports", title: "Exports", description: "", operations: [operation("export", "/exports/")] },
  ];
  const screen = await show(<OperationSearch areas={areas} />, "/docs/api");
  const count = screen.getByText(/^\d+ operation/);
  await expect.element(count).toHaveTextContent("3 operations, 1 message that Muster sends");
  await screen.getByLabelText("Search operations").fill("exports");
  await expect.element(count).toHaveTextContent(/^1 operation$/);
});
