import { afterAll, expect, test } from "vitest";
import { readJson } from "@/server/features/imports/formats/json-values";
import type { Source } from "@/server/features/imports/formats/sources";
import { readElements } from "@/server/features/imports/formats/xml-elements";
import { AnnotationFiles } from "@/server/testing/annotation-files";

/** What is held of a file is bounded, however long it is. */

const files = new AnnotationFiles();
afterAll(() => {
  expect(files.listLeftovers()).toEqual([]);
  files.remove();
});

const mebibyte = 1024 * 1024;

/** A document that is made while it is read, in parts that end anywhere. */
function generate(begin: string, repeated: string, times: number, end: string) {
  const made = { bytes: 0 };
  async function* read(): AsyncGenerator<Buffer> {
    const block = Buffer.from(repeated.repeat(Math.ceil((64 * 1024) / repeated.length)));
    for (const part of [Buffer.from(begin), ...Array.from({ length: times }, () => block), Buffer.from(end)]) {
      made.bytes += part.length;
      yield part.subarray(0, 7);
      yield part.subarray(7);
    }
  }
  return { made, source: { name: "", read } satisfies Source };
}

test("of 7 MiB of XML no more elements are held than a part of it has", async () => {
  const image = '<image name="a.png"><box label="car"/></image>\n';
  const { made, source } = generate("<annotations>", image, 120, "</annotations>");
  let [count, most] = [0, 0];
  for await (const elements of readElements(source, (names) => names.at(-1) === "image")) {
    count += elements.length;
    most = Math.max(most, elements.length);
  }
  expect(made.bytes).toBeGreaterThan(7 * mebibyte);
  expect(count).toBe(120 * Math.ceil((64 * 1024) / image.length));
  expect(most).toBeLessThanOrEqual(Math.ceil((64 * 1024) / image.length) + 1);
});

test("of 4 MiB of JSON no more values are held than a part of it has", async () => {
  const entry = '{"id":1,"bbox":[1,2,3,4]},';
  const { made, source } = generate('{"x":[', entry, 64, '{}],"y":[]}');
  let [count, most] = [0, 0];
  for await (const { values } of readJson(source, ["$.x.*"])) {
    count += values.length;
    most = Math.max(most, values.length);
  }
  expect(made.bytes).toBeGreaterThan(4 * mebibyte);
  expect(count).toBe(64 * Math.ceil((64 * 1024) / entry.length) + 1);
  expect(most).toBeLessThanOrEqual(Math.ceil((64 * 1024) / entry.length) + 1);
});

test("a value or an element of more than 64 MiB is refused as soon as it is that long", async () => {
  const endless = 100_000;
  const long = generate('{"x":[{"a":"', "aaaaaaaa", endless, "");
  const json = async () => {
    for await (const { values } of readJson(long.source, ["$.x.*"])) expect(values).toEqual([]);
  };
  await expect(json()).rejects.toThrow("Up to line 1: a value has more than 64 MiB.");
  expect(long.made.bytes).toBeLessThan(66 * mebibyte);
  const element = generate('<annotations><image name="', "aaaaaaaa", endless, "");
  const xml = async () => {
    for await (const elements of readElements(element.source, (names) => names.at(-1) === "image"))
      expect(elements).toEqual([]);
  };
  await expect(xml()).rejects.toThrow("Up to line 1: an element has more than 64 MiB.");
  expect(element.made.bytes).toBeLessThan(66 * mebibyte);
});

test("a value or an element of very many parts is refused, which would need more memory than its bytes", async () => {
  const json = generate('{"x":[{"a":[', "{},", 1_000, "");
  const read = async () => {
    for await (const { values } of readJson(json.source, ["$.x.*"])) expect(values).toEqual([]);
  };
  await expect(read()).rejects.toThrow("Up to line 1: a value has more than 250000 parts.");
  const xml = generate("<annotations><image>", "<a/>", 1_000, "");
  const build = async () => {
    for await (const elements of readElements(xml.source, (names) => names.at(-1) === "image"))
      expect(elements).toEqual([]);
  };
  await expect(build()).rejects.toThrow("Line 1: an element has more than 250000 others.");
});

test("of a million categories no more than may be there are looked at", async () => {
  const categories = Array.from({ length: 1_000_000 }, (_, id) => `{"id":${id},"name":"c${id}"}`).join();
  const file = files.write(`{"categories":[${categories}],"images":[],"annotations":[]}`);
  expect(await files.refuse(file, "COCO")).toBe("categories[500]: The file has more than 500 categories.");
});

test("annotations of many pictures in any order, more than one bucket holds, come with their pictures in their order", async () => {
  const [pictures, each] = [3_000, 8];
  const images = Array.from({ length: pictures }, (_, id) => ({ id, width: 100, height: 100, file_name: `${id}.png` }));
  const note = "\u2028".repeat(150);
  const annotations = Array.from({ length: pictures * each }, (_, at) => ({
    image_id: (at * 7) % pictures,
    category_id: 1,
    bbox: [Math.floor(at / pictures), ((at * 7) % pictures) % 90, 1, 1],
    attributes: { note },
  }));
  // The data set itself has its categories last.
  const file = files.write(JSON.stringify({ annotations, images, categories: [{ id: 1, name: "car" }] }));
  expect(file.size).toBeGreaterThan(8 * mebibyte);
  const read = await files.read(file, "COCO");
  expect(read).toHaveLength(pictures);
  for (const { name, annotations: own } of read) {
    const y = Number.parseInt(name, 10) % 90;
    const expected = Array.from({ length: each }, (_, x) => ({ x, y, width: 1, height: 1 }));
    expect(own.map(({ coordinates }) => coordinates)).toEqual(expected);
    expect(own.every(({ attributes }) => attributes["note"] === note)).toBe(true);
  }
});
