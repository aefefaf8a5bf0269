/** What this client declares of itself in `initialize`: `capabilities.experimental.dsh`. */
import type { ClientCapabilities, FeatureState, StaticFeature } from 'vscode-languageclient';

/** Declares the parts of our protocol that this client speaks. */
export class DshCapabilities implements StaticFeature {
  constructor(private readonly savesEdits: boolean) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const others = (capabilities.experimental ?? {}) as Record<string, unknown>;
    capabilities.experimental = {
      ...others,
      dsh: { decorations: true, cards: true, applyEdit: true, saveDocument: this.savesEdits, reloadDocument: true },
    };
  }

  initialize(): void {}

  getState(): FeatureState {
    return { kind: 'static' };
  }

  clear(): void {}
}
