/**
 * Which version of each document the server has been told.
 *
 * VS Code says that an edit is applied before it says what changed; an answer that overtakes the change would make the
 * server look at a text that is out of date. So answers wait here until the change is on its way.
 */
import type * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

const PATIENCE = 2_000;

interface Waiting {
  readonly version: number;
  readonly resolve: () => void;
}

/** The versions that were sent. */
export class Sent {
  private readonly versions = new Map<string, number>();
  private readonly waiting = new Map<string, Waiting[]>();

  /** What the client has to be made with. (Its features' own events do not survive its restarts.) */
  readonly middleware: Middleware = {
    didOpen: async (document, next) => {
      const { version } = document;
      await next(document);
      this.note(document.uri.toString(), version);
    },
    didChange: async (event, next) => {
      const { version } = event.document;
      await next(event);
      this.note(event.document.uri.toString(), version);
    },
    didClose: async (document, next) => {
      this.versions.delete(document.uri.toString());
      await next(document);
    },
  };

  /** Wait until that version of a document, or a later one, has been sent; at most two seconds. */
  async until(uri: vscode.Uri, version: number): Promise<void> {
    const key = uri.toString();
    if ((this.versions.get(key) ?? -1) >= version) {
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PATIENCE);
      const entry = {
        version,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.waiting.set(key, [...(this.waiting.get(key) ?? []), entry]);
    });
  }

  private note(key: string, version: number): void {
    this.versions.set(key, version);
    const waiting = this.waiting.get(key);
    if (waiting === undefined) {
      return;
    }
    this.waiting.delete(key);
    const left = waiting.filter((each) => each.version > version);
    if (left.length > 0) {
      this.waiting.set(key, left);
    }
    waiting.filter((each) => each.version <= version).forEach((each) => each.resolve());
  }
}
