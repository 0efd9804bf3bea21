import pg from "pg";

/** Runs `work` on a separate connection, whose statements run one after the other, and closes it afterwards. */
export async function withConnection<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // A broken connection fails its running statement; without this listener it would also end the process.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
