/** What this extension is made of, and how it is put together. */
import * as vscode from 'vscode';

import { Approvals } from './approvals';
import { ActivityView } from './cards/activityView';
import { Replays } from './cards/replays';
import { CardStore } from './cards/store';
import { Connection } from './connection';
import { type Painted, Painter } from './painting';
import { Pending } from './pending';
import { reviewCommands } from './review/commands';
import { Deciding } from './review/deciding';
import { Diffs } from './review/diffs';
import { hovers } from './review/hovers';
import { Lenses } from './review/lenses';
import { QuickDiff } from './review/quickDiff';
import { Sessions } from './sessions';
import { ChangesView } from './views/changesView';
import { SessionsView } from './views/sessionsView';
import { StatusItem } from './views/statusItem';
import type { SessionInfo } from './wire';

let running: Connection | undefined;

/** What other extensions, and the tests, can ask. */
export interface Api {
  /** What is painted in an editor of a document, by kind. */
  painted(uri: vscode.Uri): Painted;
}

/** Put it together, and start the server. */
export function activate(context: vscode.ExtensionContext): Api {
  const log = vscode.window.createOutputChannel('dsh', { log: true });
  const approvals = new Approvals();
  const connection = new Connection(log, (params, token) => approvals.ask(params, token));
  const pending = new Pending(connection);
  const sessions = new Sessions(connection);
  const store = new CardStore(connection, sessions);
  const deciding = new Deciding(connection, pending);
  const diffs = new Diffs(connection, pending);
  const changes = new ChangesView(connection, pending);
  const replays = new Replays(connection, sessions, context.extensionUri);
  const painter = new Painter(pending, context.extensionUri);
  running = connection;
  context.subscriptions.push(
    log,
    approvals,
    connection,
    pending,
    sessions,
    store,
    diffs,
    changes,
    new SessionsView(sessions),
    new ActivityView(store, context.extensionUri),
    new StatusItem(connection, pending, sessions),
    painter,
    new Lenses(pending),
    new QuickDiff(diffs, pending),
    hovers(pending),
    ...reviewCommands({ connection, pending, deciding, diffs, selected: () => changes.selected }),
    ...commands(connection, pending, sessions, replays),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void connection.restartIfOther()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('dsh.server') || event.affectsConfiguration('dsh.saveEdits')) {
        void connection.restart();
      }
    }),
  );
  void connection.restart();
  return { painted: (uri) => painter.painted(uri) };
}

/** Let the server go. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

function commands(
  connection: Connection,
  pending: Pending,
  sessions: Sessions,
  replays: Replays,
): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register('dsh.restart', () => connection.restart()),
    register('dsh.showLog', () => connection.log.show(true)),
    register('dsh.showActivity', () => vscode.commands.executeCommand('dsh.activity.focus')),
    register('dsh.replaySession', (session?: SessionInfo) => replays.open(session)),
    register('dsh.refresh', async () => {
      await pending.refresh();
      await sessions.refresh();
    }),
    register('dsh.togglePaint', async () => {
      const settings = vscode.workspace.getConfiguration('dsh.paint');
      const target = vscode.ConfigurationTarget.Global;
      await settings.update('enabled', !settings.get('enabled', true), target);
    }),
  ];
}
