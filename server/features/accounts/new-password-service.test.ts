import { describe, expect, test } from "vitest";
import { hashNewPassword } from "@/server/features/accounts/new-password-service";

const account = ["Ada.Lovelace@analytical-engines.example", "Ada", "Lovelace", "Analytical Engines"];
const isAccepted = (password: string): Promise<boolean> =>
  hashNewPassword("password", password, account).then(
    () => true,
    () => false,
  );

describe("a new password", () => {
  test.each([
    ...["muster2026", "MUSTER!!2026", "mustermuster", "lovelace1", "Ada.Lovelace", "ada-lovelace-99", "Lovelace&Ada"],
    ...["analyticalengines", "Analytical Engines 1", "Ada.Lovelace@analytical-engines.example", "1engines1engines1"],
  ])("is refused when the names of its account are nearly all of it: %s", async (password) => {
    await expect(hashNewPassword("new_password", password, account)).rejects.toMatchObject({
      options: { issues: [{ path: ["new_password"], message: expect.stringContaining("your name") }] },
    });
  });

  test.each([
    ...[
      "muster the troops",
      "lovelace wrote notes",
      "twelve little robots",
      "!!!!!!!!!!",
      "ada ada ada ada",
      "кошка на крыше",
    ],
  ])("is accepted with anything else, of any characters: %s", async (password) => {
    expect(await isAccepted(password)).toBe(true);
  });

  test("may name short words and accounts without names", async () => {
    await expect(hashNewPassword("password", "a fine day in may", ["", "a@b.c", "may"])).resolves.toMatch(
      /^\$argon2id\$/,
    );
  });
});
