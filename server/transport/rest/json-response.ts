/**
 * A JSON response that keeps its text and headers, so that the HTTP server sends them as they are: the stream and the
 * list that fetch makes of them cost more than most operations. As a fetch response it reads like any other.
 */
export class JsonResponse extends Response {
  readonly content: string;
  /** By lower-case name. */
  readonly plainHeaders: Readonly<Record<string, string>>;

  constructor(value: unknown, { status, headers }: { status: number; headers: Readonly<Record<string, string>> }) {
    super(null, { status });
    this.content = JSON.stringify(value);
    this.plainHeaders = { ...headers, "content-type": "application/json" };
  }

  private get whole(): Response {
    return new Response(this.content, { status: this.status, headers: this.plainHeaders });
  }

  override get headers(): Response["headers"] {
    return (this.#headers ??= new Headers(this.plainHeaders));
  }
  #headers?: Headers;

  override get body(): Response["body"] {
    return this.whole.body;
  }

  override text(): Promise<string> {
    return Promise.resolve(this.content);
  }

  override json(): Promise<unknown> {
    return this.whole.json();
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    return this.whole.arrayBuffer();
  }

  override blob(): Promise<Blob> {
    return this.whole.blob();
  }

  override clone(): Response {
    return this.whole;
  }
}
