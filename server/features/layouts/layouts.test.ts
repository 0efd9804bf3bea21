import { beforeAll, describe, expect, test } from "vitest";
import { toPanel } from "@/domain/layouts/panel";
import { maxOwnLayouts } from "@/domain/layouts/schema";
import { addPanel, emptyLayout } from "@/domain/layouts/tree";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import {
  addMember,
  makeDevice,
  makeOrganization,
  makeRecording,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let ours: TestOrganization;
let other: TestOrganization;
let member: Awaited<ReturnType<typeof addMember>>;
let colleague: Awaited<ReturnType<typeof addMember>>;
beforeAll(async () => {
  [ours, other] = [await makeOrganization(), await makeOrganization()];
  [member, colleague] = [await addMember(ours), await addMember(ours)];
});

/** The procedures as somebody calls them; the owner of the organization by default. */
const as = (who?: typeof member, organization = ours) => createTrpcCaller(organization, who).layouts;
const tree = addPanel(emptyLayout, null, "row", toPanel("image", { topic: "/front" }));
const refused = { code: "FORBIDDEN" };
const missing = { code: "NOT_FOUND" };

async function makeTyped(type: string, organization = ours): Promise<string> {
  const device = await makeDevice(organization);
  await prisma.device.update({ where: { uid: device.uid }, data: { type } });
  return (await makeRecording(organization, device.uid)).uid;
}

describe("a layout of a person", () => {
  test("is listed for its owner only, and opened by every member whom a link leads to it", async () => {
    const mine = await as(member).create({ name: "Mine", tree });
    expect(mine).toMatchObject({ name: "Mine", shared: false, editable: true, tree, default_for: null });
    expect((await as(member).list({})).results.map(({ name }) => name)).toEqual(["Mine"]);
    expect((await as(colleague).list({})).results).toEqual([]);
    expect(await as(colleague).get({ uid: mine.uid })).toMatchObject({ name: "Mine", editable: false, tree });
    await expect(as(undefined, other).get({ uid: mine.uid })).rejects.toMatchObject(missing);
  });

  test("is changed and deleted by its owner only", async () => {
    const { uid } = await as(member).create({ name: "To change", tree });
    expect(await as(member).update({ uid, name: "Changed", tree: emptyLayout })).toMatchObject({
      name: "Changed",
      tree: emptyLayout,
    });
    await expect(as().update({ uid, name: "Taken" })).rejects.toMatchObject(missing);
    await expect(as().delete({ uid })).rejects.toMatchObject(missing);
    await expect(as(undefined, other).update({ uid, name: "Taken" })).rejects.toMatchObject(missing);
    await as(member).delete({ uid });
    await expect(as(member).get({ uid })).rejects.toMatchObject(missing);
  });

  test("has a name of its own", async () => {
    const { uid } = await as(member).create({ name: "Front", tree });
    await expect(as(member).create({ name: "Front", tree })).rejects.toThrow("You have a layout of this name.");
    await expect(
      as(member).update({ uid: (await as(member).create({ name: "Back", tree })).uid, name: "Front" }),
    ).rejects.toThrow("You have a layout of this name.");
    expect(await as(member).update({ uid, name: "Front" })).toMatchObject({ name: "Front" });
    expect(await as(colleague).create({ name: "Front", tree })).toMatchObject({ name: "Front" });
  });

  test("is one of a limited number, also when it is no longer shared", async () => {
    const organization = await makeOrganization();
    const { uid: organizationId } = organization;
    await prisma.panelLayout.createMany({
      data: Array.from({ length: maxOwnLayouts }, (_, at) => ({
        uid: uuidv7(),
        organizationId,
        ownerId: organization.owner.uid,
        name: `Layout ${at}`,
        tree: {},
        createdByName: "somebody",
      })),
    });
    const { create, update } = as(undefined, organization);
    await expect(create({ name: "One more", tree })).rejects.toThrow("There are 100 layouts already.");
    const shared = await create({ name: "One more", tree, shared: true });
    await expect(update({ uid: shared.uid, shared: false })).rejects.toThrow("There are 100 layouts already.");
  });

  test("is refused unless it is one", async () => {
    for (const bad of [{}, { ...tree, v: 9 }, { ...tree, panels: {} }, "text", null])
      await expect(as(member).create({ name: "Bad", tree: bad })).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(as(member).create({ name: "  ", tree })).rejects.toMatchObject({ code: "BAD_REQUEST" });
  });
});

describe("a layout of the organization", () => {
  test("is made, changed and deleted by admins only, and audited", async () => {
    await expect(as(member).create({ name: "Ours", tree, shared: true })).rejects.toMatchObject(refused);
    const { uid } = await as().create({ name: "Ours", tree, shared: true });
    expect((await as(colleague).list({})).results).toContainEqual(expect.objectContaining({ uid, editable: false }));
    await expect(as(member).update({ uid, tree: emptyLayout })).rejects.toMatchObject(refused);
    await expect(as(member).delete({ uid })).rejects.toMatchObject(refused);
    await expect(as(member).setDefault({ uid, default_for: { device_type: "arm" } })).rejects.toMatchObject(refused);
    await as().update({ uid, name: "Ours, changed" });
    await as().setDefault({ uid, default_for: { device_type: "arm" } });
    await as().delete({ uid });
    const entries = await prisma.auditEntry.findMany({ where: { targetId: uid }, orderBy: { uid: "asc" } });
    expect(entries.map(({ action }) => action)).toEqual([
      "layout.created",
      "layout.updated",
      "layout.default_set",
      "layout.deleted",
    ]);
    const shares = await as(member).create({ name: "To share", tree });
    await expect(as(member).update({ uid: shares.uid, shared: true })).rejects.toMatchObject(refused);
  });

  test("is listed page by page", async () => {
    const organization = await makeOrganization();
    const { create, list } = as(undefined, organization);
    for (const name of ["C", "A", "B"]) await create({ name, tree, shared: true });
    const first = await list({ limit: 2 });
    expect(first.results.map(({ name }) => name)).toEqual(["A", "B"]);
    const second = await list({ limit: 2, cursor: first.next ?? "" });
    expect(second.results.map(({ name }) => name)).toEqual(["C"]);
    expect(second.next).toBeNull();
  });
});

describe("a recording opens with", () => {
  test("what places its odometry on earth", async () => {
    const recording = await makeTyped("rover");
    const open = async (metadata: object) => {
      await prisma.device.updateMany({
        where: { type: "rover", organizationId: ours.ctx.organizationId },
        data: { metadata },
      });
      return (await as(member).open({ recording })).datum;
    };
    expect(await open({})).toBeNull();
    expect(await open({ datum: "here" })).toBeNull();
    expect(await open({ datum: { lat: 47, lon: 8 } })).toEqual({ topic: null });
    expect(await open({ datum: { topic: "/gps/datum" } })).toEqual({ topic: "/gps/datum" });
  });

  test("the layout of the address, the person's last, the device type's default, the organization's, or the suggested", async () => {
    const [arm, cart] = [await makeTyped("picker"), await makeTyped("cart")];
    const open = async (recording: string, layout?: string) => {
      const { by, layout: found } = await as(member).open({ recording, layout });
      return [by, found?.name];
    };
    expect(await open(arm)).toEqual(["suggested", undefined]);
    const all = await as().create({ name: "For all", tree, shared: true });
    await as().setDefault({ uid: all.uid, default_for: { device_type: null } });
    expect(await open(arm)).toEqual(["organization", "For all"]);
    const arms = await as().create({ name: "For pickers", tree, shared: true });
    await as().setDefault({ uid: arms.uid, default_for: { device_type: "picker" } });
    expect(await open(arm)).toEqual(["device_type", "For pickers"]);
    expect(await open(cart)).toEqual(["organization", "For all"]);
    const own = await as(member).create({ name: "For me", tree });
    await as(member).use({ recording: arm, layout: own.uid });
    expect(await open(arm)).toEqual(["last", "For me"]);
    expect(await open(cart)).toEqual(["organization", "For all"]);
    expect(await open(arm, all.uid)).toEqual(["link", "For all"]);
    expect(await open(arm, uuidv7())).toEqual(["last", "For me"]);
    // The suggested one can be chosen, too; another member's choice is another.
    await as(member).use({ recording: arm, layout: null });
    expect(await open(arm)).toEqual(["suggested", undefined]);
    expect((await as(colleague).open({ recording: arm })).by).toBe("device_type");
    // A default is one of each kind.
    const newer = await as().create({ name: "Newer", tree, shared: true });
    await as().setDefault({ uid: newer.uid, default_for: { device_type: "picker" } });
    expect((await as(colleague).open({ recording: arm })).layout?.name).toBe("Newer");
    expect((await as().get({ uid: arms.uid })).default_for).toBeNull();
    // People and robots write a type in one case or another; the exact one comes first.
    await as().setDefault({ uid: arms.uid, default_for: { device_type: "PICKER" } });
    expect((await as(colleague).open({ recording: arm })).layout?.name).toBe("Newer");
    await as().setDefault({ uid: newer.uid, default_for: null });
    expect((await as(colleague).open({ recording: arm })).layout?.name).toBe("For pickers");
    await as().setDefault({ uid: arms.uid, default_for: null });
    expect((await as(colleague).open({ recording: arm })).layout?.name).toBe("For all");
    await as().update({ uid: all.uid, shared: false });
    expect((await as(colleague).open({ recording: arm })).by).toBe("suggested");
  });

  test("nothing of another organization", async () => {
    const [recording, theirs] = [await makeTyped("arm"), await makeTyped("arm", other)];
    const foreign = await as(undefined, other).create({ name: "Theirs", tree, shared: true });
    await expect(as(member).open({ recording: theirs })).rejects.toMatchObject(missing);
    await expect(as(member).use({ recording, layout: foreign.uid })).rejects.toMatchObject(missing);
    expect((await as(colleague).open({ recording, layout: foreign.uid })).by).not.toBe("link");
    await expect(as().setDefault({ uid: foreign.uid, default_for: null })).rejects.toMatchObject(missing);
  });

  test("an empty layout where its own cannot be read any more", async () => {
    const uid = uuidv7();
    await prisma.panelLayout.create({
      data: { uid, organizationId: ours.uid, name: "Old", tree: { v: 0 }, createdByName: "somebody" },
    });
    expect((await as(member).get({ uid })).tree).toEqual(emptyLayout);
  });
});
