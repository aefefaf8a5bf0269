/** The cards of the sessions that ran since this window was opened: the latest, bounded. */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import type { Sessions } from '../sessions';
import { agentName } from '../views/sessionsView';
import type { ToolCallNote, ToolResultNote } from '../wire';
import type { Card } from './card';

const MOST = 300;

/** Keeps them in the order of their calls. */
export class CardStore implements vscode.Disposable {
  private readonly cards = new Map<string, Card>();
  private readonly changed = new vscode.EventEmitter<Card>();
  private readonly subscriptions: vscode.Disposable[];

  /** A card is new, or has got its result. */
  readonly onDidChange = this.changed.event;

  constructor(
    connection: Connection,
    private readonly sessions: Sessions,
  ) {
    this.subscriptions = [
      connection.onToolCall((note) => this.called(note)),
      connection.onToolResult((note) => this.ended(note)),
      sessions.onDidChange(() => this.nameAgents()),
    ];
  }

  /** The cards, the oldest first. */
  get all(): Card[] {
    return [...this.cards.values()];
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.changed.dispose();
  }

  private called(note: ToolCallNote): void {
    const { sessionId, callId, seq, name, view } = note;
    this.keep({ sessionId, agent: this.agent(sessionId), callId, seq, name, call: view, isError: false });
  }

  private ended(note: ToolResultNote): void {
    const { sessionId, callId, seq, name, view, isError } = note;
    const before = this.cards.get(key(note));
    const agent = this.agent(sessionId);
    const start = before ?? { sessionId, agent, callId, seq, name, call: undefined };
    this.keep({ ...start, agent, result: view, isError });
  }

  private keep(card: Card): void {
    this.cards.set(key(card), card);
    for (const oldest of this.cards.keys()) {
      if (this.cards.size <= MOST) {
        break;
      }
      this.cards.delete(oldest);
    }
    this.changed.fire(card);
  }

  /** The first cards of a session come before it is known whose it is. */
  private nameAgents(): void {
    for (const card of this.all.filter((each) => each.agent === '')) {
      const agent = this.agent(card.sessionId);
      if (agent !== '') {
        this.keep({ ...card, agent });
      }
    }
  }

  private agent(sessionId: string): string {
    const session = this.sessions.all.find((each) => each.sessionId === sessionId);
    return session === undefined ? '' : agentName(session);
  }
}

function key(card: { sessionId: string; callId: string }): string {
  return JSON.stringify([card.sessionId, card.callId]);
}
