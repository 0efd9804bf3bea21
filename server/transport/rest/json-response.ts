/**
 * A JSON response that keeps its text, so that the HTTP server sends it as it is: the stream that fetch makes of a body
 * costs more than most operations. As a fetch response it reads like any other.
 */
export class JsonResponse extends Response {
  readonly content: string;

  constructor(value: unknown, { status, headers }: { status: number; headers: Headers }) {
    headers.set("content-type", "application/json");
    super(null, { status, headers });
    this.content = JSON.stringify(value);
  }

  private get whole(): Response {
    return new Response(this.content, this);
  }

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
