import net, { type AddressInfo } from "node:net";

/** A proxy to `to` that ends each of the next connections after so many bytes of responses. */
export async function startBreakingProxy(
  to: string,
  breaks: number[],
): Promise<{ url: string; broken: () => number; close: () => void }> {
  const target = new URL(to);
  let broken = 0;
  const proxy = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    let passed = 0;
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      passed += chunk.length;
      client.write(chunk);
      if (breaks[0] === undefined || passed < breaks[0]) return;
      breaks.shift();
      broken++;
      client.destroy();
      upstream.destroy();
    });
    upstream.on("end", () => client.end());
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.on("close", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, broken: () => broken, close: () => proxy.close() };
}
