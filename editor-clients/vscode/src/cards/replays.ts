/** A recorded session as a panel, from its journal alone: nothing runs again, and nothing is changed by looking. */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import type { Sessions } from '../sessions';
import { agentName, when } from '../views/sessionsView';
import { iconless, many } from '../wording';
import type { Replay, SessionInfo } from '../wire';
import type { Card, FromPage, ToPage } from './card';
import { openFromCard } from './opening';
import { page, webviewOptions } from './page';

/** Opens replays. */
export class Replays {
  constructor(
    private readonly connection: Connection,
    private readonly sessions: Sessions,
    private readonly extension: vscode.Uri,
  ) {}

  /** Replay a session; without one, the user chooses. */
  async open(chosen?: SessionInfo): Promise<void> {
    const session = chosen ?? (await this.choose());
    if (session === undefined) {
      return;
    }
    const { sessionId } = session;
    const replay = await this.connection.request<Replay>('dsh/session/replay', { sessionId });
    const heading = `Replay: ${agentName(session)}, ${when(session.startedAt)}`;
    const panel = vscode.window.createWebviewPanel(
      'dsh.replay',
      `Replay: ${agentName(session)}`,
      vscode.ViewColumn.Active,
      webviewOptions(this.extension),
    );
    this.fill(panel.webview, {
      type: 'show',
      cards: replay.cards.map((each) => cardOf(each, session)),
      heading,
      notes: notesOf(replay),
    });
  }

  private fill(webview: vscode.Webview, message: ToPage): void {
    webview.onDidReceiveMessage((said: FromPage) => {
      if (said.type === 'open') {
        void openFromCard(said);
      } else {
        void webview.postMessage(message);
      }
    });
    webview.html = page(webview, this.extension, 'Replayed session');
  }

  private async choose(): Promise<SessionInfo | undefined> {
    await this.sessions.refresh();
    const items = this.sessions.all.map((session) => ({
      label: iconless(agentName(session)),
      description: when(session.startedAt),
      detail: session.sessionId,
      session,
    }));
    const picked = await vscode.window.showQuickPick(items, { placeHolder: 'The session to replay' });
    return picked?.session;
  }
}

function cardOf(each: Replay['cards'][number], session: SessionInfo): Card {
  const { callId, seq, name, call, result } = each;
  const card = { sessionId: session.sessionId, agent: agentName(session), callId, seq, name, call };
  if (result === undefined) {
    return { ...card, isError: false };
  }
  const isError = typeof result === 'object' && result !== null && 'code' in result;
  return { ...card, result, isError };
}

function notesOf(replay: Replay): string[] {
  const said = ['Shown from the record of the session; nothing was run again.'];
  if (replay.unreadable > 0) {
    said.push(`Incomplete: ${many(replay.unreadable, 'line')} of the record could not be read.`);
  }
  return said;
}
