/**
 * Questions of the server to the user: a notification that takes no focus, with the whole question one click away.
 *
 * A notification is closed without an answer when the user closes it; the server takes that as a no, and stops waiting
 * by itself after a while.
 */
import * as vscode from 'vscode';

import { cut, unlinked } from './wording';

/** How long the server waits for an answer; it is told so when it starts. */
export const ASK_SECONDS = 120;

const SCHEME = 'dsh-question';
const SHOW = 'Show';
const LONG = 240;

interface Question {
  readonly message: string;
  readonly actions?: readonly { readonly title: string }[];
}

/** Asks, and shows what is asked about. */
export class Approvals implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly subscription: vscode.Disposable;
  private count = 0;

  constructor() {
    this.subscription = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  /** Ask; the action that was chosen, or null for none. */
  async ask(params: unknown, token: vscode.CancellationToken): Promise<{ title: string } | null> {
    const { message, actions = [] } = params as Question;
    const titles = actions.map((action) => action.title);
    const [head = '', ...rest] = message.split('\n');
    const deadline = Date.now() + ASK_SECONDS * 1_000;
    const isLong = rest.length > 0 || head.length > LONG;
    for (;;) {
      const shown = isLong ? [...titles, SHOW] : titles;
      const chosen = await vscode.window.showInformationMessage(unlinked(cut(head, LONG)), ...shown);
      if (token.isCancellationRequested || chosen === undefined) {
        return null;
      }
      if (Date.now() > deadline) {
        void vscode.window.showInformationMessage('dsh: the agent does not wait for this answer any more.');
        return null;
      }
      if (chosen !== SHOW) {
        return { title: chosen };
      }
      await this.show(message);
    }
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? 'This question has been answered.';
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** The user asked to see it: a document with the diff, in the colours of one. */
  private async show(message: string): Promise<void> {
    this.count += 1;
    const path = `/what an agent asks for ${this.count}.diff`;
    this.texts.set(path, message);
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: SCHEME, path }));
    await vscode.window.showTextDocument(document, { preview: true });
  }
}
