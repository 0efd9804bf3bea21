import pg from "pg";

/** Transaction control inside an open transaction, by savepoints. */
const nested: Readonly<Record<string, string>> = {
  begin: "savepoint nested",
  commit: "release savepoint nested",
  rollback: "rollback to savepoint nested; release savepoint nested",
};

/**
 * A pool whose only connection has an open transaction, for libraries that take a pool and manage transactions
 * themselves: their transactions are nested in the open one, and a failing statement does not abort it.
 */
export class TransactionPool extends pg.Pool {
  constructor(private readonly client: pg.Client) {
    super({ max: 1 });
    for (const event of ["error", "connect"] as const) this.on(event, () => {});
  }

  override connect(): Promise<pg.PoolClient> {
    const connection = Object.create(this.client) as pg.PoolClient;
    const query = (given: string | pg.QueryConfig, values?: unknown[]) => this.within(given, values);
    return Promise.resolve(Object.assign(connection, { query, release: () => {} }));
  }

  private async within(given: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult> {
    const control = typeof given === "string" ? nested[given.trim().toLowerCase()] : undefined;
    if (control !== undefined) return this.client.query(control);
    await this.client.query("savepoint statement");
    try {
      const result = await this.client.query(given, values);
      await this.client.query("release savepoint statement");
      return result;
    } catch (error) {
      await this.client.query("rollback to savepoint statement; release savepoint statement").catch(() => {});
      throw error;
    }
  }
}
