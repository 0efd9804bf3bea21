import { postJson, type Sender } from "@/server/channels/sender";
import { signHeaders } from "@/server/egress/signature";

export const webhook: Sender<"webhook"> = {
  send: (config, message, deliveryId) => {
    const body = JSON.stringify(message);
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = config.signing_secret
      ? signHeaders({ secret: config.signing_secret, id: deliveryId, timestamp, body, event: message.event, deliveryId })
      : {};
    return postJson(config.url, body, headers);
  },
};
