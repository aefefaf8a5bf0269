/** One item in the status bar: sessions that are open, changes that wait, files that agents have seen differently. */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import type { Pending } from '../pending';
import type { Sessions } from '../sessions';
import { many } from '../wording';

/** The item. */
export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly connection: Connection,
    private readonly pending: Pending,
    private readonly sessions: Sessions,
  ) {
    this.item = vscode.window.createStatusBarItem('dsh', vscode.StatusBarAlignment.Left, 10);
    this.item.name = 'Agent Changes';
    this.subscriptions = [
      this.item,
      connection.onDidChangeState(() => this.show()),
      pending.onDidList(() => this.show()),
      sessions.onDidChange(() => this.show()),
    ];
    this.show();
    this.item.show();
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
  }

  private show(): void {
    const { state } = this.connection;
    if (state === 'running') {
      this.showRunning();
      return;
    }
    this.item.text = state === 'starting' ? '$(loading~spin) dsh' : '$(warning) dsh';
    this.item.tooltip = {
      absent: 'The server dsh-lsp was not found; click to look for it again.',
      starting: 'The server dsh-lsp starts.',
      stopped: 'The server dsh-lsp has stopped; click to start it again.',
    }[state];
    this.item.command = 'dsh.restart';
    this.item.accessibilityInformation = { label: this.item.tooltip };
  }

  private showRunning(): void {
    const live = this.sessions.live.length;
    const pending = this.pending.all.length;
    const { stale } = this.sessions;
    const texts = [`$(hubot) ${live}`, ...(pending > 0 ? [`$(diff) ${pending}`] : [])];
    if (stale > 0) {
      texts.push(`$(eye-closed) ${stale}`);
    }
    const told = [
      `${many(live, 'session')} open`,
      `${many(pending, 'change')} of agents pending`,
      `${many(stale, 'file')} changed since an agent read ${stale === 1 ? 'it' : 'them'}`,
    ];
    this.item.text = texts.join(' ');
    this.item.tooltip = told.join('\n');
    this.item.command = pending > 0 ? 'dsh.changes.focus' : 'dsh.showActivity';
    this.item.accessibilityInformation = { label: `Agents: ${told.join(', ')}` };
  }
}
