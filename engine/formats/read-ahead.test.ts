import { expect, test } from "vitest";
import { memorySource, type ByteSource } from "@/engine/formats/byte-source";
import { PieceMemory, ReadAhead } from "@/engine/formats/read-ahead";

const bytes = Uint8Array.from({ length: 5_000_000 }, (_, at) => (at * 7919) >> 5);

/** A source that counts its requests. */
function counted(): { source: ByteSource; requests: [number, number][] } {
  const requests: [number, number][] = [];
  const memory = memorySource(bytes);
  const read: ByteSource["read"] = (offset, length) => {
    requests.push([offset, length]);
    return memory.read(offset, length);
  };
  return { source: { size: memory.size, read }, requests };
}

test("any order of reads and preparations gives the bytes of the file", async () => {
  const { source } = counted();
  const file = new ReadAhead(source);
  let seed = 42;
  const random = (limit: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return seed % limit;
  };
  let at = 0;
  for (let step = 0; step < 3_000; step++) {
    const length = random(4) === 0 ? random(200_000) : random(5_000);
    if (random(10) === 0) at = random(bytes.length + 100);
    if (random(3) === 0) file.prepare(at + random(300_000), random(2) === 0 ? length : 100_000);
    expect(Buffer.compare(await file.read(at, length), bytes.subarray(at, at + length))).toBe(0);
    at += length + random(50);
    if (at > bytes.length) at = 0;
  }
});

test("small neighbouring pieces come out of few blocks of at most 1 MiB, single ones out of small reads", async () => {
  const { source, requests } = counted();
  const file = new ReadAhead(source);
  for (let at = 0; at + 100 <= bytes.length; at += 120) await file.read(at, 100);
  expect(requests.length).toBeLessThan(20);
  expect(Math.max(...requests.map(([, length]) => length))).toBe(1024 * 1024);

  requests.length = 0;
  for (let at = 0; at < bytes.length; at += 1_000_000) await file.read(at, 33);
  expect(requests.map(([, length]) => length)).toEqual([4096, 4096, 4096, 4096, 4096]);
});

test("what was prepared is requested once, at most four pieces at a time", async () => {
  const { source, requests } = counted();
  const file = new ReadAhead(source);
  for (let chunk = 0; chunk < 4; chunk++) file.prepare(chunk * 200_000, 150_000);
  file.prepare(0, 150_000);
  expect(requests).toHaveLength(4);
  expect(await file.read(200_000, 150_000)).toEqual(bytes.subarray(200_000, 350_000));
  expect(await file.read(0, 150_000)).toEqual(bytes.subarray(0, 150_000));
  expect(requests).toHaveLength(4);
});

test("parts of a prepared piece are read with one request, whose memory is free when all are given back", async () => {
  const targets: ArrayBufferLike[] = [];
  let requests = 0;
  const source: ByteSource = {
    size: bytes.length,
    read: async (offset, length, target) => {
      requests += 1;
      const part = bytes.subarray(offset, offset + length);
      if (!target) return part;
      targets.push(target.buffer);
      target.set(part);
      return target.subarray(0, part.length);
    },
  };
  const file = new ReadAhead(source, new PieceMemory());
  const parts = [0, 300_000, 650_000];
  const readParts = (start: number): Promise<Uint8Array[]> => {
    file.prepare(start, 900_000);
    return Promise.all(parts.map((at) => file.read(start + at, 250_000)));
  };
  const first = await readParts(0);
  for (const [n, at] of parts.entries()) expect(Buffer.compare(first[n]!, bytes.subarray(at, at + 250_000))).toBe(0);
  for (const part of first.slice(1)) file.release(part);
  const second = await readParts(1_000_000);
  expect(Buffer.compare(first[0]!, bytes.subarray(0, 250_000))).toBe(0);
  expect(targets[1]).not.toBe(targets[0]);
  file.release(first[0]!);
  for (const part of second) file.release(part);
  const third = await readParts(2_000_000);
  expect(Buffer.compare(third[1]!, bytes.subarray(2_300_000, 2_550_000))).toBe(0);
  expect(targets.slice(0, 2)).toContain(targets[2]);
  expect(requests).toBe(3);
});

test("a failed preparation fails the read of that piece alone", async () => {
  const memory = memorySource(bytes);
  let fails = true;
  const file = new ReadAhead({
    size: memory.size,
    read: (offset, length) => (fails ? Promise.reject(new Error("not there")) : memory.read(offset, length)),
  });
  file.prepare(0, 100_000);
  await expect(file.read(0, 100_000)).rejects.toThrow("not there");
  fails = false;
  expect(await file.read(0, 100_000)).toEqual(bytes.subarray(0, 100_000));
});

test("memory that is given back is read into again, and what was not stays as it is", async () => {
  const targets = new Set<ArrayBufferLike>();
  const source: ByteSource = {
    size: bytes.length,
    read: async (offset, length, target) => {
      const part = bytes.subarray(offset, offset + length);
      if (!target) return part;
      expect(target.length).toBeGreaterThanOrEqual(length);
      targets.add(target.buffer);
      target.set(part);
      return target.subarray(0, part.length);
    },
  };
  const file = new ReadAhead(source, new PieceMemory());
  const held: { at: number; length: number; read: Uint8Array }[] = [];
  for (let at = 0; at < 4_000_000; at += 100_000) {
    const length = 70_000 + (at % 30_000);
    if (at % 300_000 === 0) file.prepare(at + 100_000, 70_000 + ((at + 100_000) % 30_000));
    const read = await file.read(at, length);
    expect(read.constructor).toBe(Uint8Array);
    expect(Buffer.compare(read, bytes.subarray(at, at + length))).toBe(0);
    if (at % 1_000_000 === 0) held.push({ at, length, read });
    else file.release(read);
    // Given back twice, or never its own: nothing happens.
    if (at % 700_000 === 0 && at % 1_000_000 !== 0) file.release(read);
    file.release(bytes);
    await file.read(4_100_000 + at / 100, 500);
  }
  for (const { at, length, read } of held) expect(Buffer.compare(read, bytes.subarray(at, at + length))).toBe(0);
  expect(targets.size).toBeLessThan(10);
});

test("a source that has the bytes itself is not given memory again", async () => {
  let given = 0;
  const memory = memorySource(bytes);
  const source: ByteSource = {
    size: bytes.length,
    read: (offset, length, target) => {
      if (target) given += 1;
      return memory.read(offset, length);
    },
  };
  const file = new ReadAhead(source, new PieceMemory());
  for (let at = 0; at < 4_000_000; at += 100_000) file.release(await file.read(at, 100_000));
  expect(given).toBe(1);
  expect(Buffer.compare(await file.read(0, 100_000), bytes.subarray(0, 100_000))).toBe(0);
});

test("memory that a source does not use is given back", async () => {
  let allocated = 0;
  const memory = new PieceMemory((length) => {
    allocated += 1;
    return new Uint8Array(length);
  });
  const own = { size: 4_000_000, read: (_: number, length: number) => Promise.resolve(new Uint8Array(length)) };
  for (let file = 0; file < 5; file++) expect(await new ReadAhead(own, memory).read(0, 300_000)).toHaveLength(300_000);
  expect(allocated).toBe(1);
});
