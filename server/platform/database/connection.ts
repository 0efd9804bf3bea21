import pg from "pg";

/** Does work on a connection of its own, whose statements run one after the other. It is closed in the end. */
export async function withConnection<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // A connection that breaks fails the statement that runs on it; without this it would end the process as well.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
