// The used part of autocannon, which ships no types.
declare module "autocannon" {
  interface Options {
    url: string;
    method: string;
    headers: Record<string, string>;
    body?: string;
    duration: number;
    connections: number;
  }
  interface Result {
    non2xx: number;
    errors: number;
    requests: { average: number };
  }
  export default function autocannon(options: Options): Promise<Result>;
}
