import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { listInputs, refuse } from "@/components/testing/network";
import { InviteDialog } from "./invite-dialog";

test("a viewer is one of three roles", async () => {
  refuse("account.profile", { status: 400, detail: "No." });
  refuse("account.signUpPolicy", { status: 400, detail: "No." });
  refuse("invitations.create", { status: 409, detail: "No." });
  const screen = await show(<InviteDialog open onOpenChange={() => {}} />, "/settings/members");
  const group = screen.getByRole("radiogroup");
  await expect.element(group.getByRole("radio", { name: "Member" })).toBeChecked();
  expect(group.getByRole("radio").elements()).toHaveLength(3);
  await group.getByRole("radio", { name: "Viewer" }).click();
  await expectGoodLooks();
  await screen.getByLabelText("E-mail addresses").fill("ada@example.com");
  await userEvent.keyboard("{Enter}");
  await screen.getByRole("button", { name: "Invite", exact: true }).click();
  await expect.element(screen.getByText(/already invited/)).toBeVisible();
  expect(listInputs("invitations.create")).toEqual([{ email: "ada@example.com", role: "member", read_only: true }]);
});
