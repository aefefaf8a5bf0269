/** The view "Agent Activity" in the panel: cards as they come. It shows itself when the user opens it, and never else. */
import * as vscode from 'vscode';

import type { FromPage, ToPage } from './card';
import { openFromCard } from './opening';
import { page, webviewOptions } from './page';
import type { CardStore } from './store';

const HEADING = 'Agent activity';

/** Provides the view. */
export class ActivityView implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly store: CardStore,
    private readonly extension: vscode.Uri,
  ) {
    this.registration = vscode.window.registerWebviewViewProvider('dsh.activity', this);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { webview } = view;
    const post = (message: ToPage): void => void webview.postMessage(message);
    webview.options = webviewOptions(this.extension);
    const subscriptions = [
      this.store.onDidChange((card) => post({ type: 'card', card })),
      webview.onDidReceiveMessage((message: FromPage) => {
        if (message.type === 'open') {
          void openFromCard(message);
        } else {
          post({ type: 'show', cards: this.store.all, heading: HEADING, notes: [] });
        }
      }),
    ];
    view.onDidDispose(() => subscriptions.forEach((each) => each.dispose()));
    webview.html = page(webview, this.extension, HEADING);
  }

  dispose(): void {
    this.registration.dispose();
  }
}
