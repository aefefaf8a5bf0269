/**
 * The server's life: found, started, restarted, stopped; and what goes over its connection.
 *
 * Deliberately absent: what its messages mean. There is one server for each window, with all of its folders.
 */
import * as vscode from 'vscode';
import {
  CloseAction,
  type ErrorHandler,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  Trace,
} from 'vscode-languageclient/node';

import { ASK_SECONDS } from './approvals';
import { DshCapabilities } from './capabilities';
import { answerEdits } from './documents/answering';
import { Sent } from './documents/sent';
import { findServer } from './finding';
import { unlinked } from './wording';
import type { DecorationsNote, ToolCallNote, ToolResultNote } from './wire';

const PROTOCOL_VERSION = 1;

/** `absent`: there is no program to start. */
export type ServerState = 'absent' | 'starting' | 'running' | 'stopped';

/** Asks the user in the server's name: `window/showMessageRequest`. */
export type Asker = (params: unknown, token: vscode.CancellationToken) => Promise<unknown>;

/** A client that leaves it to the connection to say that it could not be started: it has three messages about pipes. */
class Client extends LanguageClient {
  /** It has been started: what goes wrong from now on it says itself. */
  tells = false;
  /** Starts it again after a crash, a few times. */
  readonly usual: ErrorHandler = this.createDefaultErrorHandler();

  override error(message: string, data?: unknown, show?: boolean | 'force'): void {
    super.error(message, data, this.tells ? show : false);
  }

  /** Let it go, whatever it does. */
  kill(): void {
    this.tells = false;
    this.serverProcess?.kill();
  }
}

/** The connection to the server of this window. */
export class Connection implements vscode.Disposable {
  private client: Client | undefined;
  private current: ServerState = 'stopped';
  private turn: Promise<void> = Promise.resolve();
  private told = '';
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly decorations = new vscode.EventEmitter<DecorationsNote>();
  private readonly calls = new vscode.EventEmitter<ToolCallNote>();
  private readonly results = new vscode.EventEmitter<ToolResultNote>();

  readonly onDidChangeState = this.states.event;
  readonly onDecorations = this.decorations.event;
  readonly onToolCall = this.calls.event;
  readonly onToolResult = this.results.event;

  constructor(
    readonly log: vscode.LogOutputChannel,
    private readonly asker: Asker,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  /** The document as VS Code spells it, of a URI as the server spells it. */
  uri(uri: string): vscode.Uri {
    return this.client?.protocol2CodeConverter.asUri(uri) ?? vscode.Uri.parse(uri);
  }

  /** The URI as the server was told it. */
  spelled(uri: vscode.Uri): string {
    return this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  /** Start the server, or start it again. One start at a time. */
  restart(): Promise<void> {
    if (this.current === 'starting') {
      this.abandon(); // a program that never answers would be waited for for ever
    }
    this.turn = this.turn.then(() => this.startAgain()).catch((error: unknown) => this.failed(error));
    return this.turn;
  }

  /** Start it again if another program would be taken now, or none could be taken before. */
  async restartIfOther(): Promise<void> {
    const found = findServer();
    if ('command' in found && (this.current === 'absent' || found.command !== this.told)) {
      await this.restart();
    }
  }

  /** Ask the server. Rejects when there is none. */
  async request<Answer>(method: string, params: object): Promise<Answer> {
    if (this.client === undefined || this.current !== 'running') {
      throw new Error('The server dsh-lsp does not run.');
    }
    return await this.client.sendRequest<Answer>(method, params);
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose(2000).catch(() => undefined);
  }

  dispose(): void {
    for (const emitter of [this.states, this.decorations, this.calls, this.results]) {
      emitter.dispose();
    }
  }

  private abandon(): void {
    const client = this.client;
    this.client = undefined;
    client?.kill();
  }

  private async startAgain(): Promise<void> {
    await this.stop();
    const found = findServer();
    if ('message' in found) {
      this.become('absent');
      this.tellMissing(found.message);
      return;
    }
    this.told = found.command;
    this.log.info(`starting ${found.command} (from ${found.from})`);
    this.become('starting');
    const client = this.made(found.command);
    this.client = client;
    await client.start();
    if (client.state !== State.Running) {
      throw new Error('the program has ended');
    }
    client.tells = true;
    await this.checkProtocol(client);
    await client.setTrace(Trace.fromString(setting<string>('trace.server', 'off')));
  }

  private async checkProtocol(client: Client): Promise<void> {
    const experimental = client.initializeResult?.capabilities.experimental as { dsh?: { protocolVersion?: number } };
    const version = experimental?.dsh?.protocolVersion;
    if (version !== PROTOCOL_VERSION) {
      await this.stop();
      this.become('stopped');
      void vscode.window.showErrorMessage(
        `dsh: the server speaks version ${version ?? 'none'} of the protocol, and this extension version ` +
          `${PROTOCOL_VERSION}. Update the older one of the two.`,
      );
    }
  }

  private made(command: string): Client {
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const sent = new Sent();
    const client: Client = new Client(
      'dsh',
      'dsh',
      { command, args: ['--stdio'], options: cwd === undefined ? {} : { cwd } },
      {
        documentSelector: [{ scheme: 'file' }],
        outputChannel: this.log,
        errorHandler: {
          error: (...about) => client.usual.error(...about),
          closed: () =>
            client.tells ? client.usual.closed() : { action: CloseAction.DoNotRestart, handled: true },
        },
        initializationFailedHandler: () => false,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        middleware: sent.middleware,
        initializationOptions: initializationOptions(),
      },
    );
    client.registerFeature(new DshCapabilities(setting('saveEdits', true)));
    client.onNotification('dsh/decorations', (note: DecorationsNote) => this.decorations.fire(note));
    client.onNotification('dsh/toolCall', (note: ToolCallNote) => this.calls.fire(note));
    client.onNotification('dsh/toolResult', (note: ToolResultNote) => this.results.fire(note));
    client.onRequest('window/showMessageRequest', this.asker);
    answerEdits(client, sent, this.log);
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.become(newState === State.Running ? 'running' : newState === State.Starting ? 'starting' : 'stopped');
      }
    });
    return client;
  }

  private become(state: ServerState): void {
    if (state !== this.current) {
      this.current = state;
      void vscode.commands.executeCommand('setContext', 'dsh.running', state === 'running');
      this.states.fire(state);
    }
  }

  private failed(error: unknown): void {
    this.log.error(`the server could not be started: ${String(error)}`);
    if (this.client === undefined) {
      return; // it was abandoned, or speaks another protocol
    }
    this.become('stopped');
    const message = `dsh: the server ${this.told} could not be started. The log has what it said.`;
    void vscode.window.showErrorMessage(unlinked(message), 'Show Log').then((chosen) => {
      if (chosen !== undefined) {
        this.log.show(true);
      }
    });
  }

  private tellMissing(message: string): void {
    this.log.warn(message);
    void vscode.window.showWarningMessage(message, 'Open Settings').then((chosen) => {
      if (chosen !== undefined) {
        void vscode.commands.executeCommand('workbench.action.openSettings', 'dsh.server.path');
      }
    });
  }
}

function initializationOptions(): object {
  return {
    timing: { ask: ASK_SECONDS },
    permissions: setting<object>('server.permissions', {}),
    encodings: setting<object>('server.encodings', {}),
    watch: setting('server.watch', true),
    web: { allowPrivate: setting('server.webAllowPrivate', false) },
  };
}

function setting<T>(name: string, otherwise: T): T {
  return vscode.workspace.getConfiguration('dsh').get<T>(name, otherwise);
}
