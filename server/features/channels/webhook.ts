import type { Sender } from "@/server/features/channels/sender";
import { databaseMs } from "@/server/platform/clock";
import { postJson } from "@/server/platform/http-client/post";
import { signHeaders } from "@/server/platform/http-client/signature";

export const webhook: Sender<"webhook"> = {
  send: (config, message, deliveryId, pictures) => {
    const { event, alert, rule, evidence, links, actor, reopened, occurred_at } = message;
    const body = JSON.stringify({
      ...{ event, alert, rule, evidence, links, actor, reopened, occurred_at },
      ...(pictures && { pictures: pictures.list }),
    });
    const timestamp = Math.floor(databaseMs() / 1_000);
    const headers = config.signing_secret
      ? signHeaders({ secret: config.signing_secret, id: deliveryId, timestamp, body, event, deliveryId })
      : {};
    return postJson(config.url, body, { headers });
  },
};
