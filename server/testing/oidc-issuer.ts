import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { afterAll } from "vitest";

/** Who signs in at the issuer next, with everything the issuer says about them. */
export interface IssuerPerson {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  given_name?: string;
  family_name?: string;
  groups?: string[];
  amr?: string[];
}

export interface TestIssuer {
  url: string;
  clientId: string;
  clientSecret: string;
  person: IssuerPerson;
}

/**
 * An OpenID Connect issuer on loopback until the tests of the file end. It asks nobody anything: `person` signs in,
 * and returns to `redirectUri`. `host` is how it names itself.
 */
export async function startIssuer(
  redirectUri: string,
  host: "127.0.0.1" | "localhost" = "127.0.0.1",
): Promise<TestIssuer> {
  const server = http.createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const client = { client_id: "muster", client_secret: "the secret of Muster at the issuer" };
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${port}`,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    person: { sub: "nobody" },
  };
  const provider = new Provider(`http://${host}:${port}`, {
    clients: [
      { ...client, redirect_uris: [redirectUri], response_types: ["code"], grant_types: ["authorization_code"] },
    ],
    claims: {
      openid: ["sub", "amr", "groups"],
      email: ["email", "email_verified"],
      profile: ["name", "given_name", "family_name"],
    },
    cookies: { keys: ["a key for the cookies of the issuer"] },
    features: { devInteractions: { enabled: false } },
    findAccount: () => ({ accountId: issuer.person.sub, claims: async () => ({ ...issuer.person }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: client.client_id, accountId: issuer.person.sub });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    pkce: { required: () => true },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void answer(request, response);
    const login = { accountId: issuer.person.sub };
    void provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  });
  return issuer;
}
