/** The list of recorded sessions; choosing one replays it. */
import * as vscode from 'vscode';

import type { Sessions } from '../sessions';
import { oneLine } from '../visible';
import { cut } from '../wording';
import type { SessionInfo } from '../wire';

/** The view. */
export class SessionsView implements vscode.TreeDataProvider<SessionInfo>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<SessionInfo>;
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly sessions: Sessions) {
    this.view = vscode.window.createTreeView('dsh.sessions', { treeDataProvider: this });
    this.subscriptions = [
      this.view,
      sessions.onDidChange(() => this.changed.fire(undefined)),
      this.view.onDidChangeVisibility((event) => event.visible && sessions.refreshSoon()),
    ];
  }

  getChildren(session?: SessionInfo): SessionInfo[] {
    return session === undefined ? [...this.sessions.all] : [];
  }

  getTreeItem(session: SessionInfo): vscode.TreeItem {
    const item = new vscode.TreeItem(agentName(session));
    const state = session.ended ? 'ended' : session.live ? 'open' : 'not open';
    item.id = session.sessionId;
    item.description = `${when(session.startedAt)}, ${state}`;
    item.iconPath = new vscode.ThemeIcon(session.live && !session.ended ? 'pulse' : 'history');
    item.contextValue = 'dsh.recorded';
    item.tooltip = `Session ${session.sessionId}`;
    item.command = { command: 'dsh.replaySession', title: 'Replay Session', arguments: [session] };
    return item;
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.changed.dispose();
  }
}

/** Who an agent says it is. */
export function agentName(session: SessionInfo): string {
  return session.agent === undefined ? 'an agent' : cut(oneLine(session.agent.name), 60);
}

/** A recorded time as this machine writes it; what is no time, as it stands. */
export function when(recorded: string): string {
  const at = new Date(recorded);
  return Number.isNaN(at.getTime()) ? oneLine(recorded) : at.toLocaleString();
}
