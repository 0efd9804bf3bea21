/** The nonce of this page's policy, for libraries that insert style sheets; empty without a policy. */
export const pageNonce = (): string => document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
