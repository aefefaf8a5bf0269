/** The sessions of this workspace, and which of them have seen a file that is not like that any more. */
import * as vscode from 'vscode';

import type { Connection } from './connection';
import type { Observation, SessionInfo } from './wire';

const QUIET = 300;
const STALE_QUIET = 1_500;

/** Sessions, read again when something hints at a change. */
export class Sessions implements vscode.Disposable {
  private list: readonly SessionInfo[] = [];
  private staleFiles = 0;
  private timer: NodeJS.Timeout | undefined;
  private staleTimer: NodeJS.Timeout | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;

  constructor(private readonly connection: Connection) {
    this.subscriptions = [
      connection.onToolCall(() => this.refreshSoon()),
      connection.onToolResult(() => this.refreshSoon()),
      connection.onDidChangeState(() => this.refreshSoon()),
      vscode.window.onDidChangeWindowState((state) => state.focused && this.refreshSoon()),
      vscode.workspace.onDidChangeTextDocument((event) => event.document.uri.scheme === 'file' && this.lookSoon()),
      vscode.workspace.onDidSaveTextDocument(() => this.lookSoon()),
    ];
  }

  /** Those that are recorded, the latest first. */
  get all(): readonly SessionInfo[] {
    return this.list;
  }

  get live(): readonly SessionInfo[] {
    return this.list.filter((session) => session.live && !session.ended);
  }

  /** Files that a live session has seen in another version. */
  get stale(): number {
    return this.staleFiles;
  }

  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh().catch(() => undefined), QUIET);
  }

  async refresh(): Promise<void> {
    clearTimeout(this.timer);
    if (this.connection.state === 'running') {
      this.list = (await this.connection.request<{ sessions: SessionInfo[] }>('dsh/session/list', {})).sessions;
      await this.look();
    } else {
      this.list = [];
      this.staleFiles = 0;
    }
    this.changed.fire();
  }

  dispose(): void {
    clearTimeout(this.timer);
    clearTimeout(this.staleTimer);
    this.subscriptions.forEach((each) => each.dispose());
    this.changed.dispose();
  }

  private lookSoon(): void {
    if (this.live.length === 0) {
      return;
    }
    clearTimeout(this.staleTimer);
    this.staleTimer = setTimeout(() => {
      void this.look()
        .then(() => this.changed.fire())
        .catch(() => undefined);
    }, STALE_QUIET);
  }

  private async look(): Promise<void> {
    const files = new Set<string>();
    for (const { sessionId } of this.live) {
      const answer = await this.connection.request<{ observations: Observation[] }>('dsh/ledger/query', { sessionId });
      answer.observations.filter((each) => each.stale).forEach((each) => files.add(each.uri));
    }
    this.staleFiles = files.size;
  }
}
