/** A card as it goes from the extension to its webview, and what comes back. Shared by both; no other code. */

/** One call, and its result once there is one. The views are data of the protocol, and are read with care. */
export interface Card {
  readonly sessionId: string;
  readonly agent: string;
  readonly callId: string;
  readonly seq: number;
  readonly name: string;
  readonly call: unknown;
  readonly result?: unknown;
  readonly isError: boolean;
}

/** From the extension. `show` replaces everything; `card` adds a card or completes it. */
export type ToPage =
  | { readonly type: 'show'; readonly cards: readonly Card[]; readonly heading: string; readonly notes: string[] }
  | { readonly type: 'card'; readonly card: Card };

/** From the page. */
export type FromPage =
  | { readonly type: 'ready' }
  | { readonly type: 'open'; readonly uri?: string; readonly path: string; readonly line?: number };
