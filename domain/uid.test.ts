import { describe, expect, test } from "vitest";
import { uid } from "@/domain/fields";
import { isUid, isUuid, uidPrefixes, type UidKind } from "@/domain/uid";

const bare = "0198f3a1-1111-7000-8000-000000000001";
const kinds = Object.keys(uidPrefixes) as UidKind[];

describe("identifiers", () => {
  test.each(kinds)("of a %s have its prefix and no other", (kind) => {
    const own = uidPrefixes[kind] + bare;
    expect(kinds.filter((each) => isUid(each, own))).toEqual([kind]);
    expect(uid(kind).parse(own)).toBe(own);
    expect([isUuid(own), isUid(kind, bare), isUid(kind, own.toUpperCase())]).toEqual([false, false, false]);
  });

  test("without a kind are bare", () => {
    expect([isUuid(bare), isUid(null, bare), isUuid(`${bare}0`)]).toEqual([true, true, false]);
    expect(uid().safeParse(`dev_${bare}`).error?.issues[0]?.message).toBe("Must be a valid UUID.");
  });
});
